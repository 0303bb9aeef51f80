package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/dev/tronnode"
	"causeway/internal/ops/admin"
	"causeway/internal/ops/onchain"
	"causeway/internal/pay"
)

// newStaker is an installation on Tron whose hot wallet has 12,000 TRX, and may stake 6,000. What is unstaked comes back a day later.
func newStaker(t *testing.T) *fakeTron {
	e := newFakeTronWith(t, tronnode.Options{Unfreeze: 1}, "max_stake: 6000\n    stale_after: 0s")
	_, err := e.node.Fund(e.reads.Hot(), 10_000_000_000)
	require.NoError(t, err)
	e.mineUntil("the coin is in the books", func() bool { return e.clean() })
	return e
}

// ends waits until the newest move of a kind has ended.
func (e *fakeTron) ends(kind pay.MoveKind, status pay.MoveStatus) (ended admin.TreasuryMove) {
	e.t.Helper()
	e.mineUntil(string(kind)+" "+string(status), func() bool {
		all := e.ofKind(kind)
		if len(all) > 0 {
			ended = all[0]
		}
		return ended.Status == status
	})
	return ended
}

func (e *fakeTron) ofKind(kind pay.MoveKind) (out []admin.TreasuryMove) {
	for _, m := range e.moves() {
		if m.Kind == kind {
			out = append(out, m)
		}
	}
	return out
}

// clean reports whether the books equal themselves and the chain.
func (e *fakeTron) clean() bool {
	return strings.Contains(e.command("reconcile"), `"differences": []`)
}

// TestTronLendsEnergyForSweeps: the hot wallet stakes, lends a deposit address energy for its sweep, and takes it back. The stake stays ours:
// the books equal the chain before and after each step, and while it comes back.
//
// Covers operator §Admin: causeway admin treasury tron stake
// Covers operator §Admin: causeway admin treasury tron unstake
// Covers operator §Treasury: What the hot wallet does with a stake
// Covers operator §Treasury: A loan is taken back
func TestTronLendsEnergyForSweeps(t *testing.T) {
	t.Parallel()
	e := newStaker(t)
	e.command("admin", "treasury", "tron", "stake", "6001")
	require.Contains(t, *e.ends(pay.MoveStake, pay.MoveCancelled).Reason, "max_stake allows 6000")
	e.command("admin", "treasury", "tron", "stake", "4000")
	stake := e.ends(pay.MoveStake, pay.MoveDone)
	require.True(t, e.clean(), "a stake is still ours")
	t.Logf("staked %s TRX for energy, at the cost of %s", stake.Moved, stake.Cost)
	e.command("run", "reconcile")
	e.mineUntil("a look has seen the stake", func() bool {
		var where onchain.TreasuryAddresses
		require.NoError(t, json.Unmarshal([]byte(e.command("admin", "treasury", "addresses", "Tron")), &where))
		at := slices.IndexFunc(where.Holdings, func(h onchain.TreasuryHolding) bool { return h.Token == "TRX" })
		return at >= 0 && where.Holdings[at].Staked.String() == "4000" && where.Holdings[at].Hot.GreaterThan(decimal.NewFromInt(11_990))
	})

	e.payin("USDT", "60", func(to string) (string, error) { return e.node.Pay(tronnode.USDT, to, 60_000_000) })
	e.beginSweeps(1)
	sweep := e.ends(pay.MoveSweep, pay.MoveDone)
	loan, end := e.ends(pay.MoveDelegate, pay.MoveDone), e.ends(pay.MoveUndelegate, pay.MoveDone)
	for _, m := range e.moves() {
		t.Logf("%s of %s %s: %s, at the cost of %v", m.Kind, m.Amount, m.Token, m.Status, m.Cost)
	}
	require.Equal(t, "60", sweep.Moved.String())
	require.Equal(t, "0", sweep.Cost.String(), "energy of the loan, and free bandwidth")
	require.Equal(t, sweep.ID, *loan.After)
	require.True(t, loan.Amount.Equal(end.Amount))
	require.Len(t, e.ofKind(pay.MoveTopup), 1, "TRX for its bytes, and for the new account")
	require.True(t, e.clean())
	now, err := e.reads.Stake(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"4000", "0"}, []string{now.Staked.String(), now.Lent.String()})

	e.command("admin", "treasury", "tron", "unstake", "1500")
	e.ends(pay.MoveUnstake, pay.MoveDone)
	require.True(t, e.clean(), "so is what is on its way back")
	e.node.Later(24 * time.Hour)
	require.Equal(t, "1500", e.ends(pay.MoveWithdraw, pay.MoveDone).Moved.String())
	require.True(t, e.clean())
}

// TestTronTakesALoanBack: a sweep that a person stops leaves its loan behind. It comes back once the sweep is known to be dead.
func TestTronTakesALoanBack(t *testing.T) {
	t.Parallel()
	e := newStaker(t)
	e.command("admin", "treasury", "tron", "stake", "4000")
	e.ends(pay.MoveStake, pay.MoveDone)
	e.payin("USDT", "60", func(to string) (string, error) { return e.node.Pay(tronnode.USDT, to, 60_000_000) })
	e.beginSweeps(1)
	loan := e.ends(pay.MoveDelegate, pay.MoveDone)
	e.node.Hold(true)
	testkit.Eventually(t, time.Minute, func() bool { return len(e.signedFor(e.ofKind(pay.MoveSweep)[0].ID.String())) > 0 }, "the sweep is signed")
	require.Empty(t, e.ofKind(pay.MoveUndelegate), "its sweep is under way")
	e.command("admin", "treasury", "moves", "cancel", e.ofKind(pay.MoveSweep)[0].ID.String())
	e.ends(pay.MoveSweep, pay.MoveFailed)
	e.node.Hold(false)
	end := e.ends(pay.MoveUndelegate, pay.MoveDone)
	require.True(t, end.Amount.Equal(loan.Amount))
	require.True(t, e.clean())
}
