package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// ofBlocks is a sender whose network tells its holdings after its newest block, as chains with nodes of many sorts do.
type ofBlocks struct {
	chains.Sender
	w *world
}

func (o ofBlocks) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	mined := o.w.count("select count(*) from sandbox_transactions where nonce is not null and state = 'mined'")
	draft, err := o.Sender.Prepare(ctx, spend)
	return ofBlock{draft, uint64(mined)}, err
}

type ofBlock struct {
	chains.Draft
	from uint64
}

func (o ofBlock) Spare() chains.Spare {
	spare := o.Draft.Spare()
	spare.From, spare.Untaken = &o.from, nil
	return spare
}

// TestTheHotWalletIsPromisedOnce: another payout was signed and sent after the network had told the holdings.
//
// Covers addendum §7: An empty treasury
func TestTheHotWalletIsPromisedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron", "Ethereum")
	w.fund("Tron", "USDT", "3000000000")
	n, _ := w.registry.Network("Ethereum") // its hot wallet holds 1,000,000,000
	n.Sender = ofBlocks{n.Sender, w}
	to := "0x52908400098527886E0F7030069857D2E4169EE7"
	one, two := w.payout("Ethereum", "USDT", "800000000", to), w.payout("Ethereum", "USDT", "800000000", to)
	w.meanwhile("Ethereum", func() { w.broadcast(one.ID) })
	w.broadcast(two.ID)
	require.Equal(t, pay.PayoutSent, w.payoutNow(one.ID).Status)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(two.ID).Status)
	require.Contains(t, w.troubled(two), "signed for others")

	w.mine("Ethereum", 6)
	small := w.payout("Ethereum", "USDT", "5", to)
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(one.ID).Status)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(two.ID).Status)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(small.ID).Status)
	w.equal("800000005", w.paidTo("Ethereum", to))
}

// Transactions taken by the sandbox after it told the holdings are not deducted from these, also once they are in a block: the wallet
// holds enough for one payout, and the other waits unsigned.
//
// Covers addendum §7: An empty treasury
func TestTheSandboxesHotWalletIsPromisedOnce(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]func(*world){
		"in the mempool":     func(*world) {},
		"in a block":         func(w *world) { w.mineUnseen("Ethereum", 1); w.tryToFollow() },
		"and another signed": func(w *world) { w.broadcast(w.payout("Ethereum", "USDT", "1", sandboxPayee).ID) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Tron", "Ethereum")
			w.fund("Tron", "USDT", "3000000000")
			w.broadcast(w.payout("Ethereum", "USDT", "1", sandboxPayee).ID) // the wallet has sent something before
			one, two := w.payout("Ethereum", "USDT", "800000000", sandboxPayee), w.payout("Ethereum", "USDT", "800000000", sandboxPayee)
			w.meanwhile("Ethereum", func() {
				w.broadcast(one.ID)
				then(w)
			})
			w.broadcast(two.ID)
			require.Equal(t, "pending", w.payoutNow(one.ID).Status.Public())
			require.Equal(t, pay.PayoutQueued, w.payoutNow(two.ID).Status)
			require.Contains(t, w.troubled(two), "signed for others")
			w.mine("Ethereum", 6)
			require.Equal(t, pay.PayoutCompleted, w.payoutNow(one.ID).Status)
			require.Equal(t, pay.PayoutQueued, w.payoutNow(two.ID).Status)
		})
	}
}

const sandboxPayee = "0x52908400098527886E0F7030069857D2E4169EE7"
