package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/chains/addresses"
	"causeway/chains/evm"
	"causeway/chains/seed"
	"causeway/client"
	"causeway/internal/cli/command"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/anvil"
	"causeway/internal/dev/testkit"
	"causeway/internal/pg"
	"causeway/internal/vault"
)

// TestSecretsStayWhereTheyBelong runs the main flows with every kind of secret in use, and then looks for each of them, in
// every spelling, in the log at its most talkative, error answers, Redis, the operator port and the text of all tables.
func TestSecretsStayWhereTheyBelong(t *testing.T) {
	t.Parallel()
	e := newRealEthereum(t, "LOG_LEVEL=debug", "AUTH_FAILURES=100000/300/900")
	d := e.file()
	canaries := e.canaries(d)
	answers := e.badRequests(d)
	e.payinAndPayout("USDT", "25", "10.5", func(to common.Address) { e.usdt.Transfer(t, anvil.Rich, to, big.NewInt(25_000_000)) })
	e.signedPayout()
	canaries["a key made by hand"], canaries["its signing secret"] = e.newKey(d)

	places := map[string]string{"error answers": answers, "the operator port": e.operatorPages(), "Redis": e.redisText(d),
		"the database": e.databaseText(d)}
	var config bytes.Buffer
	require.Equal(t, command.ExitOK, newProgram(append(e.settings, "SECRETS_KEY="+d.SecretsKey), &config, io.Discard).
		run(t.Context(), []string{"config", "--data-dir", e.dir}))
	places["causeway config"] = config.String()
	places["the command line"] = e.commandLine()
	said := e.said
	e.kill()
	places["the log"] = said.String()
	e.start()
	e.awaitReady()
	for place, text := range places {
		require.NotEmpty(t, text, place)
		for name, secret := range canaries {
			for _, spelling := range spellings(secret) {
				require.NotContains(t, text, spelling, "%s is in %s", name, place)
			}
		}
	}
	require.Contains(t, places["the log"], `"level":"debug"`)
	require.Contains(t, places["the database"], d.MerchantID) // the search finds values known to be there
	require.Contains(t, places["Redis"], "asynq")
}

// canaries lists the secrets by name: they must be nowhere.
func (e *realEthereum) canaries(d *settings.DevFile) map[string]string {
	e.t.Helper()
	root, err := seed.Open(e.seedFile, e.passphrase)
	require.NoError(e.t, err)
	hot, err := addresses.PrivateFromSeed(root, evm.AccountPath+"/1/0")
	require.NoError(e.t, err)
	key, err := base64.StdEncoding.DecodeString(d.SecretsKey)
	require.NoError(e.t, err)
	require.Len(e.t, e.words, 24)
	unknown := "cw_live_" + strings.Repeat("K4nary", 10) + "x"
	return map[string]string{
		"the API key": d.APIKey, "its secret part": d.APIKey[20:63], "the read-only key": d.ReadOnlyKey, "the signed key": d.SignedKey,
		"a key that is not known": unknown, "the signing secret": d.SigningSecret, "the webhook secret": d.WebhookSecret,
		"the secrets key": string(key),
		"the passphrase":  e.passphrase, "the words": strings.Join(e.words, " "), "three of the words": strings.Join(e.words[7:10], " "),
		"the seed": string(root), "the hot wallet's private key": string(hot),
	}
}

// spellings are the possible written forms of a secret.
func spellings(secret string) []string {
	raw := []byte(secret)
	return []string{secret, hex.EncodeToString(raw), strings.ToUpper(hex.EncodeToString(raw)),
		strings.TrimRight(base64.StdEncoding.EncodeToString(raw), "="), strings.TrimRight(base64.URLEncoding.EncodeToString(raw), "=")}
}

// badRequests makes the front refuse in as many ways as it can, with secrets in the requests, and collects its answers.
func (e *realEthereum) badRequests(d *settings.DevFile) string {
	e.t.Helper()
	var all strings.Builder
	for _, key := range []string{d.APIKey, d.ReadOnlyKey, d.SignedKey, "cw_live_" + strings.Repeat("K4nary", 10) + "x"} {
		for _, c := range []struct{ method, path, body string }{
			{"GET", "/v1/balances", ""}, {"GET", "/v1/nothing", ""}, {"POST", "/v1/payout", "{"},
			{"POST", "/v1/payout", `{"reference_id": 1, "wallet": "x"}`},
			{"POST", "/v1/payin", `{"network": "nowhere"}`}, {"DELETE", "/v1/payout", ""}, {"GET", "/v1/list-payout?page=abc", ""},
		} {
			for _, header := range []string{"X-Service-Invoke", "Authorization", "X-Service-Signature"} {
				request, err := http.NewRequestWithContext(e.t.Context(), c.method, "http://"+e.listen+c.path, strings.NewReader(c.body))
				require.NoError(e.t, err)
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("X-Service-Invoke", key)
				request.Header.Set(header, key)
				fmt.Fprintln(&all, fetched(e.t, request))
			}
		}
	}
	return all.String()
}

