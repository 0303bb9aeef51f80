package operator

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/sirupsen/logrus"

	"causeway/internal/ops/admin"
	"causeway/internal/store"
)

// metrics serves a registry of our own. Figures of the database and of Redis are read at a scrape, and only then. Every process has
// the same ones: for those it is enough to scrape one process.
func metrics(d *Deps, q *queues) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		&databaseCollector{store: d.Store, live: d.Live, log: d.Log},
		&queueCollector{queues: q, log: d.Log},
		nodeCollector(d.Networks),
	)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: 4,
		Timeout:             3 * patience,
	})
}

// desc describes one of our metrics; its name ends in its unit.
func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("causeway_"+name, help, labels, nil)
}

var (
	upDesc = desc("source_up", "1 when the source of metrics answered this scrape.", "source")

	jobsDesc      = desc("jobs", "Jobs that are recorded, due or not.", "kind")
	jobsDueDesc   = desc("jobs_due", "Jobs that are due and not taken.", "kind")
	jobOldestDesc = desc("job_oldest_due_age_seconds", "How long the oldest due job of the kind has been due.", "kind")

	headDesc     = desc("follower_head_block", "The network's best block when the follower last asked.", "network")
	heightDesc   = desc("follower_block", "The last block that was followed.", "network")
	lagDesc      = desc("follower_lag_blocks", "Blocks that are still to be followed.", "network")
	haltedDesc   = desc("follower_halted", "1 when the follower has stopped and a person must look.", "network")
	failingDesc  = desc("follower_failing", "1 when the follower's last look failed.", "network")
	heldDesc     = desc("follower_held_payins", "Pending payins that were over a minute ago and cannot fail until the network is followed past that.", "network")
	reportedDesc = desc("follower_report_age_seconds", "Time since the follower last reported.", "network")

	payoutsDesc      = desc("payouts_open", "Payouts that are pending.", "network")
	payoutOldestDesc = desc("payout_oldest_open_age_seconds", "Age of the oldest pending payout.", "network")
	cappedDesc       = desc("payouts_over_cap", "Payouts that wait since they are over a cap of the signer.", "network", "token")
	contraryDesc     = desc("payouts_contrary", "Payouts that a person has to look at: their network has decided against how they had ended, or their final payment moved another amount than they ask for.", "network", "status")

	unknownDesc = desc("broadcasts_unknown", "Signed transactions of which it is not known whether their network has them.", "network")

	deliveriesDesc     = desc("deliveries_pending", "Webhooks that are still to be delivered, retries included.")
	deliveryOldestDesc = desc("delivery_oldest_pending_age_seconds", "Age of the oldest webhook that is still to be delivered.")
	firstDesc          = desc("webhook_first_attempt_recent_seconds",
		"From the commit of a webhook to its first attempt, over the last five minutes.", "percentile")
	firstCountDesc = desc("webhook_first_attempt_recent", "First attempts that webhook_first_attempt_recent_seconds is about.")

	owingDesc = desc("accounts_owing", "Accounts of merchants whose available balance is below zero, since a reversal took what was spent.", "asset")
	debtDesc  = desc("account_debt", "What these accounts owe together, in the asset.", "asset")

	unclaimedDesc   = desc("transfers_unclaimed", "Transfers that the operator has to assign or ignore.")
	unpricedDesc    = desc("transfers_unpriced", "Transfers of the last week that were credited without a price and count for nothing in their payin.")
	differencesDesc = desc("reconcile_differences", "Differences that the newest reconciliation found.")
	surplusesDesc   = desc("reconcile_surpluses", "How many of these differences are what a network holds beyond the books. They stop nothing.")
	driftDesc       = desc("ledger_drift", "Places where the newest reconciliation found the books to be other than they must be.", "asset", "check", "network")
	stoppedDesc     = desc("asset_stopped", "1 while payouts of the asset are not signed on the network, or on any if it is empty, until an operator resumes it.", "asset", "network")
	walletDesc      = desc("wallet_stopped", "1 while nothing is signed with a wallet of the network: its chain knows more than our books.", "network")
	sealDesc        = desc("seal_broken", "1 while nothing is signed with a wallet of the network, since a payout there is not as it was sealed.", "network")
	comparedDesc    = desc("reconcile_network_age_seconds", "Time since what a network holds was last compared with the books, whole.", "network")
	noPriceDesc     = desc("tokens_without_price", "Active tokens on followed networks that no usable price converts to USD.")
	fixedDesc       = desc("prices_fixed", "1 while a real network goes by the sandbox's fixed prices.", "network")
	readsDesc       = desc("replica_reads_total", "Lists that the replica of DATABASE_READ_URL answered, and those that the primary had to.", "by")
	reconciledDesc  = desc("reconcile_age_seconds", "Time since the newest reconciliation.")
)

