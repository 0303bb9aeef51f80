package store_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
	"causeway/migrations"
)

// A rule is read as it was set, and set again it replaces itself.
func TestARuleOfTheTreasuryIsReadAsItWasSet(t *testing.T) {
	t.Parallel()
	testkit.DB(t)
	s := store.New(testkit.DBAs(t, migrations.OperatorRole))
	d := decimal.RequireFromString
	ceiling := d("12000.5")
	full := store.TreasuryRule{Network: "Tron", Token: "USDT", SweepMin: d("20.25"), MaxFeePercent: d("1.5"), Patience: 36*time.Hour + time.Second,
		HotFloor: d("1000"), HotTarget: d("5000"), HotCeiling: &ceiling, Paused: true}
	bare := store.TreasuryRule{Network: "Ethereum", Token: "ETH", SweepMin: d("0.05"), MaxFeePercent: d("2")}
	require.NoError(t, s.SetTreasuryRule(t.Context(), &full))
	require.NoError(t, s.SetTreasuryRule(t.Context(), &bare))
	got, err := s.TreasuryRules(t.Context())
	require.NoError(t, err)
	require.Equal(t, ruleTexts(bare, full), ruleTexts(got...))

	full.Paused, full.HotCeiling, full.Patience = false, nil, 0
	require.NoError(t, s.SetTreasuryRule(t.Context(), &full))
	got, err = s.TreasuryRules(t.Context())
	require.NoError(t, err)
	require.Equal(t, ruleTexts(bare, full), ruleTexts(got...))

	for _, want := range []bool{true, false} {
		removed, err := s.RemoveTreasuryRule(t.Context(), "Tron", "USDT")
		require.NoError(t, err)
		require.Equal(t, want, removed)
	}
}

// ruleTexts is rules to compare: the same amount has several decimals.
func ruleTexts(rules ...store.TreasuryRule) (out [][]any) {
	for _, r := range rules {
		ceiling := "none"
		if r.HotCeiling != nil {
			ceiling = r.HotCeiling.String()
		}
		out = append(out, []any{r.Network, r.Token, r.SweepMin.String(), r.MaxFeePercent.String(), r.Patience, r.HotFloor.String(), r.HotTarget.String(),
			ceiling, r.Paused})
	}
	return out
}
