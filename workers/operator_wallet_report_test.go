package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// A spend explains its own nonce and no other. Neither a spend at a nonce of ours, nor one made after the look at the wallet, stands
// for a transaction seen by nobody yet: it may have paid a payout waiting here.
//
// Covers operator §Admin: wallet resume lets
func TestASpendExplainsItsOwnNonce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	taken, txid := taken(w, "30", destination)
	w.mine("Ethereum", 5)
	other := w.spends(2)
	w.work()
	refused := func(says string) {
		t.Helper()
		_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
		require.ErrorContains(t, err, says)
	}
	refused("no final block has nonce 2 of the wallet, which was seen up to 2")
	w.mine("Ethereum", 5)
	w.exec("update stopped_wallets set chain = chain - 1") // as it was before the wallet was looked at again
	refused("transaction " + other + " has nonce 2, and the wallet was not seen to have used it")
	w.work()
	report, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	require.Len(t, report.Unknown, 2)
	_, err = w.by("ops").BookSpend(t.Context(), "Ethereum", txid)
	require.NoError(t, err)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(taken.ID).Status)
}

// A transaction with a nonce in the mempool may be mined, and pays a payout waiting here; once it is dropped, it may come back.
// Neither moved nothing, whatever the operator says: a payout paid by it would be paid again.
//
// Covers operator §Admin: wallet resume lets
func TestNoncesThatNoBlockHasAreNotUsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.work() // opens the nonces
	w.spends(0)
	p := w.payout("Ethereum", "USDT", "9", elsewhere)
	w.work()
	refused := func() {
		t.Helper()
		for unexplained := range int64(2) {
			_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", unexplained, 0)
			require.ErrorContains(t, err, "no final block has nonce 0 of the wallet, which was seen up to 0")
		}
		w.unsigned(p)
	}
	refused()
	w.exec("update sandbox_transactions set state = 'dropped' where nonce = 0")
	w.aged()
	w.work()
	refused()

	w.exec("update sandbox_transactions set state = 'pending' where nonce = 0")
	w.mine("Ethereum", 6)
	_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("9", w.paidTo("Ethereum", elsewhere))
}

// counts is a node counting other nonces than its network has: as the next, or up to one block.
type counts struct {
	chains.Counter
	next  uint64           // 0: as the network
	mined map[int64]uint64 // by height
}

func (c counts) NextNonce(ctx context.Context, address string) (uint64, error) {
	if c.next > 0 {
		return c.next, nil
	}
	return c.Counter.NextNonce(ctx, address)
}

func (c counts) NonceAt(ctx context.Context, address string, height int64) (uint64, error) {
	if n, ok := c.mined[height]; ok {
		return n, nil
	}
	return c.Counter.NonceAt(ctx, address, height)
}

// A node with wrongly counted nonces stops a wallet once, and not for good: an operator sure that nothing was ever signed for them
// says so. By then nothing may speak against it: no block, no mempool, and nothing else signed by the wallet.
//
// Covers operator §Admin: wallet resume --never-used
func TestNoncesThatWereCountedByMistake(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.work() // opens the nonces
	n, _ := w.registry.Network("Ethereum")
	node, signs := n.Counter, n.Sender
	stops := func(next uint64) {
		n.Counter = counts{Counter: node, next: next}
		w.aged()
		w.work()
	}
	refused := func(why string, unexplained, neverUsed int64) {
		t.Helper()
		n.Sender = nil // a command has none
		_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", unexplained, neverUsed)
		n.Sender = signs
		require.ErrorContains(t, err, why)
	}
	p := w.payout("Ethereum", "USDT", "9", destination)
	stops(8)
	w.unsigned(p)
	refused("the next nonce of the wallet is 0 in the newest blocks of Ethereum and 8 with its mempool, and ours is 0", 0, 8)
	n.Counter = node
	refused("no final block has nonce 0 of the wallet, which was seen up to 7", 0, 0)
	refused("no final block has nonce 0 of the wallet, which was seen up to 7", 8, 0)
	refused("Ethereum was seen to have used 8 nonces that no final block has, not 7", 0, 7)
	refused("Ethereum was seen to have used 8 nonces that no final block has, not 9", 0, 9)
	refused("0 nonces are not explained", 1, 8)
	top := int64(w.count("select max(height) from chain_blocks where network = 'Ethereum'"))
	n.Counter = counts{Counter: node, mined: map[int64]uint64{top: 1}}
	refused("the next nonce of the wallet is 1 in the newest blocks of Ethereum and 0 with its mempool, and ours is 0", 0, 8)
	n.Counter = node
	w.spends(0)
	refused("the next nonce of the wallet is 0 in the newest blocks of Ethereum and 1 with its mempool, and ours is 0", 0, 8)
	w.exec("update sandbox_transactions set state = 'dropped' where nonce = 0")
	n.Sender = nil
	_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 8)
	n.Sender = signs
	require.NoError(t, err)
	require.Equal(t, 1, w.count(`select count(*) from audit where action = 'wallet.resume' and before->>'chain_next_nonce' = '8' and after->>'next' = '0'`))
	w.aged()
	w.work()
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	require.Zero(t, w.firstSigned(p).Nonce)

	stops(5)
	n.Counter = node
	w.spends(1)
	w.mine("Ethereum", 6)
	refused("the wallet has signed what our books do not know, so nobody knows what else was signed with it", 0, 3)
	w.exec("update stopped_wallets set chain = 2")
	refused("final blocks have every nonce that Ethereum was seen to have used", 0, 1)
	_, err = w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
}

// Transactions signed by a process at the moment when another one stopped the wallet explain themselves, also beyond the count.
//
// Covers operator §Admin: wallet resume lets
func TestAStopThatOurOwnNoncesHaveOvertaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "9", destination)
	q := w.payout("Ethereum", "USDT", "8", destination)
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(q.ID).Status)
	w.exec("insert into stopped_wallets (network, address, ours, chain) select network, address, 0, 1 from signing_nonces")
	_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	require.Equal(t, 1, w.count("select count(*) from signing_nonces where next = 2"))
}

// A transaction sent by a wallet before it was ours, and in no block, stops it when it is opened: were it dropped, nothing of ours
// behind it would ever be mined.
func TestAWalletOpensAtWhatBlocksHave(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.spends(0)
	w.mine("Ethereum", 1)
	w.spends(1)
	w.exec("delete from stopped_wallets")
	w.exec("delete from signing_nonces") // nobody has looked yet
	w.round()
	p := w.payout("Ethereum", "USDT", "5", destination)
	w.work()
	stopped, err := w.store.StoppedWallets(t.Context())
	require.NoError(t, err)
	require.Len(t, stopped, 1)
	require.Equal(t, []int64{1, 2}, []int64{stopped[0].Ours, stopped[0].Chain})
	w.unsigned(p)
	w.mine("Ethereum", 6)
	_, err = w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	w.aged()
	w.work()
	require.EqualValues(t, 2, w.firstSigned(p).Nonce)
}

// The stop of a network not configured any more keeps nobody from being told of the others.
func TestReconcileTellsOfStopsOfOtherNetworks(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	w.exec("insert into stopped_wallets (network, address, ours, chain) values ('BinanceSmartChain', '0x1', 1, 2), ('Ethereum', '0x2', 1, 2)")
	reports, err := w.by("ops").Reports(t.Context())
	require.NoError(t, err)
	require.Len(t, reports, 2)
	require.Contains(t, reports[0].NotYet, "BinanceSmartChain is not configured here")
	require.NotContains(t, reports[1].NotYet, "configured")
}
