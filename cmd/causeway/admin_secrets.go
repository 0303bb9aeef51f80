package main

import (
	"context"

	"github.com/spf13/cobra"

	"causeway/admin"
)

func (p *program) secretsCommands() *cobra.Command {
	return group("secrets", "the secrets at rest", p.adminAction("reseal",
		"seal every secret under the first key of SECRETS_KEY; API keys made under an older one need it still", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, _ []string) (any, error) { return a.Reseal(ctx) }, "SECRETS_KEY"))
}
