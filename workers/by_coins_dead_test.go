package workers_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/ledger"
)

// chained are transactions of which each spends the change of the one before, from the first one on. A block has each of them.
type chained struct {
	first string        // pays two payouts, and is copied later
	two   []*pay.Payout // of the first
	mates []*pay.Payout // share the second
	last  *pay.Payout   // of the third
	txids []string
}

// chained signs and mines them.
func (w *world) chained() (c chained) {
	w.t.Helper()
	for i, amounts := range [][]string{{"2", "3"}, {"4", "5"}, {"6"}} {
		txid, payouts := w.batch(amounts...)
		w.mine("Bitcoin", 1)
		w.exec("update coins set own = false where id like ? || ':%' and split_part(id, ':', 2)::int > ?", txid, len(amounts)) // the rest waits for final blocks
		c.txids = append(c.txids, txid)
		switch i {
		case 0:
			c.first, c.two = txid, payouts
		case 1:
			c.mates = payouts
		default:
			c.last = payouts[0]
		}
		if i > 0 {
			first := w.coinOf("place = 0 and spent_by = ?", txid)
			require.Len(w.t, first, 1)
			require.Equal(w.t, c.txids[i-1], first[0].ID[:64], "it begins with the change of the one before")
		}
	}
	return c
}

// undoneAndCopied has a reorganisation undo the chain. Somebody has a copy of its first transaction mined instead, under another id.
func (w *world) undoneAndCopied(c chained) (copied string) {
	w.t.Helper()
	return w.copiedInstead(c.first)
}

// copiedInstead has a reorganisation undo a transaction. Somebody has a copy of it mined instead, under another id.
func (w *world) copiedInstead(first string) (copied string) {
	w.t.Helper()
	mined := w.count("select height from signed_transactions where txid = ? and place = 0", first)
	_, err := w.chain.Reorg(w.t.Context(), "Bitcoin", w.count("select max(height) from chain_blocks where network = 'Bitcoin'")-mined+1, first)
	require.NoError(w.t, err)
	w.faults("Bitcoin", "broadcast", "copied")
	w.sends(first)
	w.faults("Bitcoin", "broadcast", "")
	w.mine("Bitcoin", 1)
	return w.copyOf(first)
}

// sends sends the bytes of a transaction of ours.
func (w *world) sends(txid string) {
	w.t.Helper()
	n, _ := w.registry.Network("Bitcoin")
	outcome, reason := n.Sender.Broadcast(w.t.Context(), w.bytesOf(txid))
	require.Equal(w.t, chains.Accepted, outcome, reason)
}

// bytesOf are the bytes of a transaction of ours.
func (w *world) bytesOf(txid string) (raw []byte) {
	w.t.Helper()
	require.NoError(w.t, w.db.NewRaw("select raw from signed_transactions where txid = ? and place = 0", txid).Scan(w.t.Context(), &raw))
	return raw
}

// states returns the states of what was signed for a payout, oldest first.
func (w *world) states(p *pay.Payout) (all []pay.SignedState) {
	w.t.Helper()
	history, err := w.store.SignedOf(w.t.Context(), p.ID)
	require.NoError(w.t, err)
	for i := range history {
		all = append(all, history[i].State)
	}
	return all
}

// Payouts and a move have spent the change of a transaction that was undone, and a copy of it is final. They are signed again in other slots:
// each is paid once, but for the one that an operator stops, and the coins of the dead slots are free.
//
// Covers operator §Settings: When the copy is final
func TestWhatSpendsChangeThatCannotExistIsSignedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.confirmedCold("Bitcoin")
	w.fund("Bitcoin", "BTC", "100")
	n, _ := w.registry.Network("Bitcoin")
	c, before := w.chained(), w.bitcoins(n.Cold)
	w.begins(pay.MoveCold, "7")
	copied := w.undoneAndCopied(c)
	w.cancels(c.mates[0])
	w.mine("Bitcoin", 1)
	for _, p := range []*pay.Payout{c.mates[1], c.last} {
		require.NotContains(t, w.states(p), pay.TxExpired, "the copy may still be undone")
	}
	w.agreesFor(13)
	w.wantUnstopped()
	require.Equal(t, copied, *w.payoutNow(c.two[0].ID).Txid)
	for _, p := range []*pay.Payout{c.mates[1], c.last} {
		require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status, w.troubles())
		require.Equal(t, []pay.SignedState{pay.TxExpired, pay.TxFinal}, w.endStates(p))
	}
	stopped := w.payoutNow(c.mates[0].ID)
	require.Equal(t, []any{pay.PayoutRefunded, "cancelled by the operator"}, []any{stopped.Status, *stopped.Reason}, w.troubles())
	m := w.oneOfKind(pay.MoveCold)
	require.Equal(t, pay.MoveDone, m.Status, w.troubles())
	require.Equal(t, 1, w.count("select count(*) from entries where kind = 'gas_spent' and subject = ?", ledger.Gas("Bitcoin", *m.Txid)))
	w.equal("7", w.bitcoins(n.Cold).Sub(before))
	w.equal("8", w.bitcoins(coinPayees[0]))
	w.equal("8", w.bitcoins(coinPayees[1]))
	require.Zero(t, w.count("select count(*) from coins where slot is not null and spent_by is null and (height is not null or place > 0)"))
	require.Equal(t, 3, w.count("select count(*) from coins where slot is not null and spent_by is null"), "the first coins stay: a death may be undone")
}

