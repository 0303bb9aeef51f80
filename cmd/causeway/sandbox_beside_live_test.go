package main

import (
	"context"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/client"
	"causeway/internal/cli/command"
	"causeway/internal/cli/servicecmd"
	"causeway/internal/dev/anvil"
	"causeway/internal/proof/contract"
	"causeway/internal/store"
)

// TestASandboxBesideLiveNetworks is the main job twice in one installation: with a live key on a real Ethereum node, and
// with a sandbox key beside it. Neither knows anything of the other, and whatever becomes of the sandbox, live books go on.
func TestASandboxBesideLiveNetworks(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"addendum §14: Where the operator runs a sandbox", "addendum §14: The two share nothing", "addendum §14: A key of one is api_key_invalid",
		"addendum §14: {base_url}/sandbox/pay", "addendum §14: While the sandbox is away", "addendum §14: Webhooks of both",
		"operator §A sandbox beside live networks: One installation", "operator §A sandbox beside live networks: Nothing of one set",
		"operator §A sandbox beside live networks: Keys made in the sandbox", "operator §A sandbox beside live networks: All networks of the sandbox",
		"operator §Live books: In live books", "operator §A sandbox beside live networks: The first start claims",
		"operator §A sandbox beside live networks: causeway --sandbox before", "operator §A sandbox beside live networks: causeway migrate up and",
		"operator §A sandbox beside live networks: SANDBOX_OPERATOR_ADDR",
		"operator §A sandbox beside live networks: A sandbox that cannot be opened",
		"operator §A sandbox beside live networks: SIGTERM ends both", "operator §Payers' page: On a simulated network",
		"operator §Settings: SANDBOX_DATABASE_URL", "operator §Settings: SANDBOX_REDIS_URL", "operator §Settings: SANDBOX_OPERATOR_ADDR",
		"operator §Settings: SANDBOX_SECRETS_KEY")
	w := newTwins(t)
	w.migrates()
	w.start()
	w.awaits(w.url+"/readyz", "", http.StatusOK, `"sandbox":"ok"`)
	w.eventually("the node is followed", func(ctx context.Context) bool {
		var followed bool
		must(t, w.live.db.NewRaw("select exists (select from chain_blocks)").Scan(ctx, &followed))
		return followed
	})
	w.live.opens("cw_live_")
	w.sandbox.opens("cw_test_")

	liveIn, testIn, liveOut, testOut := w.payInAndOut()
	w.apart(liveIn, testIn, liveOut, testOut)
	w.saysWhichItIs()
	w.offersOnlyRealNetworks()
	w.runsJobsInBoth()
	w.outlivesTheSandbox()
	w.outlivesKills()
	w.live.addsUp()
	w.sandbox.addsUp()
	require.Zero(t, w.live.receiver.forged+w.sandbox.receiver.forged)
	w.stop()
}

// migrates makes both schemas by one command.
func (w *twins) migrates() {
	w.Helper()
	code, stdout, stderr := w.run("migrate", "up")
	require.Equal(w, command.ExitOK, code, stderr)
	var steps []servicecmd.MigratedStep
	require.NoError(w, json.Unmarshal([]byte(stdout), &steps))
	count := map[store.BooksKind]int{}
	for _, step := range steps {
		require.NotNil(w, step.At, step.Name)
		count[step.Books]++
	}
	require.Equal(w, count[store.LiveBooks], count[store.SandboxBooks])
	require.Len(w, count, 2)
}

