package workers_test

import (
	"context"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// hops is a network where the one payment to the hot wallet arrives some blocks after it has left.
type hops struct {
	chains.Watcher
	chains.Holder
	scanner chains.Scanner
	hot     string
	txid    string
	amount  decimal.Decimal
	left    int64 // its block
	takes   int64 // blocks
}

func (h *hops) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	all, err := h.Watcher.Status(ctx, txids)
	now, asked := all[h.txid]
	if err != nil || !asked || now.State != chains.TxMined {
		return all, err
	}
	head, err := h.scanner.Head(ctx, -1)
	if h.left = now.Height; head.Height >= now.Height+h.takes {
		now.Way = &chains.Way{Arrives: now.Height + h.takes, Amount: h.amount}
	} else {
		now.Way = &chains.Way{Amount: h.amount}
	}
	all[h.txid] = now
	return all, err
}

func (h *hops) Holdings(ctx context.Context, token string, addresses []string, height int64) ([]decimal.Decimal, error) {
	held, err := h.Holder.Holdings(ctx, token, addresses, height)
	for i := range held {
		if token == "ETH" && addresses[i] == h.hot && h.left > 0 && height >= h.left && height < h.left+h.takes {
			held[i] = held[i].Sub(h.amount)
		}
	}
	return held, err
}

// What a move has on its way is held by nobody, and is no difference. The move is done once it has arrived, in a block that is followed.
func TestWhatIsOnItsWayIsNoDifference(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	p := w.payin("Ethereum", "ETH", "2")
	w.pays("Ethereum", "ETH", p.Wallet, "2")
	w.mine("Ethereum", 4)
	w.ruled("Ethereum", "ETH")
	h := &hops{Watcher: n.Watcher, Holder: n.Holder, scanner: n.Scanner, hot: n.Hot, amount: dec("1.9999"), takes: 6}
	n.Watcher, n.Holder = h, h
	w.looked()
	all := w.moves("Ethereum")
	require.Len(t, all, 1)
	signed, err := w.store.SignedOf(t.Context(), all[0].ID)
	require.NoError(t, err)
	h.txid = signed[0].Txid
	for range 6 {
		w.mine("Ethereum", 1)
		w.reconciles()
		require.True(t, w.moves("Ethereum")[0].Status.Open(), "it has not arrived")
	}
	for range 4 {
		w.mine("Ethereum", 1)
		w.reconciles()
	}
	require.Equal(t, pay.MoveDone, w.moves("Ethereum")[0].Status)
	w.equal("1.9999", *w.moves("Ethereum")[0].Moved)
}
