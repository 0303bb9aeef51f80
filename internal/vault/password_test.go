package vault_test

import (
	"strings"
	"testing"

	"causeway/internal/vault"
)

// A password fits its own hash alone, and no password fits another text.
func TestPasswords(t *testing.T) {
	t.Parallel()
	hash := vault.HashPassword("correct horse")
	for name, c := range map[string]struct {
		password, hash string
		fits           bool
	}{
		"its own":        {"correct horse", hash, true},
		"another":        {"correct horsf", hash, false},
		"empty":          {"", hash, false},
		"nobody's":       {"correct horse", "", false},
		"no hash":        {"correct horse", "correct horse", false},
		"cut":            {"correct horse", hash[:len(hash)-4], false},
		"no lanes":       {"correct horse", strings.Replace(hash, "p=1", "p=0", 1), false},
		"another method": {"correct horse", strings.Replace(hash, "argon2id", "argon2i", 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if fits := vault.PasswordFits(c.password, c.hash); fits != c.fits {
				t.Errorf("fits: %v", fits)
			}
		})
	}
	if again := vault.HashPassword("correct horse"); again == hash {
		t.Error("two hashes of one password are the same: there is no salt")
	}
	if strings.Contains(hash, "horse") {
		t.Error("the password is in its hash")
	}
}