// payInAndOut takes money and pays a part of it out in both: on a real chain, and from the sandbox's page.
func (w *twins) payInAndOut() (liveIn, testIn, liveOut, testOut string) {
	w.Helper()
	real, simulated := w.live.asks("Ethereum", "25"), w.sandbox.asks("Tron", "30")
	liveIn, testIn = real.InternalReference, simulated.InternalReference
	require.Equal(w, w.url+"/pay/"+liveIn, real.CheckoutURL)
	require.Equal(w, w.url+"/sandbox/pay/"+testIn, simulated.CheckoutURL)
	w.node.usdt.Transfer(w.T, anvil.Rich, common.HexToAddress(real.Wallet), big.NewInt(25_000_000))
	response, err := w.http.PostForm(simulated.CheckoutURL, url.Values{"amount": {"30"}}) //nolint:noctx // the client has a time limit
	require.NoError(w, err)
	require.NoError(w, response.Body.Close())
	require.Equal(w, http.StatusOK, response.StatusCode)
	require.Equal(w, simulated.CheckoutURL, strings.TrimSuffix(response.Request.URL.String(), "?lang=en"))
	w.live.has("25.00000000")
	w.sandbox.has("30.00000000")

	liveOut, testOut = w.live.pays("Ethereum", "10", common.BytesToAddress([]byte{1, 2, 3}).Hex()), w.sandbox.pays("Tron", "5",
		addresses.Encode("Tron", [32]byte{1}))
	w.live.paid(liveOut)
	w.sandbox.paid(testOut)
	w.live.has("13.00000000") // the network fee of Ethereum is 2, of Tron 1
	w.sandbox.has("24.00000000")
	for b, references := range map[*books][]string{w.live: {liveIn, liveOut}, w.sandbox: {testIn, testOut}} {
		w.eventually("the webhooks arrive", func(context.Context) bool {
			return b.receiver.deliveries(references[0], "payment_confirmed") == 1 && b.receiver.deliveries(references[1], "payment_processed") == 1
		})
	}
	return liveIn, testIn, liveOut, testOut
}

// apart shows nothing of one in the other, and neither takes the other's key.
func (w *twins) apart(liveIn, testIn, liveOut, testOut string) {
	w.Helper()
	for _, words := range [][]string{{w.live.merchant, w.sandbox.merchant}, {liveIn, testIn}, {liveOut, testOut}} {
		require.Positive(w, w.live.knows(words[0]))
		require.Positive(w, w.sandbox.knows(words[1]))
		require.Zero(w, w.sandbox.knows(words[0]), "the sandbox knows something live")
		require.Zero(w, w.live.knows(words[1]), "live books know something of the sandbox")
	}
	require.Positive(w, w.sandbox.knows("outside:Tron"))
	require.Zero(w, w.live.knows("outside:Tron"), "live books have an account of a simulated network")
	require.Equal(w, []store.BooksKind{store.LiveBooks, store.SandboxBooks}, []store.BooksKind{w.live.kind(), w.sandbox.kind()})

	_, err := w.sandbox.client.CheckPayin(w.Context(), liveIn)
	require.True(w, client.Is(err, "record_not_found"), err)
	_, err = w.live.client.CheckPayout(w.Context(), testOut)
	require.True(w, client.Is(err, "record_not_found"), err)
	for _, key := range []string{"cw_test_" + w.live.key[8:], "cw_live_" + w.sandbox.key[8:]} {
		status, body := w.ask(w.url+"/v1/balances", key)
		require.Equal(w, http.StatusUnauthorized, status)
		require.Contains(w, body, "api_key_invalid")
	}
	for path, status := range map[string]int{"/pay/" + liveIn: 200, "/sandbox/pay/" + testIn: 200, "/pay/" + testIn: 404,
		"/sandbox/pay/" + liveIn: 404} {
		got, _ := w.ask(w.url+path, "")
		require.Equal(w, status, got, path)
	}
	for name, environ := range map[string]string{"live books": "SANDBOX_DATABASE_URL=" + w.setting("DATABASE_URL"),
		"a sandbox": "DATABASE_URL=" + w.setting("SANDBOX_DATABASE_URL")} {
		p, _, stderr := programIn(w.TempDir(), append(w.environ, environ)...)
		args := []string{"admin", "audit", "list"}
		if name == "live books" {
			args = append([]string{"--sandbox"}, args...)
		}
		require.Equal(w, command.ExitFailed, p.run(w.Context(), args))
		require.Contains(w, stderr.String(), name)
	}
}

func (w *twins) setting(name string) string {
	for _, line := range w.environ {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return value
		}
	}
	return ""
}

