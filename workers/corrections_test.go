package workers_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/ops/admin"
)

// corrects makes good a difference of USDT on Ethereum.
func (w *world) corrects(amount, although string) error {
	_, err := (&admin.Admin{Store: w.store, Actor: "operator"}).CorrectTreasury(context.Background(), admin.NewCorrection{
		Network: "Ethereum", Asset: "USDT", Amount: amount, Reason: "taken from both addresses", Although: although})
	return err
}

// lacking is a world with 600 USDT less on Ethereum than in the books.
func lacking(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "1000")
	w.exec("update sandbox_holdings set amount = amount - 300 where network = 'Ethereum' and token = 'USDT'")
	return w
}

// The finding of the last look is corrected, and nothing else without saying its figure: nothing corrected before, looked at again or
// not.
//
// Covers operator §Admin: treasury correct makes
func TestADifferenceIsCorrectedOnce(t *testing.T) {
	t.Parallel()
	w := lacking(t)
	w.exec("delete from reconcile_looks")
	require.ErrorContains(t, w.corrects("-600", ""), "a difference of 0 is open (no look at Ethereum has ended yet)")
	w.reconcile()
	require.ErrorContains(t, w.corrects("600", ""),
		"of USDT a difference of -600 is open (the last look at Ethereum found -600, and 0 was corrected since)")
	require.ErrorContains(t, w.corrects("-100", ""), "--although -600 corrects -100 all the same")
	require.ErrorContains(t, w.corrects("-100", "-500"), "a difference of -600 is open")
	require.NoError(t, w.corrects("-100", "-600"))
	require.NoError(t, w.corrects("-500.0", ""))
	for _, although := range []string{"", "-500", "-600"} {
		require.ErrorContains(t, w.corrects("-500", although),
			"a difference of 0 is open (the last look at Ethereum found -600, and -600 was corrected since)")
	}
	w.reconcile()
	require.Empty(t, w.reported())
	require.ErrorContains(t, w.corrects("-500", ""), "a difference of 0 is open (the last look at Ethereum found 0, and 0 was corrected since)")
	require.Equal(t, 2, w.count("select count(*) from entries where kind = 'treasury_corrected'"))

	require.NoError(t, w.corrects("7", "0"))
	w.reconcile()
	require.NoError(t, w.corrects("-7", ""), "it was too much")
}

// A network rests after a look: a refused correction has it looked at again, since its figures may be old.
func TestARefusedCorrectionIsLookedAt(t *testing.T) {
	t.Parallel()
	w := lacking(t)
	w.reconcile()
	w.exec("update sandbox_holdings set amount = amount + 300 where network = 'Ethereum' and token = 'USDT'")
	w.exec("update reconcile_looks set next_at = now() + interval '10 minutes'")
	require.Error(t, w.corrects("-500", ""))
	w.reconcile()
	require.Empty(t, w.reported())
}

// Two corrections of the same difference at the same moment correct it once: the second looks when the first has ended.
func TestTwoCorrectTheSameDifference(t *testing.T) {
	t.Parallel()
	w := lacking(t)
	w.reconcile()
	audit := w.held("lock table audit in exclusive mode") // the last table written by each
	outcomes := make(chan error, 2)
	for range 2 {
		go func() { outcomes <- w.corrects("-600", "") }()
	}
	w.await(2)
	require.NoError(t, audit.Commit())
	one, other := <-outcomes, <-outcomes
	if one != nil {
		one, other = other, one
	}
	require.NoError(t, one)
	require.ErrorContains(t, other, "a difference of 0 is open")
	w.reconcile()
	require.Empty(t, w.reported())
}

// interrupted is a node with an interruption before it answers one of the questions.
type interrupted struct {
	chains.Holder
	at   int64
	do   func()
	seen atomic.Int64
}

func (i *interrupted) Holdings(ctx context.Context, token string, addresses []string, height int64) ([]decimal.Decimal, error) {
	if i.seen.Add(1) == i.at {
		i.do()
	}
	return i.Holder.Holdings(ctx, token, addresses, height)
}

// A look that read the books before a correction finds the difference made good by it: this is not open again.
func TestALookThatACorrectionOvertakes(t *testing.T) {
	t.Parallel()
	w := lacking(t)
	w.reconcile()
	n, _ := w.registry.Network("Ethereum")
	n.Holder = &interrupted{Holder: n.Holder, at: 1, do: func() { require.NoError(t, w.corrects("-600", "")) }}
	w.reconcile()
	require.NotEmpty(t, w.reported())
	require.ErrorContains(t, w.corrects("-600", ""), "a difference of 0 is open (the last look at Ethereum found -600, and -600 was corrected since)")
	w.reconcile()
	require.Empty(t, w.reported())
}
