package admincmd

import (
	"context"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
)

func (p *commands) limitCommands() *cobra.Command {
	var n admin.NewLimit
	kind := func(c *cobra.Command) *cobra.Command {
		c.Flags().StringVar(&n.Per, "per", "payout", "payout, hour or day: each single payout, or the sum signed in the last hour or day without an approval")
		c.Flags().BoolVar(&n.PerAddress, "per-address", false, "with hour or day: count payouts to each address separately")
		return c
	}
	list := p.adminAction("list MERCHANT_ID", "list the amounts above which a merchant's payouts wait for approval", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			id, err := command.IDOf("merchant", args[0])
			if err != nil {
				return nil, err
			}
			return a.PayoutLimits(ctx, id)
		})
	set := p.adminAction("set MERCHANT_ID UNIT AMOUNT",
		"let payouts above an amount of an asset, or worth more in a fiat, wait for approval", cobra.ExactArgs(3),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			id, err := command.IDOf("merchant", args[0])
			if err != nil {
				return nil, err
			}
			n.Unit, n.Above = args[1], args[2]
			return a.SetPayoutLimit(ctx, id, n)
		})
	remove := p.adminAction("clear MERCHANT_ID UNIT", "remove a limit", cobra.ExactArgs(2),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			id, err := command.IDOf("merchant", args[0])
			if err != nil {
				return nil, err
			}
			n.Unit = args[1]
			return a.ClearPayoutLimit(ctx, id, n)
		})
	return command.Group("limit", "amounts above which payouts wait for approval", list, kind(set), kind(remove), p.twoPeopleCommand())
}

func (p *commands) twoPeopleCommand() *cobra.Command {
	return p.adminAction("two-people [USD|off]", "show or set the value in USD above which two people must approve a payout",
		cobra.MaximumNArgs(1), func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			if len(args) == 0 {
				return a.TwoPeople(ctx)
			}
			return a.SetTwoPeople(ctx, args[0])
		})
}
