package admincmd

import (
	"context"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/onchain"
)

// handCommands are the moves of the treasury by hand, and looks at its networks.
func (p *commands) handCommands() []*cobra.Command {
	var network string
	plan := p.serviceAction("plan [--network N]", "show what the rules would move now, at which cost, and what they leave", 0,
		func(ctx context.Context, o *onchain.Operator, _ []string) (any, error) {
			return o.PlanTreasury(ctx, network)
		})
	plan.Flags().StringVar(&network, "network", "", "only on this network")
	return []*cobra.Command{plan, p.sweepCommand(),
		p.networkAction("cold NETWORK TOKEN [AMOUNT]", "move a token from the hot wallet to the cold address: an amount, or all beyond the target of its rule",
			cobra.RangeArgs(2, 3), func(ctx context.Context, o *onchain.Operator, args []string) (any, error) {
				return o.SendCold(ctx, args[0], args[1], argument(args, 2))
			}),
		p.consolidateCommand(),
		p.serviceAction("confirm NETWORK", "confirm that the first amount has arrived at the cold address", 1,
			func(ctx context.Context, o *onchain.Operator, args []string) (any, error) {
				return o.ConfirmCold(ctx, args[0])
			}),
		p.serviceAction("addresses NETWORK", "show the hot wallet, the cold addresses, and what is unswept on deposit addresses", 1,
			func(ctx context.Context, o *onchain.Operator, args []string) (any, error) {
				return o.TreasuryAddresses(ctx, args[0])
			}),
	}
}

func (p *commands) sweepCommand() *cobra.Command {
	var (
		all   bool
		asked onchain.SweepAsked
	)
	sweep := p.networkAction("sweep NETWORK [ADDRESS] [TOKEN] [--all]", "move what a deposit address holds to the hot wallet now, or what all of them hold",
		cobra.RangeArgs(1, 3), func(ctx context.Context, o *onchain.Operator, args []string) (any, error) {
			asked.Address, asked.Token = argument(args, 1), argument(args, 2)
			if all == (asked.Address != "") {
				return nil, command.Usagef("sweep one ADDRESS, or --all of them")
			}
			return o.Sweep(ctx, args[0], asked)
		})
	sweep.Flags().BoolVar(&all, "all", false, "all deposit addresses of the network with at least the least amount of the token's rule")
	sweep.Flags().BoolVar(&asked.AlthoughFee, "although-fee", false, "whatever it costs; without it, as many percent as the token's rule allows")
	return sweep
}

func (p *commands) consolidateCommand() *cobra.Command {
	var asked onchain.ConsolidateAsked
	consolidate := p.networkAction("consolidate NETWORK [--below AMOUNT]", "make small coins of the hot wallet one now, where coins are spent whole",
		cobra.ExactArgs(1), func(ctx context.Context, o *onchain.Operator, args []string) (any, error) {
			return o.Consolidate(ctx, args[0], asked)
		})
	consolidate.Flags().StringVar(&asked.Below, "below", "", "coins of less than this; without it, of less than sweep_min of the coin's rule")
	consolidate.Flags().BoolVar(&asked.AlthoughFee, "although-fee", false, "whatever it costs; without it, as many percent as the coin's rule allows")
	return consolidate
}

// argument is an optional argument.
func argument(args []string, place int) string {
	if place < len(args) {
		return args[place]
	}
	return ""
}
