// Package seed keeps the one secret behind all keys of a signer: a BIP39 mnemonic of 24 words, in a file encrypted under a
// passphrase. Only a worker on the signing queue opens it (operator §Roles).
package seed

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tyler-smith/go-bip39"
)

// Errors of this package. None of them carries the passphrase, the words or the seed.
var (
	// ErrPassphrase says that the passphrase does not open the file, or the file was changed.
	ErrPassphrase = errors.New("the passphrase does not open the seed file")
	// ErrWeak says that a new passphrase is shorter than MinPassphrase.
	ErrWeak = fmt.Errorf("the passphrase has fewer than %d characters", MinPassphrase)
	// ErrFile says that the file is no seed file of a known version.
	ErrFile = errors.New("not a seed file of a version known here")
	// ErrOpenToOthers says that the file's mode gives rights to others than the owner.
	ErrOpenToOthers = errors.New("the seed file is open to others: chmod 600")
	// ErrMnemonic says that the words are no BIP39 mnemonic of 24 words.
	ErrMnemonic = errors.New("not a mnemonic of 24 words")
)

// MinPassphrase is the least length of a passphrase, in bytes.
const MinPassphrase = 12

// entropyBits make wordCount words.
const (
	entropyBits = 256
	wordCount   = 24
)

// Create makes a new seed and writes it to path. The file must not exist. Create returns the words, to be written down once:
// they restore every key in any BIP39 wallet.
func Create(path, passphrase string) (mnemonic string, err error) {
	entropy, err := bip39.NewEntropy(entropyBits)
	if err != nil {
		return "", fmt.Errorf("create seed: %w", err)
	}
	defer clear(entropy)
	if mnemonic, err = bip39.NewMnemonic(entropy); err != nil {
		return "", fmt.Errorf("create seed: %w", err)
	}
	if err := write(path, passphrase, entropy); err != nil {
		return "", fmt.Errorf("create seed: %w", err)
	}
	return mnemonic, nil
}

// Restore writes the seed of a mnemonic of 24 words to path. The file must not exist.
func Restore(path, passphrase, mnemonic string) error {
	words := strings.Fields(mnemonic)
	entropy, err := bip39.EntropyFromMnemonic(strings.Join(words, " "))
	if err != nil || len(entropy)*8 != entropyBits {
		return fmt.Errorf("restore seed: %w: %s", ErrMnemonic, mistake(words))
	}
	defer clear(entropy)
	if err := write(path, passphrase, entropy); err != nil {
		return fmt.Errorf("restore seed: %w", err)
	}
	return nil
}

// mistake says why words are no mnemonic, and repeats none of them.
func mistake(words []string) string {
	if n := len(words); n != wordCount {
		return fmt.Sprintf("there are %d", n)
	}
	for i, word := range words {
		if _, known := bip39.GetWordIndex(word); !known {
			return fmt.Sprintf("word %d is not in the list of BIP39", i+1)
		}
	}
	return "each is in the list of BIP39, and their checksum is wrong: another word was meant, or another order"
}

// Open returns the 64 bytes of BIP39 (without its own passphrase) for BIP32.
func Open(path, passphrase string) (seed []byte, err error) {
	entropy, err := read(path, passphrase)
	if err != nil {
		return nil, fmt.Errorf("open seed: %w", err)
	}
	defer clear(entropy)
	mnemonic, err := bip39.NewMnemonic(entropy)
	if err != nil {
		return nil, fmt.Errorf("open seed: %w", ErrFile)
	}
	return bip39.NewSeed(mnemonic, ""), nil
}

// ReadPassphrase reads a file of one line, for whoever makes a seed file as for whoever opens it: the line without its end.
func ReadPassphrase(path string) (string, error) {
	text, err := os.ReadFile(path) // #nosec G304 -- the operator names the file
	if err != nil {
		return "", fmt.Errorf("passphrase file: %w", err)
	}
	line := strings.TrimRight(string(text), "\r\n")
	if strings.ContainsAny(line, "\r\n") {
		return "", fmt.Errorf("passphrase file %s has more than one line", path)
	}
	return line, nil
}