// saysWhichItIs looks at both consoles: the sandbox's says so, and the live one does not.
func (w *twins) saysWhichItIs() {
	w.Helper()
	_, live := w.ask("http://"+w.doors[0]+"/console/login", "")
	_, sandbox := w.ask("http://"+w.doors[1]+"/console/login", "")
	require.Contains(w, live, "There is no operator yet")
	require.NotContains(w, live, "Sandbox")
	require.Contains(w, sandbox, "<b>Sandbox.</b>")
	require.Contains(w, sandbox, "causeway --sandbox admin operator create")
	jar, err := cookiejar.New(nil)
	require.NoError(w, err)
	browser := &http.Client{Jar: jar, Timeout: w.http.Timeout}
	w.Cleanup(browser.CloseIdleConnections)
	for _, b := range []*books{w.live, w.sandbox} {
		b.operator("desk-of-" + b.name)
	}
	says := func(door int, name string) string {
		response, err := browser.PostForm("http://"+w.doors[door]+"/console/login",
			url.Values{"name": {name}, "password": {deskPassword}}) //nolint:noctx // the client has a time limit
		require.NoError(w, err)
		defer func() { _ = response.Body.Close() }()
		page, err := io.ReadAll(response.Body)
		require.NoError(w, err)
		return string(page)
	}
	require.NotContains(w, says(1, "desk-of-"+w.live.name), "Log out", "an operator of the live books is in the sandbox's console")
	require.Contains(w, says(1, "desk-of-"+w.sandbox.name), "<b>Sandbox.</b>")
	require.Contains(w, says(0, "desk-of-"+w.live.name), "Log out")
	response, err := browser.Get("http://" + w.doors[1] + "/console/") //nolint:noctx // the client has a time limit
	require.NoError(w, err)
	require.NoError(w, response.Body.Close())
	require.NotContains(w, response.Request.URL.Path, "login", "logging in to one console ends the login to the other")
	_, metrics := w.ask("http://"+w.doors[1]+"/metrics", "")
	require.Contains(w, metrics, `network="Tron"`)
}

// offersOnlyRealNetworks asks the live books for a network with nothing real behind it.
func (w *twins) offersOnlyRealNetworks() {
	w.Helper()
	_, err := w.live.client.CreatePayin(w.Context(), client.Payin{ReferenceID: "simulated", Network: "Tron", CryptoCurrency: "USDT",
		ProcessBy: client.ByCrypto, CryptoAmount: "25", WebhookURL: w.live.receiver.url})
	require.True(w, client.Is(err, "invalid_network_or_deposits_disabled"), err)
	tokens, err := w.live.client.GetTokens(w.Context())
	require.NoError(w, err)
	for _, token := range tokens {
		require.Equal(w, "Ethereum", token.Network)
	}
	code, _, stderr := w.run("sandbox", "pay", "--network", "Tron", "--token", "USDT", "--to", addresses.Encode("Tron", [32]byte{1}), "--amount", "1")
	require.Equal(w, command.ExitFailed, code)
	require.Contains(w, stderr, "these are live books")
	var shown struct{ Height int64 }
	w.sandbox.do(&shown, "sandbox", "show", "--network", "Ethereum")
	require.Positive(w, shown.Height)
}

func (w *twins) runsJobsInBoth() {
	w.Helper()
	var ran servicecmd.RanJob
	w.live.do(&ran, "run", "cleanup")
	require.True(w, ran.Done && ran.Sandbox != nil && ran.Sandbox.Done)
}

// outlivesTheSandbox takes the sandbox's database away while everything runs.
func (w *twins) outlivesTheSandbox() {
	w.Helper()
	w.away(true)
	w.awaits(w.url+"/v1/balances", w.sandbox.key, http.StatusServiceUnavailable, "service_unavailable")
	w.awaits(w.url+"/readyz", "", http.StatusOK, `"sandbox":"failing"`)
	w.awaits(w.url+"/healthz", "", http.StatusOK, `"sandbox":"away"`)
	w.live.paid(w.live.pays("Ethereum", "2", common.BytesToAddress([]byte{1, 2, 4}).Hex()))
	w.live.has("9.00000000")
	w.away(false)
	w.awaits(w.url+"/v1/balances", w.sandbox.key, http.StatusOK, "24.00000000")
}

// outlivesKills kills every process with a payout of both under way. The sandbox's database is away when they start again,
// and comes later.
func (w *twins) outlivesKills() {
	w.Helper()
	liveOut, testOut := w.live.pays("Ethereum", "3", common.BytesToAddress([]byte{1, 2, 5}).Hex()), w.sandbox.pays("Tron", "7",
		addresses.Encode("Tron", [32]byte{2}))
	w.kill()
	w.away(true)
	w.start()
	w.awaits(w.url+"/v1/balances", w.sandbox.key, http.StatusServiceUnavailable, "service_unavailable")
	w.live.paid(liveOut)
	w.away(false)
	w.sandbox.paid(testOut)
	w.live.has("4.00000000")
	w.sandbox.has("16.00000000")
}
