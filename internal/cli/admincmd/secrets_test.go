package admincmd

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
	"causeway/internal/cli/commandtest"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
	"causeway/internal/vault"
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
}

// under gives the commands of a site another SECRETS_KEY.
func (s *site) under(keys ...string) {
	s.Helper()
	s.Writes(&settings.DevFile{DatabaseURL: testkit.DSN(s.T), SecretsKey: strings.Join(keys, ",")})
}

// keyOf is a secrets key as the environment has it.
func keyOf(b byte) string {
	return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, vault.KeySize))
}

// Secrets made under a key foreign to the books could be used nowhere else, so none are made; commands without need of a key go on.
//
// Covers operator §Admin: Under a SECRETS_KEY without
// Covers operator §Settings: SECRETS_KEY
func TestNothingIsSealedUnderAForeignKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.Merchant()
	var operator map[string]any
	code, _, stderr := s.Run.Typed(t, "correct horse\n", "admin", "operator", "create", "ann", "--data-dir", s.Dir)
	require.Equal(t, command.ExitOK, code, stderr)
	making := [][]string{{"admin", "merchant", "create", "--name", "Other"}, {"admin", "key", "create", "--merchant", id},
		{"admin", "merchant", "rotate-webhook-secret", id}, {"admin", "operator", "totp", "ann"}}
	s.under(keyOf(9))
	for _, args := range making {
		s.Refused(command.ExitFailed, "SECRETS_KEY: the database has secrets that are sealed under another key", args...)
	}
	s.Do(&operator, "admin", "merchant", "show", id)
	s.under(keyOf(9), commandtest.SecretsKey)
	for _, args := range making {
		s.Do(&operator, args...)
	}
	s.under(commandtest.SecretsKey) // the former key alone does not know the newer secrets
	for _, args := range making {
		s.Refused(command.ExitFailed, "SECRETS_KEY", args...)
	}
}

// Between two steps of a rotation some processes have one SECRETS_KEY and some the next: the secrets of either, both can use.
func TestTheStepsOfARotation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.Merchant()
	production, err := os.ReadFile("../../../docs/production.md")
	require.NoError(t, err)
	_, runbook, found := strings.Cut(string(production), "\n**A new SECRETS_KEY**")
	require.True(t, found)
	runbook, _, _ = strings.Cut(runbook, "\n**")
	steps := regexp.MustCompile("`SECRETS_KEY=([a-z,]+)`").FindAllStringSubmatch(runbook, -1)
	require.Len(t, steps, 3)
	before := commandtest.SecretsKey
	for _, step := range steps {
		after := strings.NewReplacer("old", commandtest.SecretsKey, "new", keyOf(8)).Replace(step[1])
		var made map[string]any
		if step[1] == "new" {
			s.Do(&made, "admin", "secrets", "reseal")
		}
		for range 2 {
			for _, key := range []string{after, before} {
				s.under(key)
				s.Do(&made, "admin", "key", "create", "--merchant", id, "--sign")
			}
		}
		s.under(after)
		s.Do(&made, "admin", "secrets", "reseal")
		before = after
	}
}

// The runbook's statement lists the API keys of the former SECRETS_KEY still in use: those made before the new one.
func TestKeysOfTheFormerSecretsKeyAreListed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	production, err := os.ReadFile("../../../docs/production.md")
	require.NoError(t, err)
	_, statement, found := strings.Cut(string(production), `psql "$DATABASE_URL" -c "select id, merchant_id, created_at from keys`)
	require.True(t, found)
	statement, _, _ = strings.Cut(statement, `"`)
	id := s.Merchant()
	var former, newer struct{ ID string }
	s.Do(&former, "admin", "key", "create", "--merchant", id)
	var since string
	require.NoError(t, s.DB.NewRaw("select clock_timestamp()::text").Scan(t.Context(), &since))
	s.under(keyOf(9), commandtest.SecretsKey)
	s.Do(&newer, "admin", "key", "create", "--merchant", id)
	listed := func() (ids []string) {
		at := regexp.MustCompile(`'[0-9].*?'`).ReplaceAllString(statement, "'"+since+"'")
		require.NotEqual(t, statement, at)
		require.NoError(t, s.DB.NewRaw("select id from keys "+at).Scan(t.Context(), &ids))
		return ids
	}
	require.Equal(t, []string{former.ID}, listed())
	s.Do(&former, "admin", "key", "revoke", former.ID)
	require.Empty(t, listed())
}

