package admin

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/ledger"
	"causeway/pay"
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
		return nil, refuse("say a reason")
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
			return refuse("reconciliation still finds %d differences of %s, the first: %s of %s; mend them, then causeway run reconcile", n, asset,
				stopping[0].Check, stopping[0].Where)
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

// Correction is what an operator has changed in the treasury.
type Correction struct {
	Network   string          `json:"network"`
	Asset     string          `json:"asset"`
	Amount    decimal.Decimal `json:"amount"` // what the network holds beyond the ledger; less than zero: what it lacks
	Reason    string          `json:"reason"`
	Reference string          `json:"reference"`
}

// CorrectTreasury makes the ledger agree with what our addresses hold on a network, at the treasury's gain or cost. It is
// how a difference between the two is mended whose cause is known and is nobody else's. A reference, where one is given,
// corrects once, however often it comes; it is a UUID.
func (a *Admin) CorrectTreasury(ctx context.Context, network, asset, amount, reason, reference string) (*Correction, error) {
	n, ok := pay.NetworkCalled(network)
	if !ok {
		return nil, refuse("there is no network %q", network)
	}
	if reason = strings.TrimSpace(reason); reason == "" {
		return nil, refuse("say a reason")
	}
	plain, minus := strings.CutPrefix(amount, "-")
	value, err := number(plain, exactScale)
	if err != nil {
		return nil, err
	}
	if value.IsZero() {
		return nil, refuse("an amount of zero corrects nothing")
	}
	if minus {
		value = value.Neg()
	}
	once := uuid.Must(uuid.NewV7())
	if reference != "" {
		if once, err = uuid.Parse(reference); err != nil {
			return nil, refuse("the reference is no UUID")
		}
	}
	c := &Correction{Network: n.Name, Asset: asset, Amount: value, Reason: reason, Reference: once.String()}
	return c, a.change(ctx, "treasury.correct", "asset:"+asset, func(tx *store.Store) (any, any, error) {
		if _, err := assetNamed(ctx, tx, asset); err != nil {
			return nil, nil, err
		}
		fresh, err := ledger.Post(ctx, tx.Q, ledger.TreasuryCorrected(n.Name, asset, c.Reference, value))
		if err == nil && fresh == 0 || errors.Is(err, ledger.ErrReferenceTaken) { // it was this correction, or another one
			err = refuse("a correction with this reference was made already")
		}
		if err == nil {
			err = tx.LookAgain(ctx, n.Name)
		}
		return nil, c, err
	})
}

// exactScale is how many decimals a network's own amounts have at most.
const exactScale = 36
