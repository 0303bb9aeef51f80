package admincmd

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"causeway/chains"
	"causeway/chains/evm"
	"causeway/internal/cli/command"
	"causeway/internal/cli/commandtest"
	"causeway/internal/cli/settings"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// site is an installation for admin commands.
type site struct{ *commandtest.Site }

func newSite(t *testing.T) *site {
	t.Helper()
	return &site{commandtest.New(t, commandtest.Runner(adminOnly))}
}

var drivers = []chains.Driver{evm.Driver}

// adminOnly is a program with the admin commands alone; it opens no network.
func adminOnly(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	l := command.New(nil, stdout, stderr)
	l.Stdin, l.Drivers = stdin, drivers
	return l.Run(ctx, l.Tree("", Command(l, nil)), args)
}

// Covers operator §operator: the contract with whoever runs the service: Admin and sandbox commands print
// Covers operator §Admin: causeway admin merchant update
// Covers operator §Admin: [--minimum-payment
// Covers operator §Admin: causeway admin merchant show
// Covers operator §Admin: merchant create answers
// Covers operator §Admin: Every change is written
func TestMerchantCommands(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var made map[string]any
	s.Do(&made, "admin", "merchant", "create", "--name", " Shop ", "--email", "a@b.test", "--preferred-fiat", "brl", "--verified=false")
	if made["name"] != "Shop" || made["verified"] != false || made["preferred_fiat"] != "BRL" || made["minimum_payment"] != nil ||
		made["late_grace"] != "24h0m0s" || made["late_bound"] != "5" {
		t.Errorf("made %v", made)
	}
	id, secret := made["id"].(string), made["webhook_secret"].(string)
	s.opens(secret, "merchants", id, "webhook_secret")

	var now map[string]any
	s.Do(&now, "admin", "merchant", "update", id, "--suspended=true", "--api-access=false", "--verified", "--minimum-payment", "95.5",
		"--inactivity-days", "7", "--revoke-notice-days", "0", "--preferred-fiat", "", "--late-grace", "48h", "--late-bound", "2.5")
	for name, want := range map[string]any{"suspended": true, "api_access": false, "verified": true, "minimum_payment": "95.5",
		"inactivity_days": 7.0, "revoke_notice_days": 0.0, "late_grace": "48h0m0s", "late_bound": "2.5", "preferred_fiat": "", "email": "a@b.test"} {
		if now[name] != want {
			t.Errorf("%s is %v, not %v", name, now[name], want)
		}
	}
	audit := s.LastAudit()
	if audit.Subject != "merchant:"+id || audit.Actor == "" || !strings.Contains(string(audit.Before), `"suspended": false`) ||
		!strings.Contains(string(audit.After), `"suspended": true`) {
		t.Errorf("audit %+v %s %s", audit, audit.Before, audit.After)
	}
	s.Do(&now, "admin", "merchant", "update", id, "--minimum-payment", "")
	if now["minimum_payment"] != nil {
		t.Errorf("minimum payment %v", now["minimum_payment"])
	}

	s.Exec("insert into balances (merchant_id, asset, available, locked) values (?, 'USDT', 2, 1)", id)
	s.Do(&now, "admin", "merchant", "show", id)
	if now["webhook_secret"] != nil || len(now["keys"].([]any)) != 0 || now["balances"].(map[string]any)["USDT"].(map[string]any)["total"] != "3" {
		t.Errorf("shown %v", now)
	}
	if want := []string{"merchant.create", "merchant.update", "merchant.update"}; !slices.Equal(s.Audited(), want) {
		t.Errorf("audited %v", s.Audited())
	}
	s.holdsNoSecret(secret)
}

// opens checks that a sealed column opens, at its place, to the value shown.
func (s *site) opens(shown, table, row, column string) {
	s.Helper()
	var sealed []byte
	require.NoError(s.T, s.DB.NewRaw("select ? from ? where id = ?", bun.Ident(column), bun.Ident(table), row).Scan(s.Context(), &sealed))
	var key settings.SecretsKey
	require.NoError(s.T, key.UnmarshalText([]byte(commandtest.SecretsKey)))
	plain, err := key.Vault().Open(sealed, vault.Where(table, row, column))
	if err != nil || string(plain) != shown {
		s.Errorf("%s of %s opens to %q: %v", column, row, plain, err)
	}
}

