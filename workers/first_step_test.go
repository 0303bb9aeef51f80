package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/internal/pay"
	"causeway/scheduler"
)

// The holdings on a network are booked by the first step along it: a payout signed before would be in this booking and be booked
// again when it is final.
//
// Covers addendum §7: Nothing is signed for a network before the first step
func TestNothingIsSignedBeforeTheFirstStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.fund("Tron", "USDT", "100")
	n := w.addsEthereum()
	to, err := n.Addresser.Derive(t.Context(), 77)
	require.NoError(t, err)
	p := w.payout("Ethereum", "USDT", "50", to)
	w.broadcast(p.ID)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	require.Equal(t, 1, w.count("select count(*) from jobs where kind = 'payout.broadcast' and run_at > now() and last_error like 'Ethereum is not followed yet%'"))

	w.exec("insert into followers (network, error) values ('Ethereum', 'the node has no blocks')") // failed steps are none
	w.aged()
	w.broadcast(p.ID)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	w.mine("Ethereum", 2)
	w.aged()
	w.work()
	w.mine("Ethereum", 8)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("50", w.paidTo("Ethereum", to))
}

// addsEthereum adds a network followed from its head on, and not yet seen by any step.
func (w *world) addsEthereum() *chains.Network {
	t := w.t
	t.Helper()
	eth, _ := pay.NetworkNamed("Ethereum")
	tron, _ := pay.NetworkNamed("Tron")
	require.NoError(t, sandbox.Genesis(t.Context(), w.db, plenty, *eth))
	_, err := w.chain.Mine(t.Context(), "Ethereum", 5)
	require.NoError(t, err)
	w.registry, err = chains.NewRegistry(sandbox.OpenAll(w.db, []pay.Network{*tron, *eth}, sandbox.Options{Signs: true})...)
	require.NoError(t, err)
	w.workers.Networks = w.registry
	n, _ := w.registry.Network("Ethereum")
	n.StartAt = -1
	require.NoError(t, scheduler.Plan(t.Context(), w.store, []string{"Ethereum"}))
	return n
}

// The head with which following begins may be undone like any other block: the block before it is known.
//
// Covers addendum §8: A real network is followed from its head on
func TestTheFirstBlockIsUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	n := w.addsEthereum()
	w.round()
	first := w.count("select followed_from from followers where network = 'Ethereum'")
	require.Equal(t, first, w.count("select max(height) from chain_blocks where network = 'Ethereum'"))
	_, err := w.chain.Reorg(t.Context(), "Ethereum", 1)
	require.NoError(t, err)
	w.mine("Ethereum", 2)
	w.pays("Ethereum", "USDT", n.Hot, "7")
	w.mine("Ethereum", 8)
	require.Zero(t, w.count("select count(*) from followers where halted"))
	require.Equal(t, first, w.count("select followed_from from followers where network = 'Ethereum'"))
}

// Where the block before the first is undone too, a person resumes the network from the present blocks.
func TestWhatStoodBeforeTheFirstBlockIsUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.addsEthereum()
	w.round()
	first := int64(w.count("select followed_from from followers where network = 'Ethereum'"))
	_, err := w.chain.Reorg(t.Context(), "Ethereum", 2)
	require.NoError(t, err)
	w.mine("Ethereum", 1)
	require.Equal(t, 1, w.count("select count(*) from followers where halted"))
	vitals, err := w.store.FollowerVitals(t.Context())
	require.NoError(t, err)
	require.Equal(t, first, *vitals[0].Deepest)
	_, err = w.by("ops").ResumeNetwork(t.Context(), "Ethereum", first)
	require.ErrorContains(t, err, "--from must be below it")
	_, err = w.by("ops").ResumeNetwork(t.Context(), "Ethereum", first-1)
	require.NoError(t, err)
	w.mine("Ethereum", 8)
	require.Zero(t, w.count("select count(*) from followers where halted"))
}

// A node with a head and no block there yet opens nothing: the treasury is opened where the first block is followed.
func TestAFirstStepWithoutABlockOpensNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	n := w.addsEthereum()
	well := n.Scanner
	n.Scanner = blockless{well}
	w.round()
	require.Zero(t, w.count("select count(*) from chain_blocks where network = 'Ethereum'"))
	require.Zero(t, w.count("select count(*) from entries where kind = 'treasury_opened' and id in (select p.id / 16 from postings p join accounts a on a.id = p.from_account where a.name = 'outside:Ethereum')"))
	w.pays("Ethereum", "USDT", n.Hot, "7")
	_, err := w.chain.Mine(t.Context(), "Ethereum", 2)
	require.NoError(t, err)
	n.Scanner = well
	w.work()
	w.mine("Ethereum", 8)
	require.Empty(t, w.followerError("Ethereum"))
}

// blockless is a node without the newest block.
type blockless struct{ chains.Scanner }

func (blockless) Blocks(context.Context, int64, int) ([]chains.Block, error) { return nil, nil }
