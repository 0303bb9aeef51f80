package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/tasks"
)

// minesQuietly adds blocks one by one, without the look at wallets that is due once a minute.
func (w *world) minesQuietly(network string, blocks int) {
	w.t.Helper()
	for range blocks {
		_, err := w.chain.Mine(context.Background(), network, 1)
		require.NoError(w.t, err)
		w.roundWithout(tasks.ExpirePayins, tasks.RevokeWallets, tasks.CheckWallets)
	}
}

// foreignOnTron spends from the hot wallet by a transaction unknown to the books.
func (w *world) foreignOnTron(to, amount string) string {
	w.t.Helper()
	n, _ := w.registry.Network("Tron")
	draft, err := n.Sender.Prepare(w.t.Context(), chains.Spend{Orders: []chains.Order{{To: to, Token: "USDT", Amount: dec(amount)}}})
	require.NoError(w.t, err)
	signed, err := draft.Sign(chains.Slot{Number: 7777})
	require.NoError(w.t, err)
	outcome, reason := n.Sender.Broadcast(w.t.Context(), signed.Raw)
	require.Equal(w.t, chains.Accepted, outcome, reason)
	return signed.Txid
}

// A foreign transaction seen within the last minute has paid the payout.
func TestNothingIsSignedAgainBesideAForeignTransaction(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Tron")
	p := w.unsent()
	w.faults("Tron", "broadcast", "")
	w.putOff()
	w.foreignOnTron(tronPayee, "50")
	w.mineUnseen("Tron", 24)
	w.only(t.Context(), tasks.FollowNetwork)
	require.Equal(t, 1, w.count("select count(*) from foreign_spends where resumed_at is null"))
	w.minesQuietly("Tron", 6)
	require.Len(t, w.signedFor(p), 1, "signed again although the wallet is to sign nothing")
	w.equal("50", w.paidTo("Tron", tronPayee))
}

// Another database server has taken over within the last minute.
func TestNothingIsSignedAgainOnAnotherServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.unsent()
	w.putOff()
	w.mineUnseen("Tron", 24)
	w.only(t.Context(), tasks.FollowNetwork)
	require.Equal(t, []pay.SignedState{pay.TxExpired}, w.signedFor(p))
	w.exec("update followers set run = 'another'") // what was signed last is lost
	w.roundWithout(tasks.CheckWallets)
	require.Len(t, w.signedFor(p), 1, "signed again on another server, where the books may lack the last signature")
}

// A person resumes the wallet, and the payout is completed by the foreign transaction.
func TestAPayoutPaidByAForeignTransactionIsNotSignedAgain(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Tron")
	p := w.unsent()
	w.faults("Tron", "broadcast", "")
	w.putOff()
	w.foreignOnTron(tronPayee, "50")
	w.mineUnseen("Tron", 24)
	w.only(t.Context(), tasks.FollowNetwork)
	w.only(t.Context(), tasks.CheckWallets)
	_, err := w.by("ops").ResumeWallet(t.Context(), "Tron", 0, 0)
	require.NoError(t, err)
	w.workers = w.another()
	w.mine("Tron", 6)
	w.equal("50", w.paidTo("Tron", tronPayee))
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
}

// ofAnotherWallet is a node whose blocks name no transaction of the present hot wallet.
type ofAnotherWallet struct{ chains.Scanner }

func (s ofAnotherWallet) Blocks(ctx context.Context, from int64, limit int) ([]chains.Block, error) {
	blocks, err := s.Scanner.Blocks(ctx, from, limit)
	for i := range blocks {
		blocks[i].Sent = nil // of the wallet asked for
	}
	return blocks, err
}

// Blocks are looked through for the present hot wallet alone.
func TestATransactionOfAFormerWalletDoesNotDie(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Tron")
	w.fund("Tron", "USDT", "100")
	w.faults("Tron", "broadcast", "timeout-after-send")
	p := w.payout("Tron", "USDT", "50", tronPayee)
	w.work()
	w.faults("Tron", "broadcast", "")
	n, _ := w.registry.Network("Tron")
	former := *n
	t.Cleanup(func() { *n = former })
	n.Hot, n.Scanner, n.Watcher = n.Addresser.Match("TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE"), ofAnotherWallet{n.Scanner}, over{}
	w.cancels(p)
	w.minesQuietly("Tron", 30)
	w.equal("50", w.paidTo("Tron", tronPayee))
	require.NotEqual(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status, "refunded and paid")
}

// A reorganisation undoes the death of the first transaction. It may be mined now, so the second is not sent.
func TestNothingIsSentBesideAnOlderOneThatLives(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Tron")
	p := w.unsent()
	w.minesQuietly("Tron", 24)
	require.Equal(t, []pay.SignedState{pay.TxExpired, pay.TxSigned}, w.signedFor(p)) // the node times out
	w.putOff()
	n, _ := w.registry.Network("Tron")
	w.exec("update signed_transactions set state = 'sent', height = null where state = 'expired'") // as a reorganisation does, until the proof comes again
	w.faults("Tron", "broadcast", "")
	w.only(t.Context(), tasks.BroadcastPayout)
	history, err := w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	status, err := n.Watcher.Status(t.Context(), []string{history[1].Txid})
	require.NoError(t, err)
	require.Equal(t, chains.TxMissing, status[history[1].Txid].State, "the second was sent, and the first is not dead")
}

// behindOnce is a node whose first answer about the head is old.
type behindOnce struct {
	chains.Scanner
	asked *bool
}

func (b behindOnce) Head(ctx context.Context, followed int64) (chains.Head, error) {
	head, err := b.Scanner.Head(ctx, followed)
	if followed == -1 && !*b.asked {
		*b.asked = true
		head.Height, head.Final, head.Clock = head.Height-12, head.Final-12, head.Clock-12
	}
	return head, err
}

// The first node to answer on another server is behind.
func TestTheWaitIsNotCountedByANodeBehind(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Tron")
	w.fund("Tron", "USDT", "100")
	w.minesAndFollows("Tron", 20)
	n, _ := w.registry.Network("Tron")
	// signed last by the lost books, valid for the longest time
	draft, err := n.Sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{{To: tronPayee, Token: "USDT", Amount: dec("50")}}})
	require.NoError(t, err)
	lost, err := draft.Sign(chains.Slot{Number: 99})
	require.NoError(t, err)
	w.exec("update followers set run = 'another'")
	n.Scanner = behindOnce{n.Scanner, new(bool)}
	w.workers = w.another()
	p := w.payout("Tron", "USDT", "50", tronPayee)
	w.work()
	w.mine("Tron", 6)
	outcome, reason := n.Sender.Broadcast(t.Context(), lost.Raw)
	require.Equal(t, chains.Accepted, outcome, reason)
	w.mine("Tron", 5)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status) // the wallet waits for a person
	w.equal("50", w.paidTo("Tron", tronPayee))
}
