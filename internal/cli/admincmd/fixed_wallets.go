package admincmd

import (
	"context"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// walletFlags are the flags of `fixed-wallets set`.
type walletFlags struct {
	merchant, mode string
	limit          int
	hasLimit       bool
	disable        bool
}

func (p *commands) walletsCommands() *cobra.Command {
	var (
		f walletFlags
		c *cobra.Command
	)
	c = p.adminAction("set --merchant ID --mode global --limit 10 | --mode per_type TYPE=LIMIT… | --disable",
		"enable fixed wallets within a budget, or disable them", cobra.ArbitraryArgs,
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			f.hasLimit = c.Flags().Changed("limit")
			id, err := command.IDOf("merchant", f.merchant)
			if err != nil {
				return nil, err
			}
			budget, err := f.budget(args)
			if err != nil {
				return nil, err
			}
			return a.SetFixedWallets(ctx, id, budget)
		})
	c.Flags().StringVar(&f.merchant, "merchant", "", "id of the merchant")
	c.Flags().StringVar(&f.mode, "mode", "", "global: one limit for all types; per_type: one for each type that is listed")
	c.Flags().IntVar(&f.limit, "limit", 0, "how many wallets, with mode global")
	c.Flags().BoolVar(&f.disable, "disable", false, "allow no new wallets")
	c.MarkFlagsMutuallyExclusive("mode", "disable")
	c.MarkFlagsOneRequired("mode", "disable")
	return command.Group("fixed-wallets", "permanent addresses of customers", command.Need(c, "merchant"))
}

// budget returns the budget of the flags, nil to disable.
func (f walletFlags) budget(args []string) (*admin.WalletBudget, error) {
	global := f.mode == pay.WalletsGlobal
	switch {
	case f.hasLimit && !global:
		return nil, command.Usagef("--limit belongs to --mode global")
	case global && !f.hasLimit:
		return nil, command.Usagef("--mode global needs --limit")
	case len(args) > 0 && f.mode != pay.WalletsPerType:
		return nil, command.Usagef("TYPE=LIMIT belongs to --mode per_type")
	case f.disable:
		return nil, nil
	case global:
		return &admin.WalletBudget{Mode: f.mode, Limit: &f.limit}, nil
	}
	fields, err := command.FieldsOf(args)
	if err != nil {
		return nil, err
	}
	limits, err := admin.WalletLimits(fields)
	return &admin.WalletBudget{Mode: f.mode, Limits: limits}, err
}
