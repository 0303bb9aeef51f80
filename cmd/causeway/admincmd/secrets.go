package admincmd

import (
	"context"

	"github.com/spf13/cobra"

	"causeway/admin"
	"causeway/cmd/causeway/command"
)

func (p *commands) secretsCommands() *cobra.Command {
	return command.Group("secrets", "the secrets at rest", p.adminAction("reseal",
		"seal every secret under the first key of SECRETS_KEY; API keys made under an older one need it still", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, _ []string) (any, error) { return a.Reseal(ctx) }, "SECRETS_KEY"))
}
