package workers_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// doubts has a network's second node not show blocks from a height on, or contradict one.
type doubts struct {
	late, contrary int64
	asked          []chains.Transfer
}

func (d *doubts) confirm(_ context.Context, block chains.Mark, transfers []chains.Transfer) (bool, error) {
	d.asked = append(d.asked, transfers...)
	if d.contrary > 0 && block.Height >= d.contrary {
		return false, fmt.Errorf("%w: nodes tell other transfers", chains.ErrDown)
	}
	return d.late == 0 || block.Height < d.late, nil
}

// TestAPaymentIsConfirmedBeforeItsBlockIsTaken: a payment that a second node does not tell is not seen, and one of an earlier block of the
// same step is. It is seen, credited and completes its payin once the second node tells it.
//
// Covers operator §Settings: What came to an address of ours
func TestAPaymentIsConfirmedBeforeItsBlockIsTaken(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(d *doubts, height int64){
		"late":     func(d *doubts, height int64) { d.late = height },
		"contrary": func(d *doubts, height int64) { d.contrary = height },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, d := newWorld(t, "Ethereum"), &doubts{}
			n, _ := w.registry.Network("Ethereum")
			n.Confirm = d.confirm
			first, second := w.payin("Ethereum", "USDT", "70"), w.payin("Ethereum", "USDT", "30")
			w.pays("Ethereum", "USDT", first.Wallet, "70")
			blocks, err := w.chain.Mine(t.Context(), "Ethereum", 1)
			require.NoError(t, err)
			w.pays("Ethereum", "USDT", second.Wallet, "30")
			of(d, blocks+1)
			w.mineUnseen("Ethereum", 1)
			w.work()
			w.work()
			require.Equal(t, 1, w.arrivedAt(first))
			require.Equal(t, 0, w.arrivedAt(second))
			if name == "contrary" {
				require.Contains(t, w.followerError("Ethereum"), "nodes tell other transfers")
			}
			for _, one := range d.asked {
				require.Contains(t, []string{n.Addresser.Match(first.Wallet), n.Addresser.Match(second.Wallet)}, one.To)
			}
			*d = doubts{}
			w.work()
			w.mine("Ethereum", 12)
			require.Equal(t, pay.PayinCompleted, w.payinNow(second.ID).Status)
			w.equal("100", w.balance("USDT").Available)
			require.Empty(t, w.followerError("Ethereum"))
		})
	}
}

// arrivedAt counts the transfers of a payin.
func (w *world) arrivedAt(p *pay.Payin) (count int) {
	w.t.Helper()
	require.NoError(w.t, w.db.NewRaw("select count(*) from transfers where payin_id = ?", p.ID).Scan(w.t.Context(), &count))
	return count
}
