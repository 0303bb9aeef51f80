package admin

import (
	"context"
	"slices"
	"strings"
	"time"

	"causeway/store"
)

// Asset is one of the ledger's units as the operator sees it.
type Asset struct {
	Asset       string             `json:"asset"`
	Stopped     bool               `json:"stopped"` // payouts of it are not signed
	Reason      string             `json:"reason,omitempty"`
	At          *time.Time         `json:"at,omitempty"`
	Differences []store.Difference `json:"differences"` // that the newest reconciliation found
}

// Assets lists every asset of the catalogue, and what is stopped beyond it.
func (a *Admin) Assets(ctx context.Context) ([]Asset, error) { return assets(ctx, a.Store) }

func assets(ctx context.Context, s *store.Store) ([]Asset, error) {
	tokens, err := s.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	stopped, err := s.StoppedAssets(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.LastReport(ctx)
	if err != nil {
		return nil, err
	}
	byName := map[string]*Asset{}
	named := func(name string) *Asset {
		if byName[name] == nil {
			byName[name] = &Asset{Asset: name, Differences: []store.Difference{}}
		}
		return byName[name]
	}
	for _, t := range tokens {
		named(t.BalanceKey)
	}
	for _, s := range stopped {
		v := named(s.Asset)
		v.Stopped, v.Reason, v.At = true, s.Reason, &s.At
	}
	for _, d := range found {
		if d.Asset != "" {
			v := named(d.Asset)
			v.Differences = append(v.Differences, d)
		}
	}
	out := make([]Asset, 0, len(byName))
	for _, v := range byName {
		out = append(out, *v)
	}
	slices.SortFunc(out, func(x, y Asset) int { return strings.Compare(x.Asset, y.Asset) })
	return out, nil
}

func assetNamed(ctx context.Context, s *store.Store, name string) (*Asset, error) {
	all, err := assets(ctx, s)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Asset == name {
			return &all[i], nil
		}
	}
	return nil, refuse("there is no asset %q", name)
}

// StopAsset stops the payouts of an asset: they stay pending and are not signed.
func (a *Admin) StopAsset(ctx context.Context, asset, reason string) (*Asset, error) {
	if reason = strings.TrimSpace(reason); reason == "" {
		return nil, misread("say a reason")
	}
	return a.changeAsset(ctx, "asset.stop", asset, func(tx *store.Store, v *Asset) error {
		fresh, err := tx.StopAsset(ctx, asset, reason)
		if err == nil && !fresh {
			err = refuse("payouts of %s are stopped already: %s", asset, v.Reason)
		}
		return err
	})
}

// ResumeAsset lets payouts of an asset go on. As long as the newest reconciliation finds it to differ, that is refused; what a
// network holds beyond the books is no reason.
func (a *Admin) ResumeAsset(ctx context.Context, asset string) (*Asset, error) {
	return a.changeAsset(ctx, "asset.resume", asset, func(tx *store.Store, v *Asset) error {
		stopping := slices.DeleteFunc(slices.Clone(v.Differences), func(d store.Difference) bool { return !d.Stops() })
		if n := len(stopping); n > 0 {
			last, _, err := tx.ReportVitals(ctx)
			if err != nil {
				return err
			}
			return refuse("the newest periodic reconciliation, of %s UTC, found %d %s of %s, the first: %s of %s; mend what differs, then causeway run reconcile",
				last.At.UTC().Format(time.DateTime), n, Plural(int64(n), "difference"), asset, stopping[0].Check, stopping[0].Where)
		}
		resumed, err := tx.ResumeAsset(ctx, asset)
		if err == nil && !resumed {
			err = refuse("payouts of %s are not stopped", asset)
		}
		return err
	})
}

func (a *Admin) changeAsset(ctx context.Context, action, asset string, work func(*store.Store, *Asset) error) (*Asset, error) {
	var after *Asset
	err := a.change(ctx, action, "asset:"+asset, func(tx *store.Store) (any, any, error) {
		if err := tx.HoldStop(ctx, asset); err != nil { // before what was found is read: a report that comes with it is read too
			return nil, nil, err
		}
		before, err := assetNamed(ctx, tx, asset)
		if err != nil {
			return nil, nil, err
		}
		if err := work(tx, before); err != nil {
			return nil, nil, err
		}
		after, err = assetNamed(ctx, tx, asset)
		return before, after, err
	})
	return after, err
}
