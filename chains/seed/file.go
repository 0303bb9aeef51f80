package seed

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/crypto/argon2"
)

// header says how the file is encrypted. It is authenticated with the secret, so nobody can weaken it.
type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	KDF     string `json:"kdf"`
	Time    uint32 `json:"time"`
	Memory  uint32 `json:"memory_kib"`
	Threads uint8  `json:"threads"`
	Salt    []byte `json:"salt"`
	Cipher  string `json:"cipher"`
	Nonce   []byte `json:"nonce"`
}

// file is a seed file, in JSON.
type file struct {
	header
	Sealed []byte `json:"sealed"`
}

// The values of a new file, and the bounds of one read: a planted file must not cost a machine its memory.
const (
	format     = "causeway-seed"
	version    = 1
	kdf        = "argon2id"
	sealing    = "aes-256-gcm"
	kdfTime    = 3
	kdfMemory  = 64 << 10 // KiB
	kdfThreads = 4
	saltSize   = 16
	nonceSize  = 12
	maxTime    = 20
	maxMemory  = 1 << 20 // KiB
	maxFile    = 16 << 10
	mode       = 0o600
)

func write(path, passphrase string, entropy []byte) error {
	if len(passphrase) < MinPassphrase {
		return ErrWeak
	}
	h := header{
		Format: format, Version: version, KDF: kdf, Time: kdfTime, Memory: kdfMemory, Threads: kdfThreads,
		Salt: make([]byte, saltSize), Cipher: sealing, Nonce: make([]byte, nonceSize),
	}
	_, _ = rand.Read(h.Salt)
	_, _ = rand.Read(h.Nonce)
	box, bound, err := h.box(passphrase)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(file{h, box.Seal(nil, h.Nonce, entropy, bound)}, "", "  ")
	if err != nil {
		return err
	}
	return place(path, append(text, '\n'))
}

// place writes a new file, whole or not at all. An existing one is an error.
func place(path string, text []byte) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), ".seed-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	if err = temp.Chmod(mode); err == nil {
		_, err = temp.Write(text)
	}
	if err == nil {
		err = temp.Sync()
	}
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Link(temp.Name(), path); err != nil { // as where the path exists
		var link *os.LinkError
		if errors.As(err, &link) {
			err = &os.PathError{Op: "write", Path: path, Err: link.Err}
		}
		return err
	}
	return nil
}

func read(path, passphrase string) ([]byte, error) {
	f, err := load(path)
	if err != nil {
		return nil, err
	}
	box, bound, err := f.box(passphrase)
	if err != nil {
		return nil, err
	}
	entropy, err := box.Open(nil, f.Nonce, f.Sealed, bound)
	if err != nil {
		return nil, ErrPassphrase
	}
	return entropy, nil
}

func load(path string) (*file, error) {
	opened, err := os.Open(path) // #nosec G304 -- the operator names the file
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Close() }()
	info, err := opened.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, ErrFile
	case info.Mode().Perm()&0o077 != 0:
		return nil, ErrOpenToOthers
	}
	text, err := io.ReadAll(io.LimitReader(opened, maxFile))
	if err != nil {
		return nil, err
	}
	f := &file{}
	if json.Unmarshal(text, f) != nil || !f.usable() {
		return nil, ErrFile
	}
	return f, nil
}

func (h header) usable() bool {
	return h.Format == format && h.Version == version && h.KDF == kdf && h.Cipher == sealing &&
		h.Time >= 1 && h.Time <= maxTime && h.Memory >= 8<<10 && h.Memory <= maxMemory && h.Threads >= 1 &&
		len(h.Salt) == saltSize && len(h.Nonce) == nonceSize
}

// box returns the cipher under the passphrase, and the header in the form bound to the secret.
func (h header) box(passphrase string) (cipher.AEAD, []byte, error) {
	key := argon2.IDKey([]byte(passphrase), h.Salt, h.Time, h.Memory, h.Threads, 32)
	defer clear(key)
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, nil, err
	}
	box, err := cipher.NewGCM(block)
	if err != nil {
		return nil, nil, err
	}
	bound, err := json.Marshal(h)
	return box, bound, err
}