// holdsNoSecret looks for secrets in the audit table.
func (s *site) holdsNoSecret(secrets ...string) {
	s.Helper()
	var all string
	require.NoError(s.T, s.DB.NewRaw("select string_agg(a::text, ' ') from audit a").Scan(s.Context(), &all))
	for _, secret := range secrets {
		if strings.Contains(all, secret) {
			s.Errorf("the audit table holds %q", secret)
		}
	}
}

// Unreadable limits of fixed wallets are an error, and not a merchant without limits.
func TestUnreadableLimitsOfFixedWalletsAreAnError(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.Merchant()
	s.Exec(`update merchants set wallets_mode = 'per_type', wallets_limits = '["evm"]' where id = ?`, id)
	s.Refused(command.ExitFailed, "limits of fixed wallets of merchant "+id, "admin", "merchant", "show", id)
}

func TestMerchantRefusals(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id, nobody := s.Merchant(), uuid.NewString()
	s.Refused(command.ExitUsage, "name", "admin", "merchant", "create")
	s.Refused(command.ExitUsage, "verified", "admin", "merchant", "create", "--name", "x", "--verified=perhaps")
	s.Refused(command.ExitUsage, "ID is missing", "admin", "merchant", "show")
	s.Refused(command.ExitUsage, "nothing to change", "admin", "merchant", "update", id)
	s.Refused(command.ExitUsage, "unknown command", "admin", "merchant", "delete", id)
	s.Refused(command.ExitUsage, "name", "admin", "merchant", "create", "--name", "  ")
	s.Refused(command.ExitUsage, "e-mail", "admin", "merchant", "create", "--name", "x", "--email", "nonsense")
	s.Refused(command.ExitFailed, "XXX", "admin", "merchant", "create", "--name", "x", "--preferred-fiat", "xxx")
	s.Refused(command.ExitFailed, "no merchant nonsense", "admin", "merchant", "show", "nonsense")
	s.Refused(command.ExitFailed, "no merchant "+nobody, "admin", "merchant", "show", nobody)
	s.Refused(command.ExitFailed, "no merchant "+nobody, "admin", "merchant", "update", nobody, "--suspended")
	for least, code := range map[string]int{"0": command.ExitFailed, "100.1": command.ExitFailed, "12.34567": command.ExitFailed,
		"-1": command.ExitUsage, "1e1": command.ExitUsage, "+5": command.ExitUsage, "NaN": command.ExitUsage} {
		s.Refused(code, "minimum payment", "admin", "merchant", "update", id, "--minimum-payment="+least)
	}
	s.Refused(command.ExitUsage, "days", "admin", "merchant", "update", id, "--inactivity-days=-1")
	s.Refused(command.ExitUsage, "days", "admin", "merchant", "update", id, "--revoke-notice-days", "36501")
}

// Covers operator §Admin: causeway admin key create
// Covers operator §Admin: [--sign]
// Covers operator §Admin: causeway admin key revoke
// Covers operator §Admin: causeway admin key drop-secret
// Covers operator §Admin: key drop-secret leaves
// Covers operator §Admin: merchant create answers
func TestKeyCommands(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	merchant := s.Merchant()
	var key map[string]any
	s.Do(&key, "admin", "key", "create", "--merchant", merchant, "--scopes", "payout:write, payin:read", "--ips", "10.1.2.3/8,::1", "--sign",
		"--daily-limit-usd", "1000.5", "--rate-limit", "100/60", "--expires", "2127-01-01T00:00:00Z")
	id, secret := key["id"].(string), key["api_key"].(string)
	s.opens(key["signing_secret"].(string), "keys", id, "signing_secret")
	c := callerOf(t, s, id)
	var keys settings.SecretsKey
	require.NoError(t, keys.UnmarshalText([]byte(commandtest.SecretsKey)))
	if found, ok := keys.Vault().ParseAPIKey(secret); !ok || found != id {
		t.Errorf("key %q of id %q", secret, id)
	}
	if k := c.Key; !keys.Vault().Equal(secret, k.Hash) || !slices.Equal(k.Scopes, []string{"payout:write", "payin:read"}) ||
		!slices.Equal(k.IPs, []string{"10.0.0.0/8", "::1/128"}) || !k.Signs || k.DailyLimitUSD.Decimal.String() != "1000.5" ||
		*k.RateLimit != 100 || *k.RateWindow != 60 || k.ExpiresAt.Year() != 2127 {
		t.Errorf("stored %+v", k)
	}
	s.holdsNoSecret(secret, key["signing_secret"].(string))

	s.Do(&key, "admin", "key", "drop-secret", id)
	if key["signs"] != true || key["signing_secret_usable"] != false {
		t.Errorf("without secret: %v", key)
	}
	s.Do(&key, "admin", "key", "revoke", id)
	when := key["revoked_at"]
	s.Do(&key, "admin", "key", "revoke", id)
	if when == nil || key["revoked_at"] != when {
		t.Errorf("revoked at %v, then %v", when, key["revoked_at"])
	}
	if want := []string{"merchant.create", "key.create", "key.drop-secret", "key.revoke", "key.revoke"}; !slices.Equal(s.Audited(), want) {
		t.Errorf("audited %v", s.Audited())
	}
}

