package admincmd

import (
	"context"

	"github.com/spf13/cobra"

	"causeway/admin"
	"causeway/cmd/causeway/command"
)

func (p *commands) assetCommands() *cobra.Command {
	var reason string
	stop := p.adminAction("stop ASSET --reason R", "sign no payout of an asset until it is resumed", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			return a.StopAsset(ctx, args[0], reason)
		})
	stop.Flags().StringVar(&reason, "reason", "", "why, for the audit and for whoever resumes it")
	return command.Group("asset", "the ledger's units: which are stopped, and why",
		p.adminAction("list", "list the assets", cobra.NoArgs,
			func(ctx context.Context, a *admin.Admin, _ []string) (any, error) { return a.Assets(ctx) }),
		command.Need(stop, "reason"),
		p.adminAction("resume ASSET", "let payouts go on, once nothing differs", cobra.ExactArgs(1),
			func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
				return a.ResumeAsset(ctx, args[0])
			}),
	)
}

func (p *commands) treasuryCommands() *cobra.Command {
	var n admin.NewCorrection
	correct := p.adminAction("correct --network N --asset A --amount -1.5 --reason R [--although D] [--reference UUID]",
		"make the ledger agree with what a network holds, at the treasury's gain or cost", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, _ []string) (any, error) { return a.CorrectTreasury(ctx, n) })
	correct.Flags().StringVar(&n.Network, "network", "", "where it is held")
	correct.Flags().StringVar(&n.Asset, "asset", "", "of the ledger")
	correct.Flags().StringVar(&n.Amount, "amount", "",
		"what the network holds beyond the ledger, as the last look found it; less than zero: what it lacks")
	correct.Flags().StringVar(&n.Reason, "reason", "", "why, for the audit")
	correct.Flags().StringVar(&n.Although, "although", "", "the difference that is open, when another amount is to be corrected; 0: none is")
	correct.Flags().StringVar(&n.Reference, "reference", "", "a UUID that corrects once, however often it is sent")
	return command.Group("treasury", "the operator's own money", command.Need(correct, "network", "asset", "amount", "reason"))
}
