package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/remotesigner"
	"causeway/internal/pay"
)

// keyless is a sender with its keys behind a signer, which may be away.
type keyless struct {
	chains.Sender
	away bool
}

// unsigned is a draft whose signer is away.
type unsigned struct{ chains.Draft }

func (e *keyless) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	d, err := e.Sender.Prepare(ctx, spend)
	if err == nil && e.away {
		d = unsigned{d}
	}
	return d, err
}

func (unsigned) Sign(chains.Slot) (chains.Signed, error) {
	return chains.Signed{}, &remotesigner.Error{Why: "there was no answer within 10s"}
}

// While a signer is away payouts wait, no slot is taken and nothing is saved. Once it is back they are paid, and wallets without it
// were never stopped.
//
// Covers operator §Settings: An answer that is wrong
func TestPayoutsWaitForTheirSigner(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "200")
	n, _ := w.registry.Network("Ethereum")
	sender := &keyless{Sender: n.Sender, away: true}
	n.Sender, n.SignsElsewhere = sender, true
	first := w.payout("Ethereum", "USDT", "50", destination)
	second := w.payout("Ethereum", "USDT", "60", destination)
	w.work()
	for _, p := range []*pay.Payout{first, second} {
		require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
		signed, err := w.store.SignedOf(t.Context(), p.ID)
		require.NoError(t, err)
		require.Empty(t, signed)
	}
	require.Contains(t, w.troubled(first)+w.troubled(second), "the signer gives no signature: there was no answer within 10s")

	sender.away = false
	w.work()
	w.mine("Ethereum", 5)
	for _, p := range []*pay.Payout{first, second} {
		require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	}
}
