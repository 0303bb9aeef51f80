package workers_test

import (
	"slices"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/scheduler"
)

// A reorganisation deeper than is remembered halts the network; the operator says from where to go on, and everything above is undone
// and found again.
//
// Covers operator §Admin: network resume lets
func TestHaltedNetworkIsResumedFromAHeight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	payin := w.payin("Ethereum", "USDT", "30")
	kept := w.pays("Ethereum", "USDT", payin.Wallet, "30")
	gone := w.payin("Ethereum", "USDT", "40")
	dropped := w.pays("Ethereum", "USDT", gone.Wallet, "40")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("118.5", w.balance("USDT").Available)
	head := int64(w.count("select max(height) from chain_blocks"))
	w.exec("delete from chain_blocks where height < ?", head-3)
	_, err := w.chain.Reorg(t.Context(), "Ethereum", 8, dropped)
	require.NoError(t, err)
	log := logtest.NewLocal(w.workers.Log.(*logrus.Logger))
	w.work()
	require.Equal(t, 1, w.count("select count(*) from followers where halted"))
	said := slices.DeleteFunc(log.AllEntries(), func(e *logrus.Entry) bool {
		return e.Level > logrus.WarnLevel ||
			e.Message == "the chain reorganised"
	})
	require.Len(t, said, 1, "that a network halts is logged once")
	require.Equal(t, logrus.ErrorLevel, said[0].Level)
	require.Contains(t, said[0].Message, "deeper than is remembered")
	w.equal("118.5", w.balance("USDT").Available) // nothing is guessed

	_, err = w.by("ops").ResumeNetwork(t.Context(), "Ethereum", head-3)
	require.ErrorContains(t, err, "must be below it")
	_, err = w.by("ops").ResumeNetwork(t.Context(), "Ethereum", 0)
	require.ErrorContains(t, err, "has no block 0")
	out, err := w.by("ops").ResumeNetwork(t.Context(), "Ethereum", head-8)
	require.NoError(t, err)
	require.Equal(t, []int{2, 1}, []int{out.Transfers, out.Transactions})
	w.equal("48.5", w.balance("USDT").Total())
	_, err = w.by("ops").ResumeNetwork(t.Context(), "Ethereum", head-8)
	require.ErrorContains(t, err, "is not halted")

	w.work()
	w.mine("Ethereum", 6)
	require.Zero(t, w.count("select count(*) from followers where halted"))
	w.equal("78.5", w.balance("USDT").Available)
	require.Equal(t, pay.PayinCompleted, w.payinNow(payin.ID).Status)
	require.Equal(t, pay.PayinReversed, w.payinNow(gone.ID).Status)
	require.Equal(t, 1, w.count("select count(*) from transfers where txid = ? and status = 'final'", kept))
	w.equal("50", w.paidTo("Ethereum", destination))
	require.Equal(t, 1, w.count("select count(*) from audit where action = 'network.resume' and actor = 'ops'"))
}

// The hot wallet's holdings at the begin of following are in the books once: blocks before it are not read.
//
// Covers operator §Admin: network resume lets
func TestANetworkIsNotResumedBelowItsStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base, _ := pay.NetworkNamed("Base")
	require.NoError(t, sandbox.Genesis(t.Context(), w.db, plenty, *base))
	registry, err := chains.NewRegistry(sandbox.OpenAll(w.db, []pay.Network{*base}, sandbox.Options{Signs: true})...)
	require.NoError(t, err)
	w.registry, w.workers.Networks = registry, registry
	n, _ := registry.Network("Base")
	n.StartAt = 10
	_, err = w.chain.Mine(t.Context(), "Base", 4)
	require.NoError(t, err)
	w.pays("Base", "USDC", n.Hot, "777") // the operator fills the hot wallet
	_, err = w.chain.Mine(t.Context(), "Base", 10)
	require.NoError(t, err)
	require.NoError(t, scheduler.Plan(t.Context(), w.store, []string{"Base"}))
	w.work()
	require.Equal(t, 10, w.count("select followed_from from followers"))
	head := w.count("select max(height) from chain_blocks")
	w.exec("delete from chain_blocks where height < ?", head)
	_, err = w.chain.Reorg(t.Context(), "Base", 1)
	require.NoError(t, err)
	w.mine("Base", 1)
	_, err = w.by("ops").ResumeNetwork(t.Context(), "Base", 8)
	require.ErrorContains(t, err, "must not be below the one before it")
	_, err = w.by("ops").ResumeNetwork(t.Context(), "Base", 9) // the height to go on from when all followed blocks are gone
	require.NoError(t, err)
	w.mine("Base", 5)
	w.reconcile()
	require.Empty(t, w.reported())
}

// Resuming a network locks the follower after its job, as steps do: each would wait for the other otherwise.
func TestAResumedNetworkIsLockedAfterItsJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.mine("Ethereum", 6)
	w.exec("update followers set halted = true")
	w.exec("delete from chain_blocks where height < (select max(height) from chain_blocks)")
	deepest := int64(w.count("select min(height) from chain_blocks"))
	other, err := w.db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = other.NewRaw("select from jobs where kind = 'network.follow' for update").Exec(t.Context())
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := w.by("ops").ResumeNetwork(t.Context(), "Ethereum", deepest-1)
		done <- err
	}()
	testkit.Eventually(t, time.Minute, func() bool {
		return w.count("select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") > 0
	}, "it waits for the job")
	_, err = other.NewRaw("select from followers for update nowait").Exec(t.Context())
	require.NoError(t, err)
	require.NoError(t, other.Commit())
	require.NoError(t, <-done)
	w.work()
	require.Zero(t, w.count("select count(*) from followers where halted"))
}

// A transaction being booked while a network is resumed from below it is undone with the rest: else nobody would have sent the
// payout's own transaction again, and all later nonces would have waited behind it for ever.
func TestWhatIsBookedWhileItsNetworkIsResumedIsUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	p, txid := taken(w, "0", n.HotAddress()) // so the booking shares no other rows with the undoing
	w.mine("Ethereum", 5)
	head := int64(w.count("select max(height) from chain_blocks"))
	other := w.held("select from payouts where id = '" + p.ID.String() + "' for update")
	booked, resumed := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := w.by("ops").BookSpend(t.Context(), "Ethereum", txid)
		booked <- err
	}()
	w.await(1)
	w.exec("delete from chain_blocks where height < ?", head)
	_, err := w.chain.Reorg(t.Context(), "Ethereum", 6, txid)
	require.NoError(t, err)
	w.follow(t.Context())
	require.Equal(t, 1, w.count("select count(*) from followers where halted"))
	go func() {
		_, err := w.by("ops").ResumeNetwork(t.Context(), "Ethereum", head-6)
		resumed <- err
	}()
	w.await(2)
	require.NoError(t, other.Commit())
	require.NoError(t, <-booked)
	require.NoError(t, <-resumed)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	next := w.payout("Ethereum", "USDT", "1", destination)
	w.work()
	w.mine("Ethereum", 8)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(next.ID).Status)
	w.nothingWaits(p, 2)
}
