package operator

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

var (
	movesOpenDesc   = desc("treasury_moves_open", "Moves between our addresses that may still move something, by kind: sweep, topup, cold, consolidate, prepare, stake, unstake, withdraw, delegate or undelegate.", "network", "kind")
	moveAgeDesc     = desc("treasury_move_age_seconds", "Since the oldest open move that is in no block was planned; zero without one.", "network")
	movesFailedDesc = desc("treasury_moves_failed", "Moves that failed in the last day, without a later move of the same money.", "network", "kind")
	sweepCostDesc   = desc("treasury_sweep_cost_total", "What sweeps, their top-ups and their loans have cost, in the network's native coin.", "network")
	coinsLeftDesc   = desc("treasury_coins_left", "Coins for payouts that are not worth the fee of spending them.", "network", "asset")
	dustDesc        = desc("treasury_coins_left_amount", "What those coins are together.", "network", "asset")
	coinsMixedDesc  = desc("treasury_coins_mixed", "Coins with tokens of others, which are never spent.", "network", "asset")
	mixedDesc       = desc("treasury_coins_mixed_amount", "What those coins are together.", "network", "asset")
	hotFloorDesc    = desc("treasury_hot_floor", "Below it the hot wallet is too small, by the rule of the treasury.", "network", "asset", "token")
	hotCeilingDesc  = desc("treasury_hot_ceiling", "Above it the rest goes to the cold address, by the rule of the treasury. Absent where nothing does.",
		"network", "asset", "token")
)

// treasury tells of the moves and the rules of the treasury.
func (c *databaseCollector) treasury(ctx context.Context, to chan<- prometheus.Metric) error {
	if err := c.moves(ctx, to); err != nil {
		return err
	}
	rows, err := c.store.TreasuryVitals(ctx)
	for i := range rows {
		r := &rows[i]
		if r.Floor.IsPositive() {
			to <- amount(hotFloorDesc, r.Floor, r.Network, r.Asset, r.Token)
		}
		if r.Pot.Valid {
			to <- prometheus.MustNewConstMetric(coinsLeftDesc, prometheus.GaugeValue, float64(r.LeftCoins), r.Network, r.Asset)
			to <- amount(dustDesc, r.Left, r.Network, r.Asset)
			to <- prometheus.MustNewConstMetric(coinsMixedDesc, prometheus.GaugeValue, float64(r.MixedCoins), r.Network, r.Asset)
			to <- amount(mixedDesc, r.Mixed, r.Network, r.Asset)
		}
		if r.Ceiling.Valid {
			to <- amount(hotCeilingDesc, r.Ceiling.Decimal, r.Network, r.Asset, r.Token)
		}
	}
	return err
}

func (c *databaseCollector) moves(ctx context.Context, to chan<- prometheus.Metric) error {
	rows, err := c.store.MoveVitals(ctx)
	ages, costs := map[string]int64{}, map[string]decimal.Decimal{}
	for i := range rows {
		r := &rows[i]
		to <- prometheus.MustNewConstMetric(movesOpenDesc, prometheus.GaugeValue, float64(r.Open), r.Network, r.Kind)
		to <- prometheus.MustNewConstMetric(movesFailedDesc, prometheus.GaugeValue, float64(r.Failed), r.Network, r.Kind)
		ages[r.Network] = max(ages[r.Network], r.AgeMS)
		switch pay.MoveKind(r.Kind) {
		case pay.MoveSweep, pay.MoveTopup, pay.MoveDelegate, pay.MoveUndelegate:
			costs[r.Network] = costs[r.Network].Add(r.Cost)
		}
	}
	for network, age := range ages {
		to <- seconds(moveAgeDesc, age, network)
		to <- prometheus.MustNewConstMetric(sweepCostDesc, prometheus.CounterValue, costs[network].InexactFloat64(), network)
	}
	return err
}
