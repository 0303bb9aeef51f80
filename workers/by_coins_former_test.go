package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// A transaction of the former wallet is final while another seed is there. Its coin is spent when the first is back.
func TestASpentCoinOfAFormerWalletIsNotFree(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.splitCoins()
	p := w.payout("Bitcoin", "BTC", "2", coinPayees[0])
	w.round()
	n, _ := w.registry.Network("Bitcoin")
	leased := w.coinOf("slot is not null and spent_by is null")
	require.Len(t, leased, 1)
	hot := n.Hot
	n.Hot = n.Addresser.Match(coinPayees[2])
	w.minesAndFollowsOn("Bitcoin", 6)
	n.Hot = hot
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	require.Empty(t, w.coinOf("slot is null and spent_by is null and id = ?", leased[0].ID), "a spent coin is free")
}

func (w *world) minesAndFollowsOn(network string, blocks int) {
	w.t.Helper()
	for range blocks {
		_, err := w.chain.Mine(w.t.Context(), network, 1)
		require.NoError(w.t, err)
		w.follow(w.t.Context())
	}
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
	w.minesAndFollowsOn("Tron", 20)
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
	w.mine("Tron", 5)
	t.Log(outcome, reason, w.payoutNow(p.ID).Status)
	w.equal("50", w.paidTo("Tron", tronPayee))
}
