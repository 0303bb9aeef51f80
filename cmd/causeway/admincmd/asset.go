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
