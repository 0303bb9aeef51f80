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

// returns is a network where the one payout of USDT is not taken, and comes back some blocks after it has left.
type returns struct {
	chains.Watcher
	chains.Holder
	scanner chains.Scanner
	hot     string
	left    int64 // its block
	takes   int64 // blocks
}

func (r *returns) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	all, err := r.Watcher.Status(ctx, txids)
	if err != nil {
		return nil, err
	}
	head, err := r.scanner.Head(ctx, -1)
	for txid, now := range all {
		if now.State != chains.TxMined {
			continue
		}
		r.left = now.Height
		if now.Way = (&chains.Way{Amount: dec("50")}); head.Height >= r.left+r.takes {
			now.State, now.Way.Arrives = chains.TxReverted, r.left+r.takes
		} else {
			now.Final = false
		}
		all[txid] = now
	}
	return all, err
}

func (r *returns) Holdings(ctx context.Context, token string, addresses []string, height int64) ([]decimal.Decimal, error) {
	held, err := r.Holder.Holdings(ctx, token, addresses, height)
	for i := range held {
		if token == "USDT" && addresses[i] == r.hot && r.left > 0 && height >= r.left+r.takes {
			held[i] = held[i].Add(dec("50"))
		}
	}
	return held, err
}

// What nobody took is held by nobody on its way back, and is no difference, also while the network is ahead of its follower. The payout is refunded
// once it is there.
func TestWhatComesBackIsNoDifference(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	n, _ := w.registry.Network("Ethereum")
	r := &returns{Watcher: n.Watcher, Holder: n.Holder, scanner: n.Scanner, hot: n.Hot, takes: 8}
	n.Watcher, n.Holder = r, r
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	for range 7 {
		w.mine("Ethereum", 1)
		w.reconciles()
		require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
	}
	_, err := w.chain.Mine(t.Context(), "Ethereum", 3)
	require.NoError(t, err)
	w.reconciles()
	require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
	w.mine("Ethereum", 4)
	w.reconciles()
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.equal("100", w.balance("USDT").Available)
}
