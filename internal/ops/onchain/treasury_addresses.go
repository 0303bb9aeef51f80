package onchain

import (
	"context"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/store"
	"causeway/tasks"
)

// TreasuryAddresses is where our money is on a network.
type TreasuryAddresses struct {
	Network  string            `json:"network"`
	Hot      string            `json:"hot"`
	Cold     []ColdAddress     `json:"cold"`     // the one of NETWORKS_FILE first, then former ones
	Holdings []TreasuryHolding `json:"holdings"` // by token
	Unswept  []store.Unswept   `json:"unswept"`  // on deposit addresses, by asset and age
	Oldest   []store.UnsweptAt `json:"oldest"`   // of them, the longest without a transfer first
}

// ColdAddress is an address of the operator beside the hot wallet.
type ColdAddress struct {
	Address     string     `json:"address"`
	Current     bool       `json:"current"` // NETWORKS_FILE names it
	Watched     bool       `json:"watched"` // what it holds counts as ours
	ConfirmedBy *string    `json:"confirmed_by"`
	ConfirmedAt *time.Time `json:"confirmed_at"` // null: only a small first amount goes there by itself
}

// TreasuryHolding is where a token is, by the last whole look.
type TreasuryHolding struct {
	Token    string          `json:"token"`
	Hot      decimal.Decimal `json:"hot"`
	Staked   decimal.Decimal `json:"staked"` // of hot
	Deposits decimal.Decimal `json:"deposits"`
	Moving   decimal.Decimal `json:"moving"` // of open moves; still in hot or deposits until it has arrived
	Cold     decimal.Decimal `json:"cold"`
	Coins    *HeldCoins      `json:"coins,omitempty"` // where coins are spent whole
}

// HeldCoins are the coins that payouts can be paid from, of the hot wallet and of deposit addresses.
type HeldCoins struct {
	Amount     decimal.Decimal `json:"amount"`      // of all
	LeftCoins  int64           `json:"left_coins"`  // how many are not worth the fee of spending them
	Left       decimal.Decimal `json:"left"`        // of these
	MixedCoins int64           `json:"mixed_coins"` // how many have tokens of others in them: they are beside amount, and never spent
	Mixed      decimal.Decimal `json:"mixed"`       // of these
}

// oldestShown is how many deposit addresses are named.
const oldestShown = 50

// TreasuryAddresses shows the addresses of a network with their money.
func (o *Operator) TreasuryAddresses(ctx context.Context, network string) (*TreasuryAddresses, error) {
	n, err := o.NetworkNamed(network)
	if err != nil {
		return nil, err
	}
	out := &TreasuryAddresses{Network: n.Name, Hot: n.HotAddress(), Holdings: []TreasuryHolding{}}
	known, err := o.Store.ColdOf(ctx, n.Name)
	if err != nil {
		return nil, err
	}
	out.Cold = coldAddresses(n, known)
	vitals, err := o.Store.TreasuryVitals(ctx)
	if err != nil {
		return nil, err
	}
	for i := range vitals {
		if v := &vitals[i]; v.Network == n.Name {
			h := TreasuryHolding{Token: v.Token, Hot: v.Hot, Staked: v.Staked, Deposits: v.Deposits, Moving: v.Moving, Cold: v.Cold}
			if v.Pot.Valid {
				h.Coins = &HeldCoins{Amount: v.Pot.Decimal, LeftCoins: v.LeftCoins, Left: v.Left, MixedCoins: v.MixedCoins, Mixed: v.Mixed}
			}
			out.Holdings = append(out.Holdings, h)
		}
	}
	without := []string{n.Hot}
	for _, c := range known {
		without = append(without, c.Address)
	}
	if out.Unswept, err = o.Store.Unswept(ctx, n.Name, without); err != nil {
		return nil, err
	}
	out.Oldest, err = o.Store.UnsweptAddresses(ctx, n.Name, without, oldestShown)
	return out, err
}

func coldAddresses(n *chains.Network, known []store.Cold) []ColdAddress {
	out := []ColdAddress{}
	if n.Cold != "" && !slices.ContainsFunc(known, func(c store.Cold) bool { return c.Address == n.Cold }) {
		out = append(out, ColdAddress{Address: written(n, n.Cold), Current: true})
	}
	for _, c := range known {
		out = append(out, ColdAddress{Address: written(n, c.Address), Current: c.Address == n.Cold, Watched: c.Watched, ConfirmedBy: c.ConfirmedBy,
			ConfirmedAt: c.ConfirmedAt})
	}
	slices.SortStableFunc(out, func(a, b ColdAddress) int {
		switch {
		case a.Current == b.Current:
			return 0
		case a.Current:
			return -1
		}
		return 1
	})
	return out
}

// written is an address as people write it.
func written(n *chains.Network, address string) string {
	if text, err := n.Addresser.Validate(address); err == nil {
		return text
	}
	return address
}

// ConfirmCold notes that the operator has seen the first amount arrive at the cold address of a network, on the device that holds its
// key. From then on the rules move the rest.
func (o *Operator) ConfirmCold(ctx context.Context, network string) (*ColdAddress, error) {
	n, err := o.NetworkNamed(network)
	if err != nil {
		return nil, err
	}
	if n.Cold == "" {
		return nil, admin.Refuse("NETWORKS_FILE names no cold address of " + n.Name)
	}
	var now ColdAddress
	err = o.change(ctx, "treasury.confirm", "network:"+n.Name, func(tx *store.Store) (before, after any, ring []tasks.Job, err error) {
		was, err := o.coldNow(ctx, tx, n)
		if err != nil {
			return nil, nil, nil, err
		}
		confirmed, err := tx.ConfirmCold(ctx, n.Name, n.Cold, o.Admin.Actor)
		switch {
		case err != nil:
			return nil, nil, nil, err
		case !was.Watched:
			return nil, nil, nil, admin.Refuse(was.Address + " is not watched yet: the follower of " + n.Name + " begins with its next step")
		case was.ConfirmedBy != nil:
			return nil, nil, nil, admin.Refuse(was.Address + " is confirmed already, by " + *was.ConfirmedBy)
		case !confirmed:
			return nil, nil, nil, admin.Refuse("no move to " + was.Address + " is done yet: confirm it once the first amount is final")
		}
		now, err = o.coldNow(ctx, tx, n)
		return was, now, nil, err
	})
	return &now, err
}

// coldNow is the cold address that NETWORKS_FILE names.
func (o *Operator) coldNow(ctx context.Context, tx *store.Store, n *chains.Network) (ColdAddress, error) {
	known, err := tx.ColdOf(ctx, n.Name)
	if err != nil {
		return ColdAddress{}, err
	}
	return coldAddresses(n, known)[0], nil
}