// databaseCollector reads figures from the database.
type databaseCollector struct {
	store *store.Store
	live  []string // real networks
	log   logrus.FieldLogger
}

// Describe implements prometheus.Collector. It says nothing, since the figures depend on the rows.
func (c *databaseCollector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c *databaseCollector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var failure error
	for _, read := range []func(context.Context, chan<- prometheus.Metric) error{
		c.jobs, c.followers, c.payouts, c.debts, c.waits, c.firstAttempts, c.report, c.stops, c.prices, c.wallets, c.treasury,
	} {
		if err := read(ctx, to); err != nil {
			failure = err
			c.log.WithError(err).Warn("metrics are incomplete")
			break
		}
	}
	if answered, others, has := c.store.ReplicaReads(); has {
		to <- prometheus.MustNewConstMetric(readsDesc, prometheus.CounterValue, float64(answered), "replica")
		to <- prometheus.MustNewConstMetric(readsDesc, prometheus.CounterValue, float64(others), "primary")
	}
	to <- sourceUp("database", failure)
}

func (c *databaseCollector) jobs(ctx context.Context, to chan<- prometheus.Metric) error {
	rows, err := c.store.JobVitals(ctx)
	for _, r := range rows {
		to <- gauge(jobsDesc, r.Jobs, r.Kind)
		to <- gauge(jobsDueDesc, r.Due, r.Kind)
		to <- seconds(jobOldestDesc, r.OldestDueMS, r.Kind)
	}
	return err
}

func (c *databaseCollector) followers(ctx context.Context, to chan<- prometheus.Metric) error {
	rows, err := c.store.FollowerVitals(ctx)
	for i := range rows {
		r := &rows[i]
		to <- gauge(headDesc, r.Head, r.Network)
		to <- gauge(heightDesc, r.Followed(), r.Network)
		to <- gauge(lagDesc, r.Lag(), r.Network)
		to <- gauge(haltedDesc, one(r.Halted), r.Network)
		to <- gauge(failingDesc, one(r.Problem != ""), r.Network)
		to <- gauge(heldDesc, r.Held, r.Network)
		to <- seconds(reportedDesc, r.AgeMS, r.Network)
	}
	return err
}

func (c *databaseCollector) payouts(ctx context.Context, to chan<- prometheus.Metric) error {
	rows, err := c.store.PayoutVitals(ctx)
	for _, r := range rows {
		to <- gauge(payoutsDesc, r.Open, r.Network)
		to <- seconds(payoutOldestDesc, r.OldestMS, r.Network)
	}
	if err != nil {
		return err
	}
	capped, err := c.store.CappedVitals(ctx)
	over := map[[2]string]int64{}
	for _, r := range capped {
		over[[2]string{r.Network, r.Token}] += r.Payouts
	}
	for key, n := range over {
		to <- gauge(cappedDesc, n, key[0], key[1])
	}
	if err != nil {
		return err
	}
	unknown, err := c.store.BroadcastVitals(ctx)
	for _, r := range unknown {
		to <- gauge(unknownDesc, r.Unknown, r.Network)
	}
	if err != nil {
		return err
	}
	contrary, err := c.store.ContraryCounts(ctx)
	for _, r := range contrary {
		to <- gauge(contraryDesc, r.Payouts, r.Network, string(r.Status))
	}
	return err
}

