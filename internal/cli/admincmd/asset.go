package admincmd

import (
	"context"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
)

func (p *commands) assetCommands() *cobra.Command {
	var reason, network string
	stop := p.adminAction("stop ASSET [--network N] --reason R", "stop payouts of an asset until it is resumed", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			return a.StopAsset(ctx, args[0], network, reason)
		})
	stop.Flags().StringVar(&reason, "reason", "", "why, for the audit and for whoever resumes it")
	stop.Flags().StringVar(&network, "network", "", "only on this network")
	resume := p.adminAction("resume ASSET [--network N]", "resume payouts of an asset, once nothing differs", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			return a.ResumeAsset(ctx, args[0], network)
		})
	resume.Flags().StringVar(&network, "network", "", "only on this network")
	return command.Group("asset", "the ledger's units: which are stopped, and why",
		p.adminAction("list", "list the assets", cobra.NoArgs,
			func(ctx context.Context, a *admin.Admin, _ []string) (any, error) { return a.Assets(ctx) }),
		command.Need(stop, "reason"),
		resume,
	)
}
