package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/cmd/causeway/admincmd"
	"causeway/cmd/causeway/command"
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
	e.Logf("%d payouts, told by their webhooks: the first took %v, the slowest %v", len(took), took[0], slices.Max(took))
	return len(took)
}

// addsUpTo checks that a merchant has what it must have, and that the books equal themselves and the networks.
func (e *deployment) addsUpTo(asset, want string) {
	e.Helper()
	e.eventually("the balance is right", "select exists (select from balances where asset = ? and available = ?::numeric and locked = 0)", asset, want)
	var report struct {
		Differences []any
		Unreached   map[string]string `json:"networks_not_reached"`
	}
	e.Do(&report, "reconcile")
	require.Empty(e, report.Differences)
}

// TestAHangingNodeHoldsUpNobodyElse: a node that takes questions and never answers. Payouts and payins of other networks
// go on, with three times as many payouts waiting for it as there are workers; the API answers also for its network; what
// waits for it stays pending; and reconciliation goes on and says whom it did not reach.
func TestAHangingNodeHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	e := newDeployment(t, "NETWORKS_FILE="+hangingEthereum(t), "WORKER_CONCURRENCY=16")
	e.funded("Tron", "USDT", "1000")
	to := addresses.Encode("Ethereum", [32]byte{2})
	var waiting []string
	for range 48 {
		waiting = append(waiting, e.payout("Ethereum", "USDT", "1", to))
	}
	began := time.Now()
	e.paidOut(e.payout("Tron", "USDT", "5", addresses.Encode("Tron", [32]byte{1})))
	t.Logf("a payout of another network took %v", time.Since(began).Round(100*time.Millisecond))
	e.funded("Tron", "USDT", "10")
	payin := func() (int, map[string]any) {
		return e.ask(http.MethodPost, "/v1/payin", fmt.Sprintf(`{"reference_id":%q,"network":"Ethereum","crypto_currency":"ETH","process_by":"crypto_amount",
			"crypto_amount":"1","webhook_url":%q}`, uuid.NewString(), e.receiver.url))
	}
	status, answer := payin()
	require.Equal(t, http.StatusServiceUnavailable, status, answer) // it was never followed
	_, err := e.DB.NewRaw("insert into chain_blocks values ('Ethereum', 7, 'h', 'p')").Exec(t.Context())
	must(t, err)
	status, answer = payin()
	require.Equal(t, http.StatusOK, status, answer)
	e.eventually("the node was asked for a payout", "select exists (select from jobs where kind = 'payout.broadcast' and last_error <> '')")
	e.eventually("reconciliation goes on", "select exists (select from reconcile_reports where at > now() - interval '1 minute' and differences = '[]')")
	require.Contains(t, e.page("/metrics"), `causeway_follower_failing{network="Ethereum"} 1`)
	for _, name := range waiting {
		var status string
		must(t, e.DB.NewRaw("select status from payouts where reference_id = ?", name).Scan(t.Context(), &status))
		require.Equal(t, "queued", status)
	}
}

// hangingEthereum is a networks file whose Ethereum node never answers.
func hangingEthereum(t *testing.T) string {
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
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "passphrase"), []byte("correct horse battery staple\n"), 0o600))
	var seed admincmd.CreatedSeed
	code, stdout, stderr := call(t, "admin", "seed", "create", "--out", filepath.Join(dir, "seed.json"), "--passphrase-file", filepath.Join(dir, "passphrase"))
	require.Equal(t, command.ExitOK, code, stderr)
	must(t, json.Unmarshal([]byte(stdout), &seed))
	file := filepath.Join(dir, "networks.yaml")
	must(t, os.WriteFile(file, []byte(fmt.Sprintf("networks:\n  Ethereum:\n    rpc: %s\n    chain_id: 31337\n    timeout: 3s\n    xpub: %s\nsigner:\n  seed_file: seed.json\n  passphrase_file: passphrase\n",
		node.URL, seed.XPubs["evm"])), 0o600))
	return file
}
