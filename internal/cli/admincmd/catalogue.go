package admincmd

import (
	"context"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
)

// leastField is the least number of name=value arguments: without one nothing would be set.
const leastField = 1

func (p *commands) ratesCommands() *cobra.Command {
	var merchant, network string
	set := p.adminAction("set --merchant ID [--network N] NAME=VALUE…", "change rates in percent and who pays network fees",
		cobra.MinimumNArgs(leastField),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			id, err := command.IDOf("merchant", merchant)
			if err != nil {
				return nil, err
			}
			fields, err := command.FieldsOf(args)
			if err != nil {
				return nil, err
			}
			return a.SetRates(ctx, id, network, fields)
		})
	set.Flags().StringVar(&merchant, "merchant", "", "id of the merchant")
	set.Flags().StringVar(&network, "network", "", "only on this network; the value inherit removes the network's own rate")
	return command.Group("rates", "a merchant's rates", command.Need(set, "merchant"))
}

func (p *commands) tokenCommands() *cobra.Command {
	list := p.adminAction("list", "list every token", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, _ []string) (any, error) { return a.Tokens(ctx) })
	set := p.adminAction("set SYMBOL NETWORK NAME=VALUE…", "change the rules for a token on a network", cobra.MinimumNArgs(2+leastField),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			fields, err := command.FieldsOf(args[2:])
			if err != nil {
				return nil, err
			}
			return a.SetToken(ctx, args[0], args[1], fields)
		})
	return command.Group("token", "the catalogue's tokens", list, set, p.tokenAdd())
}

func (p *commands) fiatCommands() *cobra.Command {
	return command.Group("fiat", "the catalogue's fiats", p.adminAction("set CODE NAME=VALUE…", "change a fiat", cobra.MinimumNArgs(1+leastField),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			fields, err := command.FieldsOf(args[1:])
			if err != nil {
				return nil, err
			}
			return a.SetFiat(ctx, args[0], fields)
		}))
}

func (p *commands) priceCommands() *cobra.Command {
	set := p.adminAction("set BASE QUOTE PRICE", "pin what one BASE is worth in QUOTE", cobra.ExactArgs(3),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			return a.SetPrice(ctx, args[0], args[1], args[2])
		})
	remove := p.adminAction("clear BASE QUOTE", "remove a price", cobra.ExactArgs(2),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			return a.ClearPrice(ctx, args[0], args[1])
		})
	return command.Group("price", "pinned prices", set, remove)
}
