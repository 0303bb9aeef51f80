package admincmd

import (
	"context"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
)

func (p *commands) unclaimedCommands() *cobra.Command {
	list := p.adminAction("list", "list transfers that nobody could have, oldest first", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, _ []string) (any, error) { return a.Unclaimed(ctx) })
	ignore := p.adminAction("ignore ID", "take a transfer off the list", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			id, err := command.IDOf("unclaimed transfer", args[0])
			if err != nil {
				return nil, err
			}
			return a.IgnoreUnclaimed(ctx, id)
		})
	return command.Group("unclaimed", "money that arrived for nobody", list, p.unclaimedAssign(), ignore)
}

func (p *commands) unclaimedAssign() *cobra.Command {
	var merchant string
	var although bool
	c := p.adminAction("assign ID --merchant ID", "give a transfer to a merchant", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			id, err := command.IDOf("unclaimed transfer", args[0])
			if err != nil {
				return nil, err
			}
			to, err := command.IDOf("merchant", merchant)
			if err != nil {
				return nil, err
			}
			return a.AssignUnclaimed(ctx, id, to, although)
		})
	c.Flags().StringVar(&merchant, "merchant", "", "who gets it")
	c.Flags().BoolVar(&although, "although-anothers", false, "give it away although it came to an address of another merchant")
	return command.Need(c, "merchant")
}
