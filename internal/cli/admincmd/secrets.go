package admincmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
)

func (p *commands) secretsCommands() *cobra.Command {
	c := &cobra.Command{Use: "reseal", Args: cobra.NoArgs,
		Short: "encrypt every secret under the first key of SECRETS_KEY; API keys created under an older key still need that key",
		RunE: func(c *cobra.Command, args []string) error {
			var unopened int
			err := p.act(c, args, func(ctx context.Context, a *admin.Admin, _ []string) (any, error) {
				done, err := a.Reseal(ctx)
				unopened = len(done.Unopened)
				return done, err
			}, "SECRETS_KEY")
			if err == nil && unopened > 0 {
				err = fmt.Errorf("%d %s cannot be opened and %s as before: is a key missing in SECRETS_KEY?", unopened,
					admin.Plural(int64(unopened), "secret"), admin.Plural(int64(unopened), "stays", "stay"))
			}
			return err
		}}
	return command.Group("secrets", "the secrets at rest", c)
}
