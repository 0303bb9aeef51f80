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

// A rotation is in the audit without the secrets, which are sealed at their own places, and is not begun or ended twice.
func TestRotateWebhookSecret(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	type shown struct {
		ID            string
		WebhookSecret string `json:"webhook_secret"`
	}
	var made, rotated, finished shown
	s.Do(&made, "admin", "merchant", "create", "--name", "Shop")
	s.Refused(command.ExitFailed, "no older one to end", "admin", "merchant", "rotate-webhook-secret", made.ID, "--finish")
	s.Refused(command.ExitFailed, "no newer one to replace", "admin", "merchant", "rotate-webhook-secret", made.ID, "--again")
	s.Do(&rotated, "admin", "merchant", "rotate-webhook-secret", made.ID)
	s.Refused(command.ExitFailed, "two webhook secrets already", "admin", "merchant", "rotate-webhook-secret", made.ID)
	secrets := func() (out []string) {
		var sealed struct{ WebhookSecret, WebhookSecretOld []byte }
		require.NoError(t, s.DB.NewRaw("select webhook_secret, webhook_secret_old from merchants").Scan(t.Context(), &sealed))
		key := vault.New(bytes.Repeat([]byte{7}, vault.KeySize))
		for column, value := range map[string][]byte{"webhook_secret": sealed.WebhookSecret, "webhook_secret_old": sealed.WebhookSecretOld} {
			if plain, err := key.Open(value, vault.Where("merchants", made.ID, column)); err == nil {
				out = append(out, string(plain))
			}
		}
		return out
	}
	require.ElementsMatch(t, []string{made.WebhookSecret, rotated.WebhookSecret}, secrets())
	s.Do(&finished, "admin", "merchant", "rotate-webhook-secret", made.ID, "--finish")
	require.Equal(t, []string{rotated.WebhookSecret}, secrets())
	require.Empty(t, finished.WebhookSecret)
	var audited []string
	require.NoError(t, s.DB.NewRaw("select action || coalesce(before::text, '') || coalesce(after::text, '') from audit order by id").Scan(t.Context(), &audited))
	require.Len(t, audited, 3)
	require.Contains(t, audited[1], "merchant.rotate-webhook-secret")
	require.Contains(t, audited[2], "merchant.finish-webhook-secret")
	for _, row := range audited {
		require.NotContains(t, row, "whsec_")
	}
}
