package main

import (
	"bytes"
	"encoding/base64"
	"testing"

	"causeway/internal/testkit"
	"causeway/vault"
)

// Covers operator §Admin: causeway admin secrets reseal
// Covers operator §Admin: secrets reseal encrypts
func TestReseal(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var m struct{ ID string }
	s.do(&m, "admin", "merchant", "create", "--name", "Shop")
	var k struct{ ID string }
	s.do(&k, "admin", "key", "create", "--merchant", m.ID, "--sign")

	newer := bytes.Repeat([]byte{8}, vault.KeySize)
	rotated := &DevFile{DatabaseURL: testkit.DSN(t), SecretsKey: base64.StdEncoding.EncodeToString(newer) + "," + testSecretsKey}
	must(t, rotated.Write(s.dir))
	var out struct{ Sealed, Resealed int }
	s.do(&out, "admin", "secrets", "reseal")
	if out.Sealed != 2 || out.Resealed != 2 {
		t.Errorf("first %+v", out)
	}
	s.do(&out, "admin", "secrets", "reseal")
	if out.Sealed != 2 || out.Resealed != 0 {
		t.Errorf("again %+v", out)
	}
	var sealed []byte
	must(t, s.db.NewRaw("select signing_secret from keys where id = ?", k.ID).Scan(t.Context(), &sealed))
	if _, err := vault.New(newer).Open(sealed, vault.Where("keys", k.ID, "signing_secret")); err != nil {
		t.Errorf("under the new key alone: %v", err)
	}

	other := &DevFile{DatabaseURL: testkit.DSN(t), SecretsKey: base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{9}, vault.KeySize))}
	must(t, other.Write(s.dir))
	s.refused(exitFailed, "cannot be opened", "admin", "secrets", "reseal")
}