func (c *databaseCollector) debts(ctx context.Context, to chan<- prometheus.Metric) error {
	rows, err := c.store.DebtVitals(ctx)
	for _, r := range rows {
		to <- gauge(owingDesc, r.Accounts, r.Asset)
		to <- prometheus.MustNewConstMetric(debtDesc, prometheus.GaugeValue, r.Owed, r.Asset)
	}
	return err
}

func (c *databaseCollector) waits(ctx context.Context, to chan<- prometheus.Metric) error {
	w, err := c.store.WaitVitals(ctx)
	if err != nil {
		return err
	}
	to <- gauge(deliveriesDesc, w.Deliveries)
	to <- seconds(deliveryOldestDesc, w.OldestDeliveryMS)
	to <- gauge(unclaimedDesc, w.Unclaimed)
	to <- gauge(unpricedDesc, w.Unpriced)
	return nil
}

func (c *databaseCollector) firstAttempts(ctx context.Context, to chan<- prometheus.Metric) error {
	f, err := c.store.FirstAttempts(ctx, time.Now())
	if err != nil {
		return err
	}
	to <- gauge(firstCountDesc, f.Count)
	if f.Count > 0 {
		to <- seconds(firstDesc, f.MedianMS, "50")
		to <- seconds(firstDesc, f.P99MS, "99")
		to <- seconds(firstDesc, f.LongestMS, "100")
	}
	return nil
}

func (c *databaseCollector) report(ctx context.Context, to chan<- prometheus.Metric) error {
	r, found, err := c.store.ReportVitals(ctx)
	if found {
		to <- gauge(differencesDesc, r.Differences)
		to <- gauge(surplusesDesc, r.Surpluses)
		to <- seconds(reconciledDesc, r.AgeMS)
	}
	if err != nil {
		return err
	}
	looks, err := c.store.LookVitals(ctx)
	for _, l := range looks {
		to <- seconds(comparedDesc, l.AgeMS, l.Network)
	}
	return err
}

func (c *databaseCollector) stops(ctx context.Context, to chan<- prometheus.Metric) error {
	drift, err := c.store.DriftVitals(ctx)
	if err != nil {
		return err
	}
	for _, d := range drift {
		to <- gauge(driftDesc, d.Differences, d.Asset, d.Check, d.Network)
	}
	assets, err := c.store.StoppedAssets(ctx)
	if err != nil {
		return err
	}
	for _, a := range assets {
		to <- gauge(stoppedDesc, 1, a.Asset, a.Network)
	}
	wallets, err := c.store.StoppedWallets(ctx)
	sealed := map[string]bool{} // networks told already
	for i, w := range wallets {
		if i == 0 || w.Network != wallets[i-1].Network { // one of a former seed may be stopped as well
			to <- gauge(walletDesc, 1, w.Network)
		}
		if w.BrokenSeal != nil && !sealed[w.Network] {
			sealed[w.Network] = true
			to <- gauge(sealDesc, 1, w.Network)
		}
	}
	return err
}

func (c *databaseCollector) prices(ctx context.Context, to chan<- prometheus.Metric) error {
	fixed, err := admin.AtFixedPrices(ctx, c.store, c.live)
	for _, network := range fixed {
		to <- gauge(fixedDesc, 1, network)
	}
	if err != nil {
		return err
	}
	unpriced, err := admin.Unpriced(ctx, c.store)
	if err == nil {
		to <- gauge(noPriceDesc, int64(len(unpriced)))
	}
	return err
}

func sourceUp(source string, failure error) prometheus.Metric {
	return gauge(upDesc, one(failure == nil), source)
}

func gauge(d *prometheus.Desc, value int64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(value), labels...)
}

func seconds(d *prometheus.Desc, ms int64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(ms)/1000, labels...)
}

func one(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}