// endStates returns the first and the last of the states of what was signed for a payout.
func (w *world) endStates(p *pay.Payout) []pay.SignedState {
	w.t.Helper()
	all := w.states(p)
	return []pay.SignedState{all[0], all[len(all)-1]}
}

// The copy is undone though it was final, and the original is mined after all: the deaths were none. Both slots of a payout could be mined
// now, and nothing is sent, also not for a refunded one that shares a transaction with it. Somebody has the first slot mined, and the later one
// stays unsent. A person is shown that the refunded one was paid.
func TestNothingIsSentWhileTwoSlotsMayBeMined(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.splitCoins()
	w.exec("update coins set mixed = true where id in (select id from coins where spent_by is null order by id offset 1)")
	c := w.chained()
	drop := []string{w.undoneAndCopied(c)}
	w.cancels(c.mates[0])
	w.exec("update coins set mixed = false") // what is signed again begins with these
	for range 10 {
		if w.mine("Bitcoin", 1); len(w.states(c.last)) == 2 {
			break
		}
	}
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(c.mates[0].ID).Status, w.troubles())
	all := []*pay.Payout{c.mates[1], c.last}
	for _, p := range all {
		require.Equal(t, []pay.SignedState{pay.TxExpired, pay.TxSent}, w.states(p), w.troubles())
		history, err := w.store.SignedOf(t.Context(), p.ID)
		require.NoError(t, err)
		drop = append(drop, history[1].Txid)
	}
	mined := w.count("select height from signed_transactions where txid = ? and place = 0", drop[0])
	head := w.count("select max(height) from chain_blocks where network = 'Bitcoin'")
	_, err := w.chain.Reorg(t.Context(), "Bitcoin", head-mined+1, drop...)
	require.NoError(t, err)
	w.sends(c.txids[0])
	w.mine("Bitcoin", 5)
	for _, p := range all {
		require.Equal(t, []pay.SignedState{pay.TxSent, pay.TxSent}, w.states(p), w.troubles())
	}
	require.Equal(t, []pay.SignedState{pay.TxSent}, w.states(c.mates[0]))
	w.equal("2", w.bitcoins(coinPayees[0]))
	w.equal("3", w.bitcoins(coinPayees[1]))
	w.sends(c.txids[1]) // as any node may that still has it
	w.mine("Bitcoin", 1)
	w.sends(c.txids[2])
	w.mine("Bitcoin", 5)
	for _, p := range all {
		require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status, w.troubles())
		require.Equal(t, []pay.SignedState{pay.TxFinal, pay.TxSent}, w.states(p))
	}
	w.equal("12", w.bitcoins(coinPayees[0]))
	w.equal("8", w.bitcoins(coinPayees[1]))
	require.Equal(t, 1, w.count("select count(*) from contrary_transactions where payout_id = ?", c.mates[0].ID))
}

// Final blocks are undone against the network's rule: completed payouts are signed again as well, the books have the cost of what has paid, and
// merchants are told nothing twice. The books agree with the network in each block.
func TestCompletedPayoutsOnChangeThatCannotExistArePaidAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.fund("Bitcoin", "BTC", "100")
	c := w.chained()
	w.mine("Bitcoin", 4)
	all := append(slices.Clone(c.mates), c.last)
	for _, p := range all {
		require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status, w.troubles())
	}
	w.undoneAndCopied(c)
	w.faults("Bitcoin", "broadcast", "timeout") // what is signed again is saved, and known to nobody
	w.agreesFor(4)
	for _, p := range all {
		require.Equal(t, []pay.SignedState{pay.TxExpired, pay.TxSigned}, w.states(p), w.troubles())
	}
	w.faults("Bitcoin", "broadcast", "")
	w.work()
	w.agreesFor(7)
	for _, p := range all {
		require.Equal(t, []pay.SignedState{pay.TxExpired, pay.TxFinal}, w.states(p), w.troubles())
		history, err := w.store.SignedOf(t.Context(), p.ID)
		require.NoError(t, err)
		require.Equal(t, []any{pay.PayoutCompleted, history[1].Txid}, []any{w.payoutNow(p.ID).Status, *w.payoutNow(p.ID).Txid})
	}
	w.equal("12", w.bitcoins(coinPayees[0]))
	w.equal("8", w.bitcoins(coinPayees[1]))
	require.Equal(t, 5, w.count("select count(*) from deliveries where event = 'payment_processed'"))
	w.wantUnstopped()
}

