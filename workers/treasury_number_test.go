package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// numberLie is a Counter that tells the next number of an address as too high, once. Used is what blocks have used of it, if that is not the
// chain's.
type numberLie struct {
	chains.Counter
	of   string
	by   uint64
	used *uint64
}

func (l *numberLie) NextNonce(ctx context.Context, address string) (uint64, error) {
	next, err := l.Counter.NextNonce(ctx, address)
	if address == l.of {
		next, l.by = next+l.by, 0
	}
	return next, err
}

func (l *numberLie) NonceAt(ctx context.Context, address string, height int64) (uint64, error) {
	if address == l.of && l.used != nil {
		return *l.used, nil
	}
	return l.Counter.NonceAt(ctx, address, height)
}

// waitsFor is a node that does not carry out what is above the number of its address, and says something of it; nil has it do as others.
type waitsFor struct {
	chains.Sender
	said *chains.Outcome
}

func (f *waitsFor) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	if f.said != nil {
		return *f.said, "terPRE_SEQ"
	}
	return f.Sender.Broadcast(ctx, raw)
}

// TestASweepOfANumberThatIsTooHigh: a node told a number of the address that the chain never comes to. Once the time of its transaction is over
// the move is given up, and the next one has the address's own number.
//
// Covers operator §Settings: A sweep on Ripple for a number
func TestASweepOfANumberThatIsTooHigh(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]chains.Outcome{"refused at first": chains.NotTaken, "held at first": chains.Accepted} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, n, p := sharing(t)
			w.paidWithMemo(p.Wallet, "12345678", "10")
			node := &waitsFor{n.Sender, &said}
			n.Counter, n.Sender = &numberLie{Counter: n.Counter, of: n.Addresser.Match(p.Wallet), by: 5}, node
			w.looked()
			first := w.moves("Ripple")
			require.Len(t, first, 1)
			require.Len(t, w.signedOf(first[0]), 1)
			require.EqualValues(t, 5, w.signedOf(first[0])[0].Nonce)

			node.said = new(chains.Expired)
			w.later("2 minutes")
			w.mine("Ripple", 1)
			w.looked()
			require.Equal(t, pay.MoveFailed, w.moves("Ripple")[0].Status)
			require.Equal(t, pay.TxExpired, w.signedOf(first[0])[0].State)

			node.said = nil
			for range 8 {
				w.looked()
				w.mine("Ripple", 1)
				w.reconciles()
			}
			all := w.moves("Ripple")
			require.Len(t, all, 2)
			require.Equal(t, pay.MoveDone, all[1].Status)
			w.equal("1", w.holds("Ripple", "XRP", p.Wallet))
			for _, one := range w.signedOf(all[1]) {
				require.Zero(t, one.Nonce)
			}
		})
	}
}

// signedOf are the transactions of a move.
func (w *world) signedOf(m pay.TreasuryMove) []pay.SignedTransaction {
	w.t.Helper()
	signed, err := w.store.SignedOf(context.Background(), m.ID)
	require.NoError(w.t, err)
	return signed
}

// TestASweepWhoseNumberTheChainHasComeTo is signed again for its number, though its time is over: others have used the numbers before.
func TestASweepWhoseNumberTheChainHasComeTo(t *testing.T) {
	t.Parallel()
	w, n, p := sharing(t)
	w.paidWithMemo(p.Wallet, "12345678", "10")
	node := &waitsFor{n.Sender, new(chains.NotTaken)}
	n.Counter, n.Sender = &numberLie{n.Counter, n.Addresser.Match(p.Wallet), 5, new(uint64(5))}, node
	w.looked()
	node.said = new(chains.Expired)
	w.later("2 minutes")
	w.looked()
	all := w.moves("Ripple")
	require.Len(t, all, 1)
	require.Equal(t, pay.MoveSigned, all[0].Status)
}
