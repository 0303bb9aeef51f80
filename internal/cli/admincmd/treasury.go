package admincmd

import (
	"context"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
)

func (p *commands) treasuryCommands() *cobra.Command {
	var n admin.NewCorrection
	correct := p.adminAction("correct --network N --asset A --amount -1.5 --reason R [--although D] [--reference UUID]",
		"make the ledger agree with what a network holds, at the treasury's gain or cost", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, _ []string) (any, error) { return a.CorrectTreasury(ctx, n) })
	correct.Flags().StringVar(&n.Network, "network", "", "network on which to correct")
	correct.Flags().StringVar(&n.Asset, "asset", "", "asset of the ledger")
	correct.Flags().StringVar(&n.Amount, "amount", "",
		"what the network holds beyond the ledger, as the last look found it; less than zero: what it lacks")
	correct.Flags().StringVar(&n.Reason, "reason", "", "why, for the audit")
	correct.Flags().StringVar(&n.Although, "although", "", "the open difference, if you correct another amount; 0 if there is none")
	correct.Flags().StringVar(&n.Reference, "reference", "", "a UUID: the same one never corrects twice")
	return command.Group("treasury", "the operator's own money, and its moves between our addresses",
		append(p.handCommands(), command.Need(correct, "network", "asset", "amount", "reason"), p.ruleCommands(), p.moveCommands(), p.tronCommands())...)
}