// A move has spent change beside a first coin that is there, and a payout has spent the change of the move. The first change can never exist: so
// the payout is dead, and is signed again. Then nothing holds up the move: after an hour it leaves the coin out.
func TestChangeOfWhatCanNeverBeMinedHoldsNothingUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.confirmedCold("Bitcoin")
	w.splitCoins()
	n, _ := w.registry.Network("Bitcoin")
	before := w.bitcoins(n.Cold)
	w.exec("update coins set mixed = true where id in (select id from coins where spent_by is null order by id offset 2)")
	first, two := w.batch("2", "3")
	w.mine("Bitcoin", 1)
	w.begins(pay.MoveCold, "5500")
	w.mine("Bitcoin", 1)
	m := w.oneOfKind(pay.MoveCold)
	require.Len(t, w.coinOf("spent_by = ? and place = 0 and id not like ? || ':%'", *m.Txid, first), 1)
	require.Len(t, w.coinOf("spent_by = ? and place = 1 and id like ? || ':%'", *m.Txid, first), 1)
	w.exec("update coins set own = false where id like ? || ':%'", first)
	p := w.payout("Bitcoin", "BTC", "4", coinPayees[2])
	w.work()
	require.Len(t, w.coinOf("slot is not null and spent_by is null and place = 0 and id like ? || ':%'", *m.Txid), 1)
	w.mine("Bitcoin", 1)
	w.copiedInstead(first)
	w.exec("update coins set mixed = false")
	w.mine("Bitcoin", 10) // one or two more than it takes: jobs run in any order
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status, w.troubles())
	require.Equal(t, []pay.SignedState{pay.TxExpired, pay.TxFinal}, w.states(p))
	require.Equal(t, 1, w.count("select count(*) from signed_transactions where payout_id = ?", m.ID), "its first coin is there")
	w.hourPasses()
	w.mine("Bitcoin", 6)
	w.reconciles()
	m = w.oneOfKind(pay.MoveCold)
	require.Equal(t, pay.MoveDone, m.Status, w.troubles())
	require.Equal(t, 2, w.count("select count(*) from signed_transactions where payout_id = ?", m.ID))
	w.equal("5500", w.bitcoins(n.Cold).Sub(before))
	w.equal("2", w.bitcoins(two[0].Wallet))
	w.equal("4", w.bitcoins(p.Wallet))
	w.wantUnstopped()
}

// overFor is a node for which the time of some bytes is over.
type overFor struct {
	chains.Sender
	raw []byte
}

func (o overFor) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	if bytes.Equal(raw, o.raw) {
		return chains.Expired, "it was valid until a moment ago"
	}
	return o.Sender.Broadcast(ctx, raw)
}

// A transaction is undone, and its time is over before a block has it again, as on Cardano. Its change is leased: another one takes its slot,
// once, and what has spent the change is signed again when this is final.
func TestATransactionWhoseTimeIsOverIsReplacedThoughItsChangeIsLeased(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.fund("Bitcoin", "BTC", "100")
	c := w.chained()
	_, err := w.chain.Reorg(t.Context(), "Bitcoin", 3, c.first)
	require.NoError(t, err)
	n, _ := w.registry.Network("Bitcoin")
	well := n.Sender
	n.Sender = overFor{well, w.bytesOf(c.first)}
	for range 3 {
		w.later("1 minute")
		w.work()
	}
	require.Equal(t, []pay.SignedState{pay.TxSent, pay.TxSent}, w.states(c.two[0]), w.troubles())
	w.agreesFor(12)
	for _, p := range append(slices.Clone(c.mates), c.last) {
		require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status, w.troubles())
		require.Equal(t, []pay.SignedState{pay.TxExpired, pay.TxFinal}, w.states(p))
	}
	require.Equal(t, []pay.SignedState{pay.TxReplaced, pay.TxFinal}, w.states(c.two[0]))
	w.equal("12", w.bitcoins(coinPayees[0]))
	w.equal("8", w.bitcoins(coinPayees[1]))
	w.wantUnstopped()
}
