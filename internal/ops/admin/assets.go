package admin

import (
	"context"
	"slices"
	"strings"
	"time"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// Asset is one of the ledger's units as the operator sees it.
type Asset struct {
	Asset       string             `json:"asset"`
	Stopped     bool               `json:"stopped"`          // payouts of it are not signed, at least on one network
	Reason      string             `json:"reason,omitempty"` // of the first of Stops
	At          *time.Time         `json:"at,omitempty"`
	Stops       []AssetStop        `json:"stops,omitempty"`
	Differences []store.Difference `json:"differences"` // found by the newest reconciliation
}

// AssetStop is where payouts of an asset are not signed, and why.
type AssetStop struct {
	Network string    `json:"network,omitempty"` // empty: on every network
	Reason  string    `json:"reason"`
	At      time.Time `json:"at"`
}

// stopOn returns the stop of a network, or of every network if it is empty, or nil.
func (v *Asset) stopOn(network string) *AssetStop {
	if i := slices.IndexFunc(v.Stops, func(s AssetStop) bool { return s.Network == network }); i >= 0 {
		return &v.Stops[i]
	}
	return nil
}

// Assets lists every asset of the catalogue, and stopped assets beyond it.
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
		if !v.Stopped {
			v.Stopped, v.Reason, v.At = true, s.Reason, &s.At
		}
		v.Stops = append(v.Stops, AssetStop{s.Network, s.Reason, s.At})
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

// StopAsset stops the payouts of an asset on a network, or on every network if it is empty: they stay pending and are not signed.
func (a *Admin) StopAsset(ctx context.Context, asset, network, reason string) (*Asset, error) {
	if reason = strings.TrimSpace(reason); reason == "" {
		return nil, misread("say a reason")
	}
	return a.changeAsset(ctx, "asset.stop", asset, network, func(tx *store.Store, v *Asset) error {
		fresh, err := tx.StopAsset(ctx, asset, network, reason)
		if err == nil && !fresh {
			err = refuse("payouts of %s are stopped already: %s", stopPlace(asset, network), v.stopOn(network).Reason)
		}
		return err
	})
}

// ResumeAsset lets payouts of an asset go on, on one network, or everywhere if the network is empty. It refuses while the newest
// reconciliation finds a difference of the asset there, or in the books themselves. A network's surplus over the books is no reason
// to refuse.
func (a *Admin) ResumeAsset(ctx context.Context, asset, network string) (*Asset, error) {
	return a.changeAsset(ctx, "asset.resume", asset, network, func(tx *store.Store, v *Asset) error {
		stopping := slices.DeleteFunc(slices.Clone(v.Differences), func(d store.Difference) bool { return !d.Stops() || !d.Concerns(network) })
		if n := len(stopping); n > 0 {
			last, _, err := tx.ReportVitals(ctx)
			if err != nil {
				return err
			}
			return refuse("the newest periodic reconciliation, of %s UTC, found %d %s of %s, the first: %s of %s; fix what differs, then run causeway run reconcile",
				last.At.UTC().Format(time.DateTime), n, Plural(int64(n), "difference"), stopPlace(asset, network), stopping[0].Check, stopping[0].Where)
		}
		if everywhere := v.stopOn(""); everywhere != nil && network != "" {
			return refuse("payouts of %s are stopped on every network: %s; resume it without a network", asset, everywhere.Reason)
		}
		resumed, err := tx.ResumeAsset(ctx, asset, network)
		if err == nil && !resumed {
			err = refuse("payouts of %s are not stopped", stopPlace(asset, network))
		}
		return err
	})
}

func stopPlace(asset, network string) string {
	return store.StoppedAsset{Asset: asset, Network: network}.Place()
}

// onItsNetwork refuses a network without a token of an asset.
func onItsNetwork(ctx context.Context, s *store.Store, asset, network string) error {
	tokens, err := s.Tokens(ctx)
	if err != nil {
		return err
	}
	if network != "" && !slices.ContainsFunc(tokens, func(t pay.Token) bool { return t.Network == network && t.BalanceKey == asset }) {
		return refuse("there is no %s on a network %q", asset, network)
	}
	return nil
}

func (a *Admin) changeAsset(ctx context.Context, action, asset, network string, work func(*store.Store, *Asset) error) (*Asset, error) {
	var after *Asset
	err := a.Change(ctx, action, "asset:"+asset, func(tx *store.Store) (any, any, error) {
		if err := tx.HoldStop(ctx, asset); err != nil { // before the differences are read: a report written at the same time is read too
			return nil, nil, err
		}
		before, err := assetNamed(ctx, tx, asset)
		if err != nil {
			return nil, nil, err
		}
		if err := onItsNetwork(ctx, tx, asset, network); err != nil && before.stopOn(network) == nil {
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
