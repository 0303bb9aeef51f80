package main

import (
	"context"
	"flag"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/internal/dev/anvil"
	"causeway/internal/dev/testkit"
)

var without = flag.Duration("without-redis", 0, "how long TestRedisIsNeverNeeded goes on paying out before Redis is back; at least one payout")

// TestRedisIsNeverNeeded: while Redis is away, or full, the API answers in time and payouts and webhooks go all their way
// by the standby; when it is back, by Redis again.
func TestRedisIsNeverNeeded(t *testing.T) {
	t.Parallel()
	for name, way := range map[string]struct {
		breaks, mends func(t *testing.T, e *deployment)
	}{
		"away": {
			func(t *testing.T, e *deployment) { must(t, e.redis.Crash()) },
			func(t *testing.T, e *deployment) { must(t, e.redis.Restart(t.Context())) },
		},
		"full": {
			func(t *testing.T, e *deployment) { must(t, e.control.ConfigSet(t.Context(), "maxmemory", "1").Err()) },
			func(t *testing.T, e *deployment) { must(t, e.control.ConfigSet(t.Context(), "maxmemory", "0").Err()) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newDeployment(t)
			e.funded("Tron", "USDT", "10000")
			way.breaks(t, e)
			broke := time.Now()
			paid := e.paysOutUntil(broke.Add(*without))
			e.funded("Tron", "USDT", "7") // the API also makes payins, and they are credited

			way.mends(t, e)
			paid += e.paysOutUntil(time.Now())
			e.addsUpTo("USDT", fmt.Sprint(10007-paid*6)) // each payout costs a network fee of 1
		})
	}
}

// paysOutUntil pays out 5, one payout after the other, at least one, and returns how many it were.
func (e *deployment) paysOutUntil(end time.Time) int {
	e.Helper()
	var took []time.Duration
	for len(took) == 0 || time.Now().Before(end) {
		began := time.Now()
		e.paidOut(e.payout("Tron", "USDT", "5", addresses.Encode("Tron", [32]byte{1})))
		took = append(took, time.Since(began).Round(100*time.Millisecond))
	}
	e.Logf("%s: %d payouts, told by their webhooks: the first took %v, the slowest %v", e.Name(), len(took), took[0], slices.Max(took))
	return len(took)
}

// addsUpTo checks a merchant's balance, and compares the books with themselves and with the networks.
func (e *deployment) addsUpTo(asset, want string) {
	e.Helper()
	e.eventually("the balance is right", "select exists (select from balances where asset = ? and available = ?::numeric and locked = 0)",
		asset, want)
	var report struct {
		Differences []any
		Unreached   map[string]string `json:"networks_not_reached"`
	}
	e.Do(&report, "reconcile")
	require.Empty(e, report.Differences)
}

// TestAHangingNodeHoldsUpNobodyElse: a node takes questions and never answers. Payouts and payins of other networks go
// on, with three times as many payouts waiting for it as there are workers; the API answers also for its network; payouts
// waiting for it stay pending; and reconciliation goes on and names the unreached network.
func TestAHangingNodeHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	node := newEthereumNode(t)
	node.besideAHangingNode(t, "BinanceSmartChain")
	e := newDeployment(t, "NETWORKS_FILE="+node.networks, "WORKER_CONCURRENCY=16")
	e.eventually("the other node is followed", "select exists (select from chain_blocks where network = 'Ethereum')")
	e.fundedOn(node, 1000)
	to := addresses.Encode("Ethereum", [32]byte{2})
	var waiting []string
	for range 48 {
		waiting = append(waiting, e.payout("BinanceSmartChain", "USDT", "1", to))
	}
	began := time.Now()
	paid := e.payout("Ethereum", "USDT", "5", to)
	e.meanwhile(node, "the payout of another network is completed",
		"select exists (select from payouts where reference_id = ? and status = 'completed')", paid)
	e.paidOut(paid)
	t.Logf("a payout of another network took %v", time.Since(began).Round(100*time.Millisecond))
	e.fundedOn(node, 10)
	payin := func() (int, map[string]any) {
		return e.ask(http.MethodPost, "/v1/payin", fmt.Sprintf(`{"reference_id":%q,"network":"BinanceSmartChain","crypto_currency":"BNB","process_by":"crypto_amount",
			"crypto_amount":"1","webhook_url":%q}`, uuid.NewString(), e.receiver.url))
	}
	status, answer := payin()
	require.Equal(t, http.StatusServiceUnavailable, status, answer) // it was never followed
	_, err := e.DB.NewRaw("insert into chain_blocks values ('BinanceSmartChain', 7, 'h', 'p')").Exec(t.Context())
	must(t, err)
	status, answer = payin()
	require.Equal(t, http.StatusOK, status, answer)
	e.eventually("the node was asked for a payout", "select exists (select from jobs where kind = 'payout.broadcast' and last_error <> '')")
	e.eventually("reconciliation goes on", "select exists (select from reconcile_reports where at > now() - interval '1 minute' and differences = '[]')")
	require.Contains(t, e.page("/metrics"), `causeway_follower_failing{network="BinanceSmartChain"} 1`)
	for _, name := range waiting {
		var status string
		must(t, e.DB.NewRaw("select status from payouts where reference_id = ?", name).Scan(t.Context(), &status))
		require.Equal(t, "queued", status)
	}
}

// fundedOn asks for USDT on a real node, pays it there and waits until it is final.
func (e *deployment) fundedOn(node *realEthereum, amount int64) {
	e.Helper()
	name := uuid.NewString()
	status, answer := e.ask(http.MethodPost, "/v1/payin", fmt.Sprintf(`{"reference_id":%q,"network":"Ethereum","crypto_currency":"USDT","process_by":"crypto_amount",
		"crypto_amount":"%d","webhook_url":%q}`, name, amount, e.receiver.url))
	require.Equal(e, http.StatusOK, status, answer)
	var wallet string
	must(e.T, e.DB.NewRaw("select wallet from payins where reference_id = ?", name).Scan(e.Context(), &wallet))
	node.usdt.Transfer(e.T, anvil.Rich, common.HexToAddress(wallet), big.NewInt(amount*1_000_000))
	e.meanwhile(node, "the payin is final", "select exists (select from transfers t join payins p on p.id = t.payin_id where p.reference_id = ? and t.status = 'final')", name)
}

// meanwhile is eventually on a growing chain.
func (e *deployment) meanwhile(node *realEthereum, what, query string, args ...any) {
	e.Helper()
	testkit.Eventually(e, 2*time.Minute, func() bool {
		node.node.Mine(e.T, 1)
		var yes bool
		must(e.T, e.DB.NewRaw(query, args...).Scan(e.Context(), &yes))
		return yes
	}, what)
}

// besideAHangingNode adds a network to the networks file; its node never answers.
func (e *realEthereum) besideAHangingNode(t *testing.T, network string) {
	t.Helper()
	over, end := context.WithCancel(context.Background())
	node := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-over.Done():
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(node.Close)
	t.Cleanup(end)
	text, err := os.ReadFile(e.networks)
	must(t, err)
	hanging := fmt.Sprintf("networks:\n  %s:\n    rpc: %s\n    chain_id: 31338\n    timeout: 3s\n    xpub: %s\n", network, node.URL, e.xpub)
	must(t, os.WriteFile(e.networks, []byte(strings.Replace(string(text), "networks:\n", hanging, 1)), 0o600))
}
