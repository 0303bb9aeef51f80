package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"causeway/chains/seed"
	"causeway/pay"
)

// accounts are the accounts whose extended public keys the other processes are configured with, by family.
var accounts = map[pay.Family]string{pay.EVM: "m/44'/60'/0'"}

// createdSeed is what may be known of a new seed.
type createdSeed struct {
	SeedFile string                `json:"seed_file"`
	XPubs    map[pay.Family]string `json:"xpubs"`
}

func (p *program) seedCommands() *cobra.Command {
	var out, passphraseFile string
	create := &cobra.Command{Use: "create --out FILE --passphrase-file FILE", Args: cobra.NoArgs,
		Short: "make the seed of all private keys; its words are shown once, on standard error",
		RunE: func(c *cobra.Command, _ []string) error {
			made, err := p.createSeed(c, out, passphraseFile)
			if err != nil {
				return err
			}
			return p.print(made)
		}}
	create.Flags().StringVar(&out, "out", "", "file to write, which must not exist")
	create.Flags().StringVar(&passphraseFile, "passphrase-file", "", "file with the passphrase that encrypts it")
	return group("seed", "the seed of all private keys", need(create, "out", "passphrase-file"), p.seedRestoreCommand())
}

func (p *program) seedRestoreCommand() *cobra.Command {
	var out, passphraseFile, wordsFile string
	c := &cobra.Command{Use: "restore --out FILE --passphrase-file FILE --words-file FILE", Args: cobra.NoArgs,
		Short: "write the seed file anew from its 24 words",
		RunE: func(c *cobra.Command, _ []string) error {
			made, err := p.restoreSeed(c, out, passphraseFile, wordsFile)
			if err != nil {
				return err
			}
			return p.print(made)
		}}
	c.Flags().StringVar(&out, "out", "", "file to write, which must not exist")
	c.Flags().StringVar(&passphraseFile, "passphrase-file", "", "file with the passphrase that encrypts it")
	c.Flags().StringVar(&wordsFile, "words-file", "", "file with the words, in their order (/dev/stdin to type them)")
	return need(c, "out", "passphrase-file", "words-file")
}

func (p *program) createSeed(c *cobra.Command, path, passphraseFile string) (*createdSeed, error) {
	passphrase, err := readPassphrase(passphraseFile)
	if err != nil {
		return nil, err
	}
	defer p.doing(c)()
	words, err := seed.Create(path, passphrase)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(p.stderr, "Write these 24 words down and keep them apart from this machine. They are not shown again:\n\n    %s\n\n", words)
	return knownOf(path, passphrase)
}

func (p *program) restoreSeed(c *cobra.Command, path, passphraseFile, wordsFile string) (*createdSeed, error) {
	passphrase, err := readPassphrase(passphraseFile)
	if err != nil {
		return nil, err
	}
	words, err := os.ReadFile(wordsFile) // #nosec G304 -- the operator names the file
	if err != nil {
		return nil, fmt.Errorf("words file: %w", err)
	}
	defer clear(words)
	defer p.doing(c)()
	if err := seed.Restore(path, passphrase, string(words)); err != nil {
		return nil, err
	}
	return knownOf(path, passphrase)
}

// knownOf reads back from a seed file what the other processes are configured with.
func knownOf(path, passphrase string) (made *createdSeed, err error) {
	made = &createdSeed{SeedFile: path, XPubs: map[pay.Family]string{}}
	for family, account := range accounts {
		if made.XPubs[family], err = seed.AccountXPub(path, passphrase, account); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// readPassphrase reads the first line of a file.
func readPassphrase(path string) (string, error) {
	text, err := os.ReadFile(path) // #nosec G304 -- the operator names the file
	if err != nil {
		return "", fmt.Errorf("passphrase file: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSuffix(line, "\r"), nil
}
