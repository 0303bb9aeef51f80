package operator

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"
)

var (
	balanceDesc = desc("wallet_balance", "What our addresses on the network held by the last whole look: the hot wallet (hot), the cold addresses (cold), all others together (deposits).",
		"network", "asset", "kind")
	payableDesc = desc("wallet_payable", "What payouts can be paid from: the hot wallet, or its coins and those of deposit addresses where coins are spent whole.",
		"network", "asset")
	movingDesc = desc("wallet_moving", "What signed moves between our addresses move that are not final; wallet_balance has it at one of its ends.",
		"network", "asset")
	awaitedDesc = desc("wallet_awaited", "What queued payouts ask the hot wallet for; those that wait for approval do not count.", "network", "asset")
	missingDesc = desc("wallet_missing", "What the hot wallet lacks to pay all queued payouts.", "network", "asset")
	lastsDesc   = desc("wallet_lasts_days", "For how many days the hot wallet lasts, by the mean of what payouts took in the last week. Absent when nothing was paid.",
		"network", "asset")
)

func (c *databaseCollector) wallets(ctx context.Context, to chan<- prometheus.Metric) error {
	rows, err := c.store.WalletVitals(ctx)
	for i := range rows {
		r := &rows[i]
		to <- amount(awaitedDesc, r.Awaited, r.Network, r.Asset)
		if !r.Seen {
			continue
		}
		to <- amount(balanceDesc, r.Hot, r.Network, r.Asset, "hot")
		to <- amount(balanceDesc, r.Cold, r.Network, r.Asset, "cold")
		to <- amount(balanceDesc, r.Deposits, r.Network, r.Asset, "deposits")
		to <- amount(payableDesc, r.Payable, r.Network, r.Asset)
		to <- amount(movingDesc, r.Moving, r.Network, r.Asset)
		to <- amount(missingDesc, r.Missing, r.Network, r.Asset)
		if days, known := r.LastsDays(); known {
			to <- prometheus.MustNewConstMetric(lastsDesc, prometheus.GaugeValue, days, r.Network, r.Asset)
		}
	}
	return err
}

func amount(d *prometheus.Desc, value decimal.Decimal, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value.InexactFloat64(), labels...)
}