// A lost key loses the secrets sealed under it and nothing else: the rest is sealed again, and each lost secret can be
// replaced or dropped; then the books are as those of the new key.
//
// Covers operator §Admin: secrets reseal encrypts
// Covers operator §Admin: merchant rotate-webhook-secret answers
func TestALostSecretsKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.Merchant()
	var k struct{ ID string }
	s.Do(&k, "admin", "key", "create", "--merchant", id, "--sign")
	code, _, stderr := s.Run.Typed(t, "correct horse\n", "admin", "operator", "create", "ann", "--data-dir", s.Dir)
	require.Equal(t, command.ExitOK, code, stderr)
	var any map[string]any
	s.Do(&any, "admin", "operator", "totp", "ann")
	s.Do(&any, "admin", "merchant", "rotate-webhook-secret", id)

	s.under(keyOf(9), commandtest.SecretsKey)
	kept := s.Merchant()
	s.under(keyOf(8), keyOf(9))
	code, stdout, stderr := s.Run.Call(t, "admin", "secrets", "reseal", "--data-dir", s.Dir)
	require.Equal(t, command.ExitFailed, code)
	require.Contains(t, stderr, "4 secrets cannot be opened and stay as before")
	var out admin.Resealed
	require.NoError(t, json.Unmarshal([]byte(stdout), &out))
	require.Equal(t, [2]int{5, 1}, [2]int{out.Sealed, out.Resealed})
	lost := []string{}
	for _, u := range out.Unopened {
		lost = append(lost, u.Table+" "+u.Row+" "+u.Column)
		require.Equal(t, vault.ErrUnknownKey.Error(), u.Error)
	}
	var ann string
	require.NoError(t, s.DB.NewRaw("select id::text from operators").Scan(t.Context(), &ann))
	require.ElementsMatch(t, []string{"merchants " + id + " webhook_secret", "merchants " + id + " webhook_secret_old",
		"keys " + k.ID + " signing_secret", "operators " + ann + " totp_offered"}, lost)

	s.Refused(command.ExitFailed, "SECRETS_KEY", "admin", "merchant", "rotate-webhook-secret", id)
	var fresh struct {
		WebhookSecret string   `json:"webhook_secret"`
		Rotating      bool     `json:"webhook_secret_rotating"`
		Dropped       []string `json:"webhook_secrets_dropped"`
	}
	s.Do(&fresh, "admin", "merchant", "rotate-webhook-secret", id, "--lost")
	require.NotEmpty(t, fresh.WebhookSecret)
	require.False(t, fresh.Rotating)
	require.Equal(t, []string{"webhook_secret", "webhook_secret_old"}, fresh.Dropped)
	s.Do(&any, "admin", "key", "drop-secret", k.ID)
	s.Do(&any, "admin", "operator", "totp", "ann", "--drop")
	s.under(keyOf(8))
	s.Do(&out, "admin", "secrets", "reseal")
	require.Equal(t, admin.Resealed{Sealed: 2, Unopened: []admin.Unopened{}}, out)
	s.Do(&any, "admin", "key", "create", "--merchant", kept)
	require.Equal(t, "secrets.reseal", s.Audited()[len(s.Audited())-2])
}

// An altered secret is replaced without --lost: no key is lost.
func TestAnAlteredWebhookSecretIsDropped(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.Merchant()
	s.Exec("update merchants set webhook_secret = set_byte(webhook_secret, 20, (get_byte(webhook_secret, 20) + 1) % 256)")
	var fresh struct {
		Rotating bool     `json:"webhook_secret_rotating"`
		Dropped  []string `json:"webhook_secrets_dropped"`
	}
	s.Do(&fresh, "admin", "merchant", "rotate-webhook-secret", id)
	require.False(t, fresh.Rotating)
	require.Equal(t, []string{"webhook_secret"}, fresh.Dropped)
	var again map[string]any
	s.Do(&again, "admin", "merchant", "rotate-webhook-secret", id)
	require.Equal(t, true, again["webhook_secret_rotating"])
	require.NotContains(t, again, "webhook_secrets_dropped")
}

// A rotation is in the audit without the secrets, since these are sealed at their own places, and is not begun or ended twice.
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
	require.NoError(t, s.DB.NewRaw("select action || coalesce(before::text, '') || coalesce(after::text, '') from audit order by id").
		Scan(t.Context(), &audited))
	require.Len(t, audited, 3)
	require.Contains(t, audited[1], "merchant.rotate-webhook-secret")
	require.Contains(t, audited[2], "merchant.finish-webhook-secret")
	for _, row := range audited {
		require.NotContains(t, row, "whsec_")
	}
}
