package workers_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/tasks"
)

// lender is a hot wallet with a stake on a simulated network, whose loans are transactions that move nothing. Its offers help no sweep.
type lender struct {
	chains.Sender
	holder chains.Holder
	stake  chains.Stake
	acts   []chains.Act // that were prepared
	silent error        // about its stake
	poor   bool         // no loan can be paid for
}

func (l *lender) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	if spend.Act != "" {
		if l.acts = append(l.acts, spend.Act); l.poor {
			return nil, chains.ErrUnpayable
		}
		spend = chains.Spend{}
	}
	draft, err := l.Sender.Prepare(ctx, spend)
	var short *chains.Short
	if errors.As(err, &short) && spend.From != nil {
		short.Offer = &chains.Offer{Amount: dec("7")}
	}
	return draft, err
}

func (l *lender) Spendable(ctx context.Context, address string, height int64) (decimal.Decimal, error) {
	held, err := l.holder.Holdings(ctx, "TRX", []string{address}, height)
	if err != nil {
		return decimal.Zero, err
	}
	return held[0].Sub(l.stake.Staked), nil
}

func (l *lender) Stake(context.Context) (*chains.Stake, error) { return &l.stake, l.silent }

func (l *lender) Lending(context.Context, string) (*chains.Lending, error) { return nil, nil }

// lends has a lender on Tron.
func (w *world) lends() (*chains.Network, *lender) {
	w.t.Helper()
	n, _ := w.registry.Network("Tron")
	l := &lender{Sender: n.Sender, holder: n.Holder}
	n.Sender, n.Staking = l, l
	return n, l
}

// Two loans are made for one sweep at most. Then its address is topped up, and the loans come back once nothing of it is open. In each
// block the books agree with the network.
//
// Covers operator §Settings: With a stake the hot wallet lends
// Covers operator §Treasury: A loan is taken back
func TestLoansForASweepAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	n, l := w.lends()
	p := w.onTron("USDT", "100")
	deposit := n.Addresser.Match(p.Wallet)
	strangers := chains.Loan{Address: n.Addresser.Match(tronPayee), Amount: dec("5")}
	w.looked()
	for range 40 {
		w.mine("Tron", 1)
		w.reconciles()
		if slices.Contains(l.acts, chains.ActTakeBack) {
			l.stake.Loans = []chains.Loan{strangers}
			break
		}
		if slices.Contains(l.acts, chains.ActLend) {
			l.stake.Loans = []chains.Loan{{Address: deposit, Amount: dec("14")}, strangers}
		}
		require.Subset(t, []string{"sweep", "topup", "delegate", "undelegate"}, w.kinds("Tron"))
		w.only(t.Context(), tasks.PlanTreasury)
	}
	w.mine("Tron", 8)
	w.reconciles()
	require.ElementsMatch(t, []string{"sweep done", "delegate done", "delegate done", "topup done", "undelegate done"}, w.movesOn("Tron"))
	for _, m := range w.moves("Tron") {
		if m.Kind == pay.MoveUndelegate {
			require.Equal(t, []string{"14", deposit}, []string{m.Amount.String(), m.ToAddress}, "what is lent to others stays")
		}
	}
	w.equal("0", w.holds("Tron", "USDT", p.Wallet))
}

// A hot wallet that cannot pay for a loan tops the address up after two of them were cancelled.
func TestALoanThatCannotBePaidForIsNoLoop(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	_, l := w.lends()
	l.poor = true
	p := w.onTron("USDT", "100")
	w.looked()
	for range 20 {
		w.mine("Tron", 1)
	}
	require.ElementsMatch(t, []string{"sweep done", "delegate cancelled", "delegate cancelled", "topup done"}, w.movesOn("Tron"))
	w.equal("0", w.holds("Tron", "USDT", p.Wallet))
}

func (w *world) kinds(network string) (out []string) {
	for _, m := range w.moves(network) {
		out = append(out, string(m.Kind))
	}
	return out
}

