// Package reconcile compares the ledger with itself and with the holdings on networks. A difference stops the payouts of its asset.
package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/catalogue"
	"causeway/workers/desk"
	"causeway/workers/guard"
)

// Worker compares the books with the networks.
type Worker struct {
	*desk.Desk
	Guard     *guard.Guard
	Catalogue *catalogue.Catalogue
	LookFor   time.Duration // networks are asked for so long at a time, 10 s when zero; one taking a fifth of it rests

	Told func(what string, done, total int) // of anything taking long; nil = nobody asks
}

// Report has the findings of reconciliation. With no Differences, the ledger equals itself and the reached networks; for the others
// it has the findings of the last whole look.
type Report struct {
	At            time.Time            `json:"at"`
	Differences   []store.Difference   `json:"differences"`
	Unreached     map[string]string    `json:"networks_not_reached,omitempty"` // network -> why
	StoppedAssets []store.StoppedAsset `json:"stopped_assets"`
}

const (
	// foldAtOnce is how many entries one statement adds to the sums, and foldFor how long one look goes on with it.
	foldAtOnce = 100_000
	foldFor    = 6 * time.Second
)

// Reconcile is the periodic look. Its findings are logged and shown, and stop the payouts of the assets concerned; a missing job is
// put back. While there is much to add up it comes again at once.
func (w *Worker) Reconcile(ctx context.Context, j store.DueJob) error {
	if err := desk.Start(ctx, w.Store, j); err != nil {
		return err
	}
	left, err := w.fold(ctx)
	if err != nil {
		return err
	}
	uncounted := w.countPaid(ctx)
	differences, err := w.Store.LedgerDifferences(ctx)
	if err != nil {
		return err
	}
	unplanned, err := w.unplanned(ctx)
	if err != nil {
		return err
	}
	unsealed, err := w.Guard.SealDifferences(ctx)
	if err != nil {
		return err
	}
	differences = append(append(differences, unplanned...), unsealed...)
	known, err := w.Store.Looks(ctx)
	if err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, w.lookFor())
	defer cancel()
	looks := w.lookAround(bounded, known, w.lookOnAndWalk)
	found, unreached := sumUp(looks)
	differences = append(differences, found...)
	for network, why := range unreached {
		if w.FreshOn(network, tasks.Reconcile, why) {
			w.Log.WithField("network", network).WithField("why", why).Warn("a network could not be reconciled")
		}
	}
	after := tasks.Specs[tasks.Reconcile].Every
	if left > 0 || uncounted > 0 || slices.ContainsFunc(looks, func(l *store.Look) bool { return l.Going != nil && l.Asked > 0 }) {
		after = time.Second
	}
	return w.Store.InTx(ctx, func(tx *store.Store) error {
		if err := tx.SaveLooks(ctx, looks); err != nil {
			return err
		}
		if err := w.act(ctx, tx, differences); err != nil {
			return err
		}
		return desk.Fenced(tx.RetryJob(ctx, j, after, ""))
	})
}

// fold adds new entries to the sums of the accounts, for a while; it returns how many entries are left.
func (w *Worker) fold(ctx context.Context) (left int64, err error) {
	for began := time.Now(); time.Since(began) < foldFor; {
		if left > 0 {
			w.tell(fmt.Sprintf("adding up the ledger, %d entries left", left), 0, 0)
		}
		if left, err = w.Store.FoldLedger(ctx, foldAtOnce); err != nil || left == 0 {
			return 0, err
		}
	}
	return left, nil
}

// countPaid adds up what payouts took, and returns how many entries are left. Reconciliation does not depend on the figures: it goes on
// without them.
func (w *Worker) countPaid(ctx context.Context) int64 {
	left, err := w.Store.CountPaid(ctx, foldAtOnce)
	if err != nil {
		w.Log.WithError(err).Error("the amounts taken by payouts could not be counted")
	}
	return left
}

// Recount adds every entry to the sums again from the first one, however long it takes: for an operator after a repair by hand.
func (w *Worker) Recount(ctx context.Context) error {
	w.tell("adding up the ledger", 0, 0)
	if err := w.Store.RecountLedger(ctx); err != nil {
		return err
	}
	for {
		if _, err := w.fold(ctx); err != nil {
			return err
		}
		if counted, err := w.Store.LedgerCounted(ctx); err != nil || counted {
			return err
		}
	}
}