// fetched is the whole answer to a request.
func fetched(t *testing.T, request *http.Request) string {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return fmt.Sprint(response.Status, response.Header, string(body))
}

// signedPayout pays out under the key for signed requests, on a sandbox network.
func (i *installation) signedPayout() {
	i.t.Helper()
	d := i.file()
	out, err := i.client(d.SignedKey, d.SigningSecret).CreatePayout(i.t.Context(), uuid.NewString(),
		client.Payout{ReferenceID: uuid.NewString(), Wallet: addresses.Encode("Tron", [32]byte{9}), CryptoCurrency: "USDT",
			Network: "Tron", ProcessBy: client.ByCrypto, CryptoAmount: "2", WebhookURL: i.receiver.url})
	require.NoError(i.t, err)
	i.paidOut(out.InternalReference)
	i.told(out.InternalReference, "payment_processed")
}

// newKey makes an API key for signed requests, as an operator does.
func (i *installation) newKey(d *settings.DevFile) (key, secret string) {
	i.t.Helper()
	out := decoded(i.t, i.command("admin", "key", "create", "--merchant", d.MerchantID, "--sign"))
	shown := i.command("admin", "merchant", "show", d.MerchantID)
	require.NotContains(i.t, shown, out["signing_secret"])
	return text(out, "api_key"), text(out, "signing_secret")
}

