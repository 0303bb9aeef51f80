package api

import (
	"context"
	"encoding/json"
	"fmt"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// Allowance is one of its two forms.
type Allowance struct {
	Global  *GlobalAllowance
	PerType *PerTypeAllowance
}

// MarshalJSON writes the form that is set.
func (a Allowance) MarshalJSON() ([]byte, error) {
	if a.Global != nil {
		return json.Marshal(a.Global)
	}
	return json.Marshal(a.PerType)
}

// JSONSchemaOneOf names the forms for the OpenAPI document.
func (Allowance) JSONSchemaOneOf() []any { return []any{GlobalAllowance{}, PerTypeAllowance{}} }

// GlobalAllowance is shared by all types; used counts revoked wallets too.
type GlobalAllowance struct {
	Mode string `json:"mode"`
	Budget
	SupportedTypes []WalletType `json:"supported_types"`
}

// PerTypeAllowance lists the only types open to creation; used counts assigned wallets.
type PerTypeAllowance struct {
	Mode  string       `json:"mode"`
	Items []TypeBudget `json:"items"`
}

// TypeBudget is the budget of one type.
type TypeBudget struct {
	WalletType
	Budget
}

// Budget is how many wallets may be created and how many were.
type Budget struct {
	Limit     int `json:"limit"`
	Used      int `json:"used"`
	Remaining int `json:"remaining"`
}

func budget(limit, used int) Budget { return Budget{limit, used, max(limit-used, 0)} }

// readAllowance returns how many more wallets the merchant may create; nil when fixed wallets are not enabled.
func readAllowance(ctx context.Context, s *store.Store, m *pay.Merchant, types walletTypes) (*Allowance, error) {
	if m.WalletsMode == "" {
		return nil, nil
	}
	counts, err := s.CountWallets(ctx, m.ID)
	if err != nil {
		return nil, err
	}
	if m.WalletsMode == pay.WalletsPerType {
		return perType(m, counts)
	}
	g := &GlobalAllowance{Mode: pay.WalletsGlobal, SupportedTypes: []WalletType{}}
	for _, t := range types.available() {
		g.SupportedTypes = append(g.SupportedTypes, t.WalletType)
	}
	limit, used := 0, 0
	if m.WalletsLimit != nil {
		limit = *m.WalletsLimit
	}
	for _, n := range counts {
		used += n.Ever
	}
	g.Budget = budget(limit, used)
	return &Allowance{Global: g}, nil
}

func perType(m *pay.Merchant, counts []store.WalletCount) (*Allowance, error) {
	limits := map[pay.Family]int{}
	if len(m.WalletsLimits) > 0 {
		if err := json.Unmarshal(m.WalletsLimits, &limits); err != nil {
			return nil, fmt.Errorf("read wallet limits of merchant %s: %w", m.ID, err)
		}
	}
	used := map[pay.Family]int{}
	for _, n := range counts {
		used[n.Family] = n.Assigned
	}
	p := &PerTypeAllowance{Mode: pay.WalletsPerType, Items: []TypeBudget{}}
	for _, l := range walletLabels {
		if limit, listed := limits[l.family]; listed {
			p.Items = append(p.Items, TypeBudget{WalletType{string(l.family), l.label}, budget(limit, used[l.family])})
		}
	}
	return &Allowance{PerType: p}, nil
}

// budget returns the allowance's part for a family.
func (a *Allowance) budget(family pay.Family) (b Budget, listed bool) {
	if a.Global != nil {
		return a.Global.Budget, true
	}
	for _, item := range a.PerType.Items {
		if item.Type == string(family) {
			return item.Budget, true
		}
	}
	return Budget{}, false
}

var (
	errFeature    = pay.E(pay.Forbidden, "feature_disabled", "Fixed wallets are not enabled for the account.")
	errNotAllowed = pay.E(pay.Forbidden, "limit_not_allowed", "The account may not create fixed wallets of this type.")
	errLimit      = pay.E(pay.Conflict, "limit_reached", "The account holds as many fixed wallets as it may.")
)

// permits returns nil when one more wallet of the family may be created. An unlisted type is unknown to the account; a
// type with limit zero is known, and not allowed (addendum §13).
func (a *Allowance) permits(family pay.Family) error {
	if a == nil {
		return errFeature
	}
	b, listed := a.budget(family)
	switch {
	case !listed:
		return errWalletType
	case b.Limit <= 0:
		return errNotAllowed
	case b.Remaining == 0:
		return errLimit.With("limit", b.Limit).With("used", b.Used)
	}
	return nil
}
