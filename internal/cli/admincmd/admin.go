// Package admincmd is the group causeway admin: a command for each thing the operator may change or look at.
package admincmd

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/cli/connect"
	"causeway/internal/cli/settings"
	"causeway/internal/ops/admin"
	"causeway/internal/ops/onchain"
	"causeway/internal/store"
)

// commands is the command line as admin commands use it.
type commands struct {
	*command.Line
	open Opener
}

// Opener opens everything named by settings, for commands that ask a network, and returns the function to close it.
type Opener func(context.Context, *settings.Settings) (*onchain.Operator, func() error, error)

// Command is the group of the operator's commands.
func Command(l *command.Line, open Opener) *cobra.Command {
	p := &commands{l, open}
	return command.Group("admin", "change what the operator may change; every change is audited",
		p.merchantCommands(),
		p.keyCommands(),
		p.ratesCommands(),
		p.tokenCommands(),
		p.fiatCommands(),
		p.priceCommands(),
		p.walletsCommands(),
		p.webhookCommands(),
		p.payoutCommands(),
		p.payinCommands(),
		p.unclaimedCommands(),
		p.seedCommands(),
		p.secretsCommands(),
		p.auditCommands(),
		p.archiveCommands(),
		p.assetCommands(),
		p.treasuryCommands(),
		p.networkCommands(),
		p.hotWalletCommands(),
		p.limitCommands(),
		p.operatorCommands(),
	)
}

// action is the work of an admin command; it returns the result to print.
type action func(ctx context.Context, a *admin.Admin, args []string) (any, error)

// adminAction is a command around an action. Needed are settings beyond the database.
func (p *commands) adminAction(use, short string, args cobra.PositionalArgs, do action, needed ...string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: func(c *cobra.Command, args []string) error {
		return p.act(c, args, do, needed...)
	}}
}

// sealing is an adminAction for new secrets. It runs only under the secrets key of the books, unless one of although says
// their key is lost.
func (p *commands) sealing(use, short string, args cobra.PositionalArgs, do action, although ...*bool) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: func(c *cobra.Command, args []string) error {
		return p.act(c, args, func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			if !slices.ContainsFunc(although, func(said *bool) bool { return *said }) {
				s, err := p.Settings()
				if err == nil {
					err = connect.OwnSecrets(ctx, s, a.Store)
				}
				if err != nil {
					return nil, err
				}
			}
			return do(ctx, a, args)
		}, "SECRETS_KEY")
	}}
}

// act does an action on the books and prints its result.
func (p *commands) act(c *cobra.Command, args []string, do action, needed ...string) error {
	s, err := p.Settings(append([]string{"DATABASE_URL"}, needed...)...)
	if err != nil {
		return err
	}
	defer p.Doing(c)()
	db, err := connect.Schema(c.Context(), s, connect.PoolSize)
	if err != nil {
		return err
	}
	a := &admin.Admin{Store: store.New(db), Actor: p.Actor(), Told: p.Now.At}
	result, err := doOn(c.Context(), a, s, do, args)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	return p.Print(result)
}

// doOn does an action with the vault of the books, where there is a secrets key.
func doOn(ctx context.Context, a *admin.Admin, s *settings.Settings, do action, args []string) (any, error) {
	if len(s.SecretsKey) > 0 {
		kind, err := a.Store.Books(ctx)
		if err != nil {
			return nil, err
		}
		a.Vault = connect.Vault(s, kind)
	}
	return do(ctx, a, args)
}
