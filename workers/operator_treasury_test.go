package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/onchain"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// A plan by the rules is shown and moves nothing; a sweep by hand moves the money of one address, within what it may cost, and only
// once at a time.
//
// Covers operator §Admin: causeway admin treasury plan
// Covers operator §Admin: causeway admin treasury sweep
// Covers operator §Admin: treasury plan answers
// Covers operator §Admin: treasury sweep plans
func TestAnOperatorSweepsByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	ops := w.by("ops")
	large, small := w.payin("Ethereum", "USDT", "100"), w.payin("Ethereum", "USDT", "2")
	w.pays("Ethereum", "USDT", large.Wallet, "100")
	w.pays("Ethereum", "USDT", small.Wallet, "2")
	w.mine("Ethereum", 8)
	w.reconcile()
	w.ruled("Ethereum", "USDT", func(r *store.TreasuryRule) { r.SweepMin, r.MaxFeePercent = dec("1"), dec("3") })

	plan, err := ops.PlanTreasury(t.Context(), "erc20")
	require.NoError(t, err)
	require.Empty(t, plan.Unreached)
	require.Len(t, plan.Moves, 1)
	require.Equal(t, []string{"sweep", "USDT", n.Addresser.Match(large.Wallet), n.Hot, "100"}, []string{string(plan.Moves[0].Kind), plan.Moves[0].Token,
		plan.Moves[0].From, plan.Moves[0].To, plan.Moves[0].Amount.String()})
	require.True(t, plan.Moves[0].Cost.IsPositive())
	require.Len(t, plan.Left, 1)
	require.Contains(t, plan.Left[0].Left, "it costs")
	require.Empty(t, w.moves("Ethereum"), "a plan moves nothing")

	_, err = ops.Sweep(t.Context(), "Ethereum", onchain.SweepAsked{Address: small.Wallet, Token: "USDT"})
	require.ErrorContains(t, err, "nothing is swept from")
	_, err = ops.Sweep(t.Context(), "Ethereum", onchain.SweepAsked{Address: "nowhere"})
	require.ErrorContains(t, err, `"nowhere" is no address of Ethereum`)
	_, err = ops.Sweep(t.Context(), "Ethereum", onchain.SweepAsked{Address: elsewhere, Token: "USDT"})
	require.ErrorContains(t, err, "our books know of nothing at")
	_, err = ops.Sweep(t.Context(), "Ethereum", onchain.SweepAsked{Address: large.Wallet, Token: "GOLD"})
	require.ErrorContains(t, err, "there is no token GOLD on Ethereum")

	swept, err := ops.Sweep(t.Context(), "Ethereum", onchain.SweepAsked{Address: small.Wallet, Token: "USDT", AlthoughFee: true})
	require.NoError(t, err)
	require.Len(t, swept.Moves, 1)
	require.Equal(t, []any{"ops", pay.MovePlanned, "2"}, []any{swept.Moves[0].By, swept.Moves[0].Status, swept.Moves[0].Amount.String()})
	require.Nil(t, swept.Moves[0].MaxFee)
	_, err = ops.Sweep(t.Context(), "Ethereum", onchain.SweepAsked{Address: small.Wallet, Token: "USDT", AlthoughFee: true})
	require.ErrorContains(t, err, "is under way")
	swept, err = ops.Sweep(t.Context(), "Ethereum", onchain.SweepAsked{})
	require.NoError(t, err)
	require.Len(t, swept.Moves, 1, "the other one is under way")
	require.Equal(t, n.Addresser.Match(large.Wallet), swept.Moves[0].From)

	w.mine("Ethereum", 16)
	for _, p := range []*pay.Payin{large, small} {
		w.equal("0", w.holds("Ethereum", "USDT", p.Wallet))
	}
	require.Equal(t, 2, w.count("select count(*) from audit where actor = 'ops' and action = 'treasury.sweep' and subject = 'network:Ethereum'"))
}

// What goes to a new cold address by hand is small, until an operator confirms that it has arrived.
//
// Covers operator §Admin: causeway admin treasury cold
// Covers operator §Admin: causeway admin treasury confirm
// Covers operator §Admin: causeway admin treasury addresses
// Covers operator §Admin: treasury cold plans
// Covers operator §Admin: A cold address gets
// Covers operator §Admin: treasury addresses answers
func TestAnOperatorSendsToTheColdAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	ops := w.by("ops")
	w.fund("Ethereum", "USDT", "300")
	w.mine("Ethereum", 8)
	w.reconcile()
	_, err := ops.SendCold(t.Context(), "Ethereum", "USDT", "-1")
	require.ErrorContains(t, err, `"-1" is not a plain number`)
	_, err = ops.SendCold(t.Context(), "Ethereum", "USDT", "0")
	require.ErrorContains(t, err, "above zero")
	_, err = ops.SendCold(t.Context(), "Ethereum", "USDT", "1000000000000")
	require.ErrorContains(t, err, "beyond what payouts wait for")
	_, err = ops.ConfirmCold(t.Context(), "Ethereum")
	require.ErrorContains(t, err, "no move to")

	sent, err := ops.SendCold(t.Context(), "Ethereum", "USDT", "500")
	require.NoError(t, err)
	require.Len(t, sent.Moves, 1)
	w.equal("0.5", sent.Moves[0].Amount)
	_, err = ops.SendCold(t.Context(), "Ethereum", "USDT", "500")
	require.ErrorContains(t, err, "confirm that it has arrived")
	w.mine("Ethereum", 8)
	cold, err := ops.ConfirmCold(t.Context(), "Ethereum")
	require.NoError(t, err)
	require.Equal(t, "ops", *cold.ConfirmedBy)
	_, err = ops.ConfirmCold(t.Context(), "Ethereum")
	require.ErrorContains(t, err, "is confirmed already, by ops")
	sent, err = ops.SendCold(t.Context(), "Ethereum", "USDT", "500")
	require.NoError(t, err)
	w.equal("500", sent.Moves[0].Amount)
	w.mine("Ethereum", 8)
	w.equal("500.5", w.holds("Ethereum", "USDT", n.Cold))

	w.reconcile()
	all, err := ops.TreasuryAddresses(t.Context(), "Ethereum")
	require.NoError(t, err)
	require.Equal(t, n.HotAddress(), all.Hot)
	require.Len(t, all.Cold, 1)
	require.True(t, all.Cold[0].Current && all.Cold[0].Watched && *all.Cold[0].ConfirmedBy == "ops")
	require.Len(t, all.Unswept, 1)
	require.Equal(t, []any{"USDT", "day", int64(1), "300"}, []any{all.Unswept[0].Asset, all.Unswept[0].Age, all.Unswept[0].Addresses, all.Unswept[0].Amount.String()})
	require.Len(t, all.Oldest, 1)
	require.NotNil(t, all.Oldest[0].Since)
}