// callerOf returns the caller behind a key id.
func callerOf(t *testing.T, s *site, keyID string) *store.Caller {
	t.Helper()
	found, err := store.New(s.DB).Callers(t.Context(), []store.Ask{{KeyID: keyID}})
	require.NoError(t, err)
	require.NotNil(t, found[0])
	return found[0]
}

// Covers operator §Admin: causeway admin key create
// Covers operator §Admin: key create without --scopes
func TestScopesOfKeys(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	merchant := s.Merchant()
	for _, c := range []struct {
		flag string
		want []string
	}{{"--sign=false", pay.Scopes}, {"--legacy", pay.LegacyScopes}, {"--scopes=prices:read,prices:read", []string{"prices:read"}}} {
		var key struct {
			ID     string
			Secret *string `json:"signing_secret"`
		}
		s.Do(&key, "admin", "key", "create", "--merchant", merchant, c.flag)
		found := callerOf(t, s, key.ID)
		if !slices.Equal(found.Key.Granted(), c.want) || found.Key.IPs != nil || key.Secret != nil {
			t.Errorf("%s: %+v", c.flag, found.Key)
		}
	}
}

func TestKeyRefusals(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	create := []string{"admin", "key", "create", "--merchant", s.Merchant()}
	for flag, says := range map[string]string{
		"--ips=::ffff:1.2.3.4": "IPv4", "--daily-limit-usd=0.123456789": "decimals",
		"--expires=2020-01-01T00:00:00Z": "in the past",
	} {
		s.Refused(command.ExitFailed, says, append(create, flag)...)
	}
	for flag, says := range map[string]string{
		"--scopes=payout:steal": "payout:steal", "--ips=10.0.0.0/33": "10.0.0.0/33", "--ips=home": "home",
		"--daily-limit-usd=1e3": "daily limit", "--daily-limit-usd=-1": "daily limit",
		"--expires=tomorrow": "tomorrow", "--rate-limit=100": "100", "--rate-limit=0/60": "0/60", "--sign=maybe": "maybe",
		"--rate-limit=1/1/1": "1/1/1",
	} {
		s.Refused(command.ExitUsage, says, append(create, flag)...)
	}
	s.Refused(command.ExitUsage, "legacy", append(create, "--legacy", "--scopes=payin:read")...)
	s.Refused(command.ExitUsage, "merchant", "admin", "key", "create")
	s.Refused(command.ExitFailed, "no merchant", "admin", "key", "create", "--merchant", uuid.NewString())
	s.Refused(command.ExitFailed, "no key", "admin", "key", "revoke", "nonsense")
	var key struct{ ID string }
	s.Do(&key, create...)
	s.Refused(command.ExitFailed, "no signature", "admin", "key", "drop-secret", key.ID)
}

// Covers operator §Admin: causeway admin seed create
// Covers operator §Admin: causeway admin seed restore
// Covers operator §Admin: seed create writes
func TestSeedCreate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, phrase := filepath.Join(dir, "seed.json"), filepath.Join(dir, "phrase")
	require.NoError(t, os.WriteFile(phrase, []byte("a long enough passphrase\n"), 0o600))
	code, stdout, stderr := commandtest.Runner(adminOnly).Call(t, "admin", "seed", "create", "--out", out, "--passphrase-file", phrase)
	var made CreatedSeed
	require.NoError(t, json.Unmarshal([]byte(stdout), &made))
	if code != command.ExitOK || made.SeedFile != out || !strings.HasPrefix(made.XPubs[pay.EVM], "xpub") || strings.Contains(stdout, "passphrase") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	words := strings.TrimSpace(strings.Split(stderr, "\n\n")[1])
	if n := len(strings.Fields(words)); n != 24 {
		t.Errorf("%d words", n)
	}
	restoresSeed(t, words, phrase, made.XPubs)
	for _, bad := range [][]string{{"--out", out, "--passphrase-file", phrase},
		{"--out", filepath.Join(dir, "other"), "--passphrase-file", "/dev/null"}, {"--out", out, "--passphrase-file", dir + "/absent"}} {
		if code, stdout, _ := commandtest.Runner(adminOnly).
			Call(t, append([]string{"admin", "seed", "create"}, bad...)...); code != command.ExitFailed || stdout != "" {
			t.Errorf("%v: exit code %d, %q", bad, code, stdout)
		}
	}
}