// unplanned returns the jobs missing though they must always be there.
func (w *Worker) unplanned(ctx context.Context) ([]store.Difference, error) {
	wanted := []store.WantedJob{}
	for kind, spec := range tasks.Specs {
		if spec.Every > 0 {
			wanted = append(wanted, store.WantedJob{Kind: string(kind), Ref: tasks.RefOf(string(kind)), Name: string(kind)})
		}
	}
	for _, n := range w.Networks.All() {
		wanted = append(wanted, store.WantedJob{Kind: string(tasks.FollowNetwork), Ref: tasks.RefOf(n.Name),
			Name: string(tasks.FollowNetwork) + " " + n.Name})
	}
	return w.Store.MissingJobs(ctx, wanted)
}

// act keeps a report and acts on it.
func (w *Worker) act(ctx context.Context, tx *store.Store, differences []store.Difference) error {
	missing := map[string][]uuid.UUID{}
	for _, d := range differences {
		if w.FreshOn(d.Network, tasks.Reconcile, d.Check+" "+d.Where+" "+d.Asset) {
			w.Log.WithField("check", d.Check).WithField("where", d.Where).WithField("asset", d.Asset).Error("reconciliation found a difference")
		}
		if d.Kind != "" {
			missing[d.Kind] = append(missing[d.Kind], d.Ref)
		}
	}
	for kind, refs := range missing {
		if err := tx.AddJobs(ctx, kind, refs, 0); err != nil {
			return err
		}
	}
	if err := tx.SaveReport(ctx, differences); err != nil {
		return err
	}
	return w.stopAssets(ctx, tx, differences)
}

// stopAssets stops the payouts of every asset named by a difference, on its network, or on all of them if the books differ. A surplus
// on a network stops nothing. The stops are taken before the audit, as by a resume, and in one order.
func (w *Worker) stopAssets(ctx context.Context, tx *store.Store, differences []store.Difference) error {
	reasons := map[[2]string]string{} // by asset and network
	for _, d := range differences {
		at := [2]string{d.Asset, d.Network}
		if d.Stops() && reasons[at] == "" {
			reasons[at] = fmt.Sprintf("%s: %s has %s, not %s", d.Check, d.Where, d.Got, d.Want)
			if d.Kind != "" { // act has put it back
				reasons[at] = d.Where + " had no job; it has one again"
			}
		}
	}
	var stopped []store.StoppedAsset
	for _, at := range slices.SortedFunc(maps.Keys(reasons), func(x, y [2]string) int { return slices.Compare(x[:], y[:]) }) {
		s := store.StoppedAsset{Asset: at[0], Network: at[1], Reason: reasons[at]}
		fresh, err := tx.StopAsset(ctx, s.Asset, s.Network, s.Reason)
		if err != nil {
			return err
		}
		if fresh {
			stopped = append(stopped, s)
		}
	}
	for _, s := range stopped {
		w.Log.WithField("asset", s.Asset).WithField("network", s.Network).WithField("why", s.Reason).Error("payouts of an asset are stopped")
		after := map[string]string{"reason": s.Reason}
		if s.Network != "" {
			after["network"] = s.Network
		}
		if err := tx.AddAudit(ctx, "reconcile", "asset.stop", "asset:"+s.Asset, nil, after); err != nil {
			return err
		}
	}
	return nil
}

// Report checks the ledger against itself and against our addresses' holdings on the networks. It changes nothing.
func (w *Worker) Report(ctx context.Context) (*Report, error) {
	w.tell("comparing the ledger with itself", 0, 0)
	differences, err := w.Store.LedgerDifferences(ctx)
	if err != nil {
		return nil, err
	}
	unsealed, err := w.Guard.SealDifferences(ctx)
	if err != nil {
		return nil, err
	}
	differences = append(differences, unsealed...)
	known, err := w.Store.Looks(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range known {
		l.Rests = false
	}
	found, unreached := sumUp(w.lookAround(ctx, known, w.lookWhole))
	report := &Report{At: time.Now().UTC(), Differences: append(differences, found...), Unreached: unreached}
	report.StoppedAssets, err = w.Store.StoppedAssets(ctx)
	return report, err
}

// sumUp returns the findings on all networks, by the last whole look at each, and why some were not reached.
func sumUp(looks []*store.Look) (found []store.Difference, unreached map[string]string) {
	unreached = map[string]string{}
	for _, l := range looks {
		found = append(found, l.Found...)
		if l.Unreached != "" {
			unreached[l.Network] = l.Unreached
		}
	}
	slices.SortFunc(found, func(a, b store.Difference) int {
		return cmp.Or(cmp.Compare(a.Where, b.Where), cmp.Compare(a.Asset, b.Asset))
	})
	return found, unreached
}

// Clean reports whether every network was reached, nothing differs and nothing is stopped.
func (r *Report) Clean() bool {
	return len(r.Differences) == 0 && len(r.Unreached) == 0 && len(r.StoppedAssets) == 0
}

func (w *Worker) tell(what string, done, total int) {
	if w.Told != nil {
		w.Told(what, done, total)
	}
}
