package admincmd

import (
	"context"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/onchain"
)

// tronCommands are about the stake of the hot wallet on Tron.
func (p *commands) tronCommands() *cobra.Command {
	return command.Group("tron", "the stake of the hot wallet on Tron, for the energy that tokens take",
		p.stakeAction("stake AMOUNT", "stake TRX of the hot wallet for energy", (*onchain.Operator).Stake),
		p.stakeAction("unstake AMOUNT", "begin to take TRX out of the stake: it can be spent 14 days later", (*onchain.Operator).Unstake))
}

// stakeAction is a command about an amount of TRX.
func (p *commands) stakeAction(use, short string, do func(*onchain.Operator, context.Context, string, string) (*onchain.Swept, error)) *cobra.Command {
	return p.networkAction(use, short, cobra.ExactArgs(1), func(ctx context.Context, o *onchain.Operator, args []string) (any, error) {
		return do(o, ctx, "Tron", args[0])
	})
}