// restoresSeed writes the words into another file; the same keys must come from it.
func restoresSeed(t *testing.T, words, phrase string, xpubs map[pay.Family]string) {
	t.Helper()
	dir := t.TempDir()
	written := filepath.Join(dir, "words")
	require.NoError(t, os.WriteFile(written, []byte(strings.ReplaceAll(words, " ", "\n")+"\n"), 0o600))
	restore := []string{"admin", "seed", "restore", "--passphrase-file", phrase, "--out", filepath.Join(dir, "again.json"), "--words-file"}
	code, stdout, stderr := commandtest.Runner(adminOnly).Call(t, append(restore, written)...)
	var again CreatedSeed
	require.NoError(t, json.Unmarshal([]byte(stdout), &again))
	if code != command.ExitOK || stderr != "" || again.XPubs[pay.EVM] != xpubs[pay.EVM] {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	if code, stdout, _ := commandtest.Runner(adminOnly).Call(t, append(restore, phrase)...); code != command.ExitFailed || stdout != "" {
		t.Errorf("other words: exit code %d, %q", code, stdout)
	}
}

func TestUnmigratedDatabaseIsNamed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.Exec("drop table bun_migrations")
	code, _, stderr := commandtest.Runner(adminOnly).Call(t, "admin", "token", "list", "--data-dir", s.Dir)
	if code != command.ExitFailed || !strings.Contains(stderr, "migrate up") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

// An unreadable value is bad usage; a readable one, refused later, is not.
//
// Covers operator §operator: the contract with whoever runs the service: They exit 0
func TestAValueThatCannotBeReadIsBadUsage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	m := s.Merchant()
	create := func(flag, value string) []string {
		return []string{"admin", "key", "create", "--merchant", m, flag, value}
	}
	for _, args := range [][]string{
		create("--daily-limit-usd", "much"), create("--ips", "home"), create("--scopes", "everything"), create("--rate-limit",
			"often"), create("--expires", "soon"),
		{"admin", "merchant", "update", m, "--minimum-payment", "most"}, {"admin", "merchant", "update", m, "--inactivity-days", "few"},
		{"admin", "merchant", "update", m, "--suspended=perhaps"}, {"admin", "rates", "set", "--merchant", m, "payment_rate=low"},
		{"admin", "rates", "set", "--merchant", m, "payment=1"}, {"admin", "token", "set", "USDT", "Tron", "deposits=perhaps"},
		{"admin", "fixed-wallets", "set", "--merchant", m, "--mode", "some"},
		{"admin", "fixed-wallets", "set", "--merchant", m, "--mode", "per_type", "evm=few"},
		{"admin", "webhook", "list", "--status", "lost"}, {"admin", "webhook", "list", "--limit", "0"},
		{"admin", "price", "set", "BTC", "USD", "high"},
		{"admin", "merchant", "update", m, "--inactivity-days", "-1"}, {"admin", "merchant", "update", m, "--revoke-notice-days", "36501"},
		{"admin", "fixed-wallets", "set", "--merchant", m, "--mode", "global", "--limit", "-1"},
		{"admin", "fixed-wallets", "set", "--merchant", m, "--mode", "per_type"},
		{"admin", "audit", "list", "--limit", "-1"}, {"admin", "audit", "list", "--limit", "0"}, {"admin", "audit", "list", "--below", "-1"},
		{"admin", "network", "resume", "Tron", "--from", "-1"}, {"admin", "wallet", "resume", "Tron", "--unexplained", "-1"},
	} {
		s.Refused(command.ExitUsage, "", args...)
	}
	s.Refused(command.ExitFailed, "100 percent", "admin", "rates", "set", "--merchant", m, "payment_rate=101")
	s.Refused(command.ExitFailed, "is in the past", create("--expires", "2020-01-01T00:00:00Z")...)
}
