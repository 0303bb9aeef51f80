package admincmd

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/cmd/causeway/command"
	"causeway/cmd/causeway/commandtest"
	"causeway/cmd/causeway/settings"
	"causeway/internal/testkit"
	"causeway/vault"
)

// Covers operator §Admin: causeway admin secrets reseal
// Covers operator §Admin: secrets reseal encrypts
func TestReseal(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var m struct{ ID string }
	s.Do(&m, "admin", "merchant", "create", "--name", "Shop")
	var k struct{ ID string }
	s.Do(&k, "admin", "key", "create", "--merchant", m.ID, "--sign")

	newer := bytes.Repeat([]byte{8}, vault.KeySize)
	rotated := &settings.DevFile{DatabaseURL: testkit.DSN(t), SecretsKey: base64.StdEncoding.EncodeToString(newer) + "," + commandtest.SecretsKey}
	require.NoError(t, rotated.Write(s.Dir))
	var out struct{ Sealed, Resealed int }
	s.Do(&out, "admin", "secrets", "reseal")
	if out.Sealed != 2 || out.Resealed != 2 {
		t.Errorf("first %+v", out)
	}
	s.Do(&out, "admin", "secrets", "reseal")
	if out.Sealed != 2 || out.Resealed != 0 {
		t.Errorf("again %+v", out)
	}
	var sealed []byte
	require.NoError(t, s.DB.NewRaw("select signing_secret from keys where id = ?", k.ID).Scan(t.Context(), &sealed))
	if _, err := vault.New(newer).Open(sealed, vault.Where("keys", k.ID, "signing_secret")); err != nil {
		t.Errorf("under the new key alone: %v", err)
	}

	other := &settings.DevFile{DatabaseURL: testkit.DSN(t), SecretsKey: base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{9}, vault.KeySize))}
	require.NoError(t, other.Write(s.Dir))
	s.Refused(command.ExitFailed, "cannot be opened", "admin", "secrets", "reseal")
}