// login returns the cookie of the operator made by causeway dev.
func (i *installation) login() *http.Cookie {
	i.t.Helper()
	d := i.file()
	form := url.Values{"name": {d.OperatorName}, "password": {d.OperatorPass}}
	request, err := http.NewRequestWithContext(i.t.Context(), http.MethodPost, "http://"+i.operator+"/console/login",
		strings.NewReader(form.Encode()))
	require.NoError(i.t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(i.t, err)
	require.NoError(i.t, response.Body.Close())
	require.Equal(i.t, http.StatusSeeOther, response.StatusCode)
	require.Len(i.t, response.Cookies(), 1)
	return response.Cookies()[0]
}

// operatorPages is everything shown at the operator port, the dashboard's own questions included.
func (i *installation) operatorPages() string {
	i.t.Helper()
	paths := []string{"/health", "/console/", "/console/merchants", "/console/merchants/" + i.file().MerchantID, "/console/payouts",
		"/console/payins", "/console/webhooks", "/console/audit", "/console/operators",
		"/metrics", "/readyz", "/queues/", "/queues/api/queues", "/queues/api/servers", "/queues/api/redis_info", "/debug/pprof/cmdline"}
	for _, q := range []string{"signing", "chain", "webhooks", "upkeep"} {
		for _, state := range []string{"active", "pending", "scheduled", "retry", "archived", "completed"} {
			paths = append(paths, "/queues/api/queues/"+q+"/"+state+"_tasks")
		}
	}
	var all strings.Builder
	login := i.login()
	for _, path := range paths {
		request, err := http.NewRequestWithContext(i.t.Context(), http.MethodGet, "http://"+i.operator+path, nil)
		require.NoError(i.t, err)
		request.AddCookie(login)
		fmt.Fprintln(&all, path, fetched(i.t, request))
	}
	return all.String()
}

// redisText is every key of Redis with its content.
func (i *installation) redisText(d *settings.DevFile) string {
	i.t.Helper()
	ctx := i.t.Context()
	options, err := redis.ParseURL(d.RedisURL)
	require.NoError(i.t, err)
	r := redis.NewClient(options)
	defer func() { _ = r.Close() }()
	var all strings.Builder
	keys := r.Scan(ctx, 0, "*", 1000).Iterator()
	for keys.Next(ctx) {
		fmt.Fprintln(&all, keys.Val(), valueOf(ctx, r, keys.Val()))
	}
	require.NoError(i.t, keys.Err())
	return all.String()
}

func valueOf(ctx context.Context, r *redis.Client, key string) any {
	switch r.Type(ctx, key).Val() {
	case "string":
		return r.Get(ctx, key).Val()
	case "hash":
		return r.HGetAll(ctx, key).Val()
	case "list":
		return r.LRange(ctx, key, 0, -1).Val()
	case "set":
		return r.SMembers(ctx, key).Val()
	case "zset":
		return r.ZRange(ctx, key, 0, -1).Val()
	default:
		return r.Dump(ctx, key).Val()
	}
}

// databaseText is every row of every table.
func (i *installation) databaseText(d *settings.DevFile) string {
	i.t.Helper()
	ctx := i.t.Context()
	db, err := pg.Open(d.DatabaseURL, 2)
	require.NoError(i.t, err)
	defer func() { _ = db.Close() }()
	var tables []string
	require.NoError(i.t, db.NewRaw("select relname from pg_class where relkind in ('r', 'm', 'p') and relnamespace = 'public'::regnamespace").Scan(ctx, &tables))
	require.Greater(i.t, len(tables), 20)
	var all strings.Builder
	for _, table := range tables {
		var rows []string
		require.NoError(i.t, db.NewRaw("select t::text from ? t", bun.Ident(table)).Scan(ctx, &rows))
		fmt.Fprintln(&all, table, strings.Join(rows, "\n"))
	}
	return all.String()
}

// commandLine is the process's command line, as seen by other users of the machine.
func (i *installation) commandLine() string {
	i.t.Helper()
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", i.process.Process.Pid))
	require.NoError(i.t, err)
	return string(line)
}

// TestSecretsKeyRotates goes through a rotation as an operator does: a new key behind the old one for every process, then in
// front, everything sealed again, the old one gone. Nothing stops working on the way but the API keys made under the old
// key, once it is gone.
//
// Covers operator §Admin: secrets reseal encrypts
// Covers operator §dev: Starting again keeps
func TestSecretsKeyRotates(t *testing.T) {
	t.Parallel()
	i := install(t, quickBlocks)
	d := i.file()
	i.receiver.mu.Lock()
	i.receiver.secret = d.WebhookSecret
	i.receiver.mu.Unlock()
	i.signedPayout()

	newer := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, vault.KeySize))
	i.restartWith("SECRETS_KEY=" + d.SecretsKey + "," + newer)
	i.signedPayout()
	require.Equal(t, "0", text(decoded(t, i.command("admin", "secrets", "reseal")), "resealed"), "nothing is sealed under the new key yet")
	i.restartWith("SECRETS_KEY=" + newer + "," + d.SecretsKey)
	i.signedPayout()
	resealed := decoded(t, i.command("admin", "secrets", "reseal"))
	require.Equal(t, text(resealed, "sealed"), text(resealed, "resealed"))
	require.Equal(t, "0", text(decoded(t, i.command("admin", "secrets", "reseal")), "resealed"))
	i.signedPayout()
	key := text(decoded(t, i.command("admin", "key", "create", "--merchant", d.MerchantID)), "api_key")

	i.restartWith("SECRETS_KEY=" + newer)
	require.True(t, client.Is(i.serves(), "api_key_invalid"))
	i.paysOutWith(key)
	i.receiver.mu.Lock()
	defer i.receiver.mu.Unlock()
	require.Zero(t, i.receiver.forged)
}

// restartWith ends the installation and starts it with another setting.
func (i *installation) restartWith(setting string) {
	i.t.Helper()
	i.stop()
	i.settings = []string{quickBlocks, setting}
	i.start()
	testkit.Eventually(i.t, time.Minute, func() bool {
		err := i.serves()
		return err == nil || client.Is(err, "api_key_invalid")
	}, "causeway dev answers")
}

// paysOutWith pays out under a key and waits for the webhook; it must be signed as ever.
func (i *installation) paysOutWith(key string) {
	i.t.Helper()
	out, err := i.client(key, "").CreatePayout(i.t.Context(), uuid.NewString(),
		client.Payout{ReferenceID: uuid.NewString(), Wallet: addresses.Encode("Tron", [32]byte{9}), CryptoCurrency: "USDT",
			Network: "Tron", ProcessBy: client.ByCrypto, CryptoAmount: "2", WebhookURL: i.receiver.url})
	require.NoError(i.t, err)
	i.told(out.InternalReference, "payment_processed")
}

func decoded(t *testing.T, printed string) map[string]any {
	t.Helper()
	var out map[string]any
	require.NoError(t, json.Unmarshal([]byte(printed), &out))
	return out
}