// A worker without keys, in wrong hands, plans moves of a stake. The signer makes no loan that no sweep waits for, and takes back none
// that a sweep has.
func TestASignerBoundsAWorkersLoans(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	n, l := w.lends()
	index := uint32(77)
	derived, err := n.Addresser.Derive(t.Context(), index)
	require.NoError(t, err)
	to := n.Addresser.Match(derived)
	other := uint32(78)
	sweep := &pay.TreasuryMove{Network: "Tron", Kind: pay.MoveSweep, Token: "USDT", FromAddress: to, ToAddress: n.Hot, Index: &index, Amount: dec("5")}
	require.NoError(t, w.workers.Treasury.Begin(t.Context(), sweep))
	w.exec("update treasury_moves set status = 'signed' where id = ?", sweep.ID)
	w.exec("delete from jobs where ref = ?", sweep.ID)
	ends := func(why string, m *pay.TreasuryMove) {
		t.Helper()
		m.Network, m.Token, m.FromAddress, m.By = "Tron", "TRX", n.Hot, "rules"
		require.NoError(t, w.workers.Treasury.Begin(t.Context(), m))
		w.mine("Tron", 1)
		now, err := w.store.Move(t.Context(), m.ID)
		require.NoError(t, err)
		require.Equal(t, pay.MoveCancelled, now.Status)
		require.Contains(t, *now.Reason, why)
	}
	ends("no sweep asks for it", &pay.TreasuryMove{Kind: pay.MoveDelegate, ToAddress: to, Index: &index, Amount: dec("7")})
	ends("a sweep of its address is signed", &pay.TreasuryMove{Kind: pay.MoveUndelegate, ToAddress: to, Index: &index, Amount: dec("7")})
	elsewhere := "does not go from one of our addresses to another"
	ends(elsewhere, &pay.TreasuryMove{Kind: pay.MoveDelegate, ToAddress: to, Index: &other, Amount: dec("7"), After: &sweep.ID})
	ends(elsewhere, &pay.TreasuryMove{Kind: pay.MoveUndelegate, ToAddress: n.Addresser.Match(tronPayee), Index: &index, Amount: dec("7")})
	ends(elsewhere, &pay.TreasuryMove{Kind: pay.MoveStake, ToAddress: to, Amount: dec("7")})
	done := uuid.Must(uuid.NewV7())
	w.exec(`insert into treasury_moves (id, network, kind, token, from_address, to_address, index, amount, status, by)
		values (?, 'Tron', 'sweep', 'USDT', ?, ?, 77, 5, 'done', 'rules')`, done, to, n.Hot)
	ends("its sweep does not wait for it", &pay.TreasuryMove{Kind: pay.MoveDelegate, ToAddress: to, Index: &index, Amount: dec("7"), After: &done})
	require.Empty(t, l.acts)
}

// A sweep is not signed while a loan of its address is being taken back.
//
// Covers operator §Treasury: A loan is taken back
func TestASweepWaitsForTheEndOfALoan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	n, l := w.lends()
	p := w.onTron("USDT", "100")
	deposit := n.Addresser.Match(p.Wallet)
	l.stake.Loans = []chains.Loan{{Address: deposit, Amount: dec("7")}}
	planned, err := w.workers.Treasury.Loans(t.Context(), n)
	require.NoError(t, err)
	require.Len(t, planned, 1)
	require.NoError(t, w.workers.Treasury.Begin(t.Context(), &planned[0].Move))
	end := planned[0].Move.ID
	w.exec("update treasury_moves set status = 'sent' where id = ?", end)
	w.exec("delete from jobs where ref = ?", end)
	sweep := &pay.TreasuryMove{Network: "Tron", Kind: pay.MoveSweep, Token: "USDT", FromAddress: deposit, ToAddress: n.Hot, Index: planned[0].Move.Index,
		Amount: dec("100"), By: "ann"}
	require.NoError(t, w.workers.Treasury.Begin(t.Context(), sweep))
	w.only(t.Context(), tasks.MoveTreasury)
	require.Contains(t, w.troubled(&pay.Payout{ID: sweep.ID}), "an earlier loan to its address is being taken back")
	require.Empty(t, w.signedForMove(sweep))
	again, err := w.workers.Treasury.Loans(t.Context(), n)
	require.NoError(t, err)
	require.Empty(t, again)
	l.stake.Loans = nil
	w.exec("update treasury_moves set status = 'done' where id = ?", end)
	w.only(t.Context(), tasks.MoveTreasury)
	require.Equal(t, []string{"undelegate done", "sweep planned", "delegate planned"}, w.movesOn("Tron"))
}

// A node that does not tell the loans stops no sweep.
func TestSweepsArePlannedWithoutTheLoans(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	_, l := w.lends()
	l.silent = chains.ErrDown
	w.onTron("USDT", "100")
	w.looked()
	require.Contains(t, w.kinds("Tron"), "sweep")
}
