package seed_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tyler-smith/go-bip39"

	"causeway/chains/seed"
)

const passphrase = "correct horse battery"

// trezor is the 24-word vector of zeros of BIP39, with its seed without a passphrase.
const (
	words     = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon art"
	wordsSeed = "408b285c123836004f4b8842c89324c1f01382450c0d439af345ba7fc49acf705489c6fc77dbd4e3dc1dd8cc6bc9f043db8ada1e243c4a0eafb290d399480840"
)

func TestCreateOpens(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "seed.json")
	mnemonic, err := seed.Create(path, passphrase)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Fields(mnemonic)); n != 24 || !bip39.IsMnemonicValid(mnemonic) {
		t.Fatalf("%d words", n)
	}
	got, err := seed.Open(path, passphrase)
	if err != nil || !bytes.Equal(got, bip39.NewSeed(mnemonic, "")) {
		t.Fatalf("the file does not hold the seed of the words: %v", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	text, err := os.ReadFile(path)
	if err != nil || bytes.Contains(text, []byte(strings.Fields(mnemonic)[0]+" ")) || bytes.Contains(text, []byte(hex.EncodeToString(got[:8]))) {
		t.Errorf("the file shows its secret: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// The maker and the opener of a seed file read the same passphrase: an ambiguous file is refused.
func TestReadPassphrase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "passphrase")
	for text, want := range map[string]string{passphrase: passphrase, passphrase + "\r\n": passphrase, " " + passphrase + " \n\n": " " + passphrase + " ",
		passphrase + "\n# safe 3\n": "", passphrase + "\r# safe 3": "", "": ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := seed.ReadPassphrase(path)
		if got != want || (err != nil) != strings.Contains(text, "#") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := seed.ReadPassphrase(path + ".absent"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestCreateNeverOverwrites(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "seed.json")
	if err := seed.Restore(path, passphrase, words); err != nil {
		t.Fatal(err)
	}
	if _, err := seed.Create(path, passphrase); !errors.Is(err, os.ErrExist) || !strings.Contains(err.Error(), path+": file exists") ||
		strings.Contains(err.Error(), ".seed-") {
		t.Fatalf("a second seed over the first: %v", err)
	}
	if got, err := seed.Open(path, passphrase); err != nil || hex.EncodeToString(got) != wordsSeed {
		t.Fatalf("the first seed is gone: %v", err)
	}
}

func TestRestore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "seed.json")
	if err := seed.Restore(path, passphrase, "  "+strings.ReplaceAll(words, " ", "\n ")); err != nil {
		t.Fatal(err)
	}
	if got, err := seed.Open(path, passphrase); err != nil || hex.EncodeToString(got) != wordsSeed {
		t.Fatalf("seed %x, %v", got, err)
	}
	mistyped := strings.Fields(words)
	mistyped[6] = "hunter2"
	for wrong, says := range map[string]string{"": "there are 0", "abandon": "there are 1", strings.Replace(words, "art", "zoo", 1): "checksum",
		strings.Join(strings.Fields(words)[:11], " ") + " about": "there are 12", strings.Join(mistyped, " "): "word 7 is not in the list"} {
		err := seed.Restore(filepath.Join(t.TempDir(), "x"), passphrase, wrong)
		if !errors.Is(err, seed.ErrMnemonic) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "seed.json")
	if err := seed.Restore(path, passphrase, words); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(map[string]any)
		mode   os.FileMode
		pass   string
		want   error
	}{
		{"another passphrase", nil, 0o600, passphrase + "!", seed.ErrPassphrase},
		{"a file that others may read", nil, 0o640, passphrase, seed.ErrOpenToOthers},
		{"weaker parameters", func(f map[string]any) { f["time"] = 1 }, 0o600, passphrase, seed.ErrPassphrase},
		{"another salt", func(f map[string]any) { f["salt"] = "AAAAAAAAAAAAAAAAAAAAAA==" }, 0o600, passphrase, seed.ErrPassphrase},
		{"a changed secret", func(f map[string]any) { f["sealed"] = "AAAA" + f["sealed"].(string)[4:] }, 0o600, passphrase, seed.ErrPassphrase},
		{"another version", func(f map[string]any) { f["version"] = 2 }, 0o600, passphrase, seed.ErrFile},
		{"terabytes of memory", func(f map[string]any) { f["memory_kib"] = 1 << 31 }, 0o600, passphrase, seed.ErrFile},
		{"a short nonce", func(f map[string]any) { f["nonce"] = "AAAA" }, 0o600, passphrase, seed.ErrFile},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			changed := bytes.Clone(text)
			if c.change != nil {
				var f map[string]any
				if err := json.Unmarshal(text, &f); err != nil {
					t.Fatal(err)
				}
				c.change(f)
				changed, _ = json.Marshal(f)
			}
			path := filepath.Join(t.TempDir(), "seed.json")
			if err := os.WriteFile(path, changed, c.mode); err != nil {
				t.Fatal(err)
			}
			if _, err := seed.Open(path, c.pass); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}

func TestWeakPassphrase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "seed.json")
	if _, err := seed.Create(path, "elevenchars"); !errors.Is(err, seed.ErrWeak) {
		t.Errorf("%v, want ErrWeak", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was written: %v", err)
	}
}
