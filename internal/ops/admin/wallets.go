package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// WalletBudget is how many fixed wallets a merchant may make: for all types together, or per type. Per type, only the listed types
// can be made (api-v1 §Fixed wallet record, allowance).
type WalletBudget struct {
	Mode   string         `json:"mode"` // pay.WalletsGlobal or pay.WalletsPerType
	Limit  *int           `json:"limit,omitempty"`
	Limits map[string]int `json:"limits,omitempty"`
}

const mostWallets = 1_000_000_000

// SetFixedWallets enables fixed wallets for a merchant within a budget. With a nil budget it disables them: wallets made before go
// on receiving.
func (a *Admin) SetFixedWallets(ctx context.Context, merchant uuid.UUID, budget *WalletBudget) (*Merchant, error) {
	if err := budget.check(); err != nil {
		return nil, err
	}
	var view *Merchant
	err := a.changeMerchant(ctx, "fixed-wallets.set", merchant, func(_ *store.Store, m *pay.Merchant) error {
		m.WalletsMode, m.WalletsLimit, m.WalletsLimits = "", nil, nil
		if budget == nil {
			return nil
		}
		m.WalletsMode = budget.Mode
		if budget.Mode == pay.WalletsGlobal {
			m.WalletsLimit = budget.Limit
			return nil
		}
		var err error
		if m.WalletsLimits, err = json.Marshal(budget.Limits); err != nil {
			return fmt.Errorf("encode limits: %w", err)
		}
		return nil
	}, &view)
	return view, err
}

func (b *WalletBudget) check() error {
	switch {
	case b == nil:
		return nil
	case b.Mode == pay.WalletsGlobal:
		if b.Limit == nil || *b.Limit < 0 || *b.Limit > mostWallets {
			return misread("mode global needs a limit from 0 to %d", mostWallets)
		}
		return nil
	case b.Mode != pay.WalletsPerType:
		return misread("there is no mode %q: global and per_type are", b.Mode)
	case len(b.Limits) == 0:
		return misread("mode per_type needs a limit for each type, like evm=5")
	}
	types := WalletTypes()
	for _, name := range slices.Sorted(maps.Keys(b.Limits)) {
		if !slices.Contains(types, name) {
			return misread("there is no type %q: %s are", name, strings.Join(types, ", "))
		}
		if b.Limits[name] < 0 || b.Limits[name] > mostWallets {
			return misread("the limit of %s is not from 0 to %d", name, mostWallets)
		}
	}
	return nil
}

// WalletLimits reads limits by type as they were typed.
func WalletLimits(fields Fields) (map[string]int, error) {
	out := make(map[string]int, len(fields))
	for name, text := range fields {
		limit, err := whole(text, 0, mostWallets)
		if err != nil {
			return nil, at(name, err)
		}
		out[name] = limit
	}
	return out, nil
}

// WalletTypes lists the types of fixed wallets in the order of the networks.
func WalletTypes() []string {
	var out []string
	for _, n := range pay.Networks {
		if !slices.Contains(out, string(n.Family)) {
			out = append(out, string(n.Family))
		}
	}
	return out
}
