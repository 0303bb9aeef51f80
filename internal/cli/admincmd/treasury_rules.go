package admincmd

import (
	"context"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
)

// ruleCommands are about the rules of the treasury.
func (p *commands) ruleCommands() *cobra.Command {
	return command.Group("rules", "when the treasury moves the money of a token",
		p.adminAction("list", "list the rules of the treasury", cobra.NoArgs,
			func(ctx context.Context, a *admin.Admin, _ []string) (any, error) { return a.TreasuryRules(ctx) }),
		p.adminAction("set NETWORK TOKEN NAME=VALUE…", "set fields of a token's rule on a network, or make the rule", cobra.MinimumNArgs(2+leastField),
			func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
				fields, err := command.FieldsOf(args[2:])
				if err != nil {
					return nil, err
				}
				return a.SetTreasuryRule(ctx, args[0], args[1], fields)
			}),
		p.adminAction("remove NETWORK TOKEN", "remove a token's rule on a network: its money is only shown from then on", cobra.ExactArgs(2),
			func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
				return a.RemoveTreasuryRule(ctx, args[0], args[1])
			}),
	)
}
