package workers_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/ops/admin"
)

// moody is a node answering so many questions about holdings, and none after them until its mood changes.
type moody struct {
	chains.Holder
	mu      sync.Mutex
	answers int  // -1: all
	hangs   bool // else it fails
	asked   int  // addresses, with an answer

	questions int // each about one token, with an answer
	heights   map[int64]bool
}

func (m *moody) Holdings(ctx context.Context, token string, addresses []string, height int64) ([]decimal.Decimal, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answers == 0 && m.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if m.answers == 0 {
		return nil, errors.New("missing trie node")
	}
	m.answers--
	m.asked += len(addresses)
	m.questions++
	m.heights[height] = true
	return m.Holder.Holdings(ctx, token, addresses, height)
}

func (w *world) moody(network string) *moody {
	n, _ := w.registry.Network(network)
	m := &moody{Holder: n.Holder, answers: -1, heights: map[int64]bool{}}
	n.Holder = m
	return m
}

// Findings on a network stand until it has been looked at again, whole; an unreached network is no good news.
//
// Covers operator §Roles: causeway reconcile
// Covers operator §Admin: Of a network that is not reached
func TestADifferenceStandsWhileItsNetworkIsNotReached(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.fund("Tron", "USDT", "1000")
	a := &admin.Admin{Store: w.store, Actor: "ops"}
	node := w.moody("Tron")
	w.reconcile()
	require.Empty(t, w.reported())

	w.exec("update sandbox_holdings set amount = amount - 1000 where network = 'Tron' and token = 'USDT'")
	node.answers = 0
	w.reconcile()
	require.Empty(t, w.reported(), "it was clean when it was last reached")
	report, err := w.workers.Reconcile.Report(t.Context())
	require.NoError(t, err)
	require.Contains(t, report.Unreached["Tron"], "missing trie node")
	require.False(t, report.Clean())
	w.exec("update reconcile_looks set looked_at = now() - interval '10 minutes'")
	h, err := a.Health(t.Context())
	require.NoError(t, err)
	require.Len(t, h.Troubles(), 1)
	require.Contains(t, h.Troubles()[0].What, "What Tron holds has not been compared with the books for 10 min: holdings of")

	node.answers = -1
	w.reconcile()
	require.Equal(t, []string{"the ledger equals what our addresses hold"}, w.reported())
	node.answers = 0
	w.reconcile()
	require.Equal(t, []string{"the ledger equals what our addresses hold"}, w.reported())
	report, err = w.workers.Reconcile.Report(t.Context())
	require.NoError(t, err)
	require.Len(t, report.Differences, 1)
	_, err = a.ResumeAsset(t.Context(), "USDT", "")
	require.ErrorContains(t, err, "UTC, found 1 difference")

	w.exec("update sandbox_holdings set amount = amount + 1000 where network = 'Tron' and token = 'USDT'")
	node.answers = -1
	w.reconcile()
	require.Empty(t, w.reported())
	_, err = a.ResumeAsset(t.Context(), "USDT", "")
	require.NoError(t, err)
}

// deaf is a node telling nobody how far its chain is.
type deaf struct {
	chains.Scanner
	why error
}

func (d *deaf) Head(ctx context.Context, followed int64) (chains.Head, error) {
	if d.why != nil {
		return chains.Head{}, d.why
	}
	return d.Scanner.Head(ctx, followed)
}

// A network not followed yet is reached when its node answers, or a first start with a wrong address looks well.
//
// Covers operator §Roles: causeway reconcile
func TestANetworkThatIsNotFollowedYetMustAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron", "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	node := &deaf{n.Scanner, errors.New("connection refused")}
	n.Scanner = node
	w.exec("delete from chain_blocks where network = 'Ethereum'")
	report, err := w.workers.Reconcile.Report(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]string{"Ethereum": "not followed yet: connection refused"}, report.Unreached)
	require.False(t, report.Clean())
	w.reconcile()
	require.Equal(t, 1, w.count("select count(*) from reconcile_looks where network = 'Ethereum' and unreached like '%connection refused'"))

	node.why = nil
	report, err = w.workers.Reconcile.Report(t.Context())
	require.NoError(t, err)
	require.True(t, report.Clean(), "%+v", report)
	w.reconcile()
	require.Equal(t, 0, w.count("select count(*) from reconcile_looks where network = 'Ethereum'"))
}

// A look not ended in its time goes on in the next job, at its height, and asks about no address twice.
func TestALookGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.fund("Tron", "USDT", "1000")
	w.exec(`insert into transfers (id, network, txid, token, position, address, amount, status)
		select gen_random_uuid(), 'Tron', 'dropped' || i, 'USDT', 0, 'T' || i, 1, 'dropped' from generate_series(1, 450) i`)
	w.reconcile()
	w.exec("update reconcile_looks set held_at = null") // it asks about every address
	node := w.moody("Tron")
	tokens := w.count("select count(*) from tokens where network = 'Tron'")
	node.answers, node.hangs = tokens+1, true
	w.reconcile()
	require.Equal(t, 1, w.count("select count(*) from reconcile_looks where going is not null and unreached = ''"))
	require.Equal(t, 1, w.count("select count(*) from jobs where kind = 'reconcile' and run_at < now() + interval '2 seconds'"),
		"it comes again at once")
	w.mine("Tron", 2)
	node.answers = -1
	w.reconcile()
	require.Empty(t, w.reported())
	require.Equal(t, 1, w.count("select count(*) from reconcile_looks where going is null and next_at > now()"), "a slow network is looked at rarely")
	require.Len(t, node.heights, 1)
	require.Equal(t, tokens*453+200, node.asked, "the hot wallet, the cold address and 451 more; of the batch that was cut off, one question is asked twice")

	node.answers = 0
	w.exec("update reconcile_looks set next_at = null")
	w.reconcile()
	require.Equal(t, 1, w.count("select count(*) from reconcile_looks where unreached <> ''"), "nothing was answered")
	node.answers = -1
}

// An operator's correction is looked at when the next report is asked for, though a slow network would rest.
func TestACorrectionIsLookedAtAtOnce(t *testing.T) {
	t.Parallel()
	w := lacking(t)
	w.reconcile()
	require.NotEmpty(t, w.reported())
	w.exec("update reconcile_looks set next_at = now() + interval '10 minutes'")
	require.NoError(t, w.corrects("-600", ""))
	w.reconcile()
	require.Empty(t, w.reported())
}
