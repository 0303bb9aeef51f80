package admincmd

import (
	"context"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
)

func (p *commands) unclaimedCommands() *cobra.Command {
	list := p.adminAction("list", "list unclaimed transfers, oldest first", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, _ []string) (any, error) { return a.Unclaimed(ctx) })
	ignore := p.adminAction("ignore ID", "remove a transfer from the list", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			id, err := command.IDOf("unclaimed transfer", args[0])
			if err != nil {
				return nil, err
			}
			return a.IgnoreUnclaimed(ctx, id)
		})
	return command.Group("unclaimed", "money that arrived and belongs to no payin or fixed wallet", list, p.unclaimedAssign(), ignore)
}

func (p *commands) unclaimedAssign() *cobra.Command {
	var merchant string
	var although bool
	c := p.adminAction("assign ID --merchant ID", "assign a transfer to a merchant", cobra.ExactArgs(1),
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
	c.Flags().StringVar(&merchant, "merchant", "", "id of the merchant who gets it")
	c.Flags().BoolVar(&although, "although-anothers", false, "assign it even though it came to an address of another merchant")
	return command.Need(c, "merchant")
}
