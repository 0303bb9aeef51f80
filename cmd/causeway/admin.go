package main

import (
	"context"
	"errors"
	"os/user"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"causeway/admin"
	"causeway/store"
)

// commandPool is how many database connections one command of an operator needs.
const commandPool = 2

func (p *program) adminCommand() *cobra.Command {
	return group("admin", "change what the operator may change; every change is audited",
		p.merchantCommands(),
		p.keyCommands(),
		p.ratesCommands(),
		p.tokenCommands(),
		p.fiatCommands(),
		p.priceCommands(),
		p.walletsCommands(),
		p.webhookCommands(),
		p.payoutCommands(),
		p.unclaimedCommands(),
		p.seedCommands(),
		p.secretsCommands(),
		p.auditCommands(),
		p.assetCommands(),
		p.treasuryCommands(),
		p.networkCommands(),
		p.hotWalletCommands(),
		p.limitCommands(),
		p.operatorCommands(),
	)
}

// action is what an admin command does; it answers what is printed.
type action func(ctx context.Context, a *admin.Admin, args []string) (any, error)

// adminAction is a command around an action. Needed are settings beyond the database.
func (p *program) adminAction(use, short string, args cobra.PositionalArgs, do action, needed ...string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: func(c *cobra.Command, args []string) error {
		s, err := p.settings(append([]string{"DATABASE_URL"}, needed...)...)
		if err != nil {
			return err
		}
		defer p.doing(c)()
		db, err := s.openSchema(c.Context(), commandPool)
		if err != nil {
			return err
		}
		a := &admin.Admin{Store: store.New(db), Actor: p.actor(), Told: p.now.at}
		if len(s.SecretsKey) > 0 {
			a.Vault = s.vault()
		}
		result, err := do(c.Context(), a, args)
		if err = errors.Join(err, db.Close()); err != nil {
			return err
		}
		return p.print(result)
	}}
}

// actor is who the audit table names: CAUSEWAY_ACTOR, or the user of the system.
func (p *program) actor() string {
	for _, line := range p.environ {
		if name, ok := strings.CutPrefix(line, "CAUSEWAY_ACTOR="); ok && name != "" {
			return name
		}
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}

// fieldsOf reads name=value arguments.
func fieldsOf(args []string) (admin.Fields, error) {
	out := make(admin.Fields, len(args))
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if _, twice := out[name]; !ok || name == "" || twice {
			return nil, usagef("%q is not name=value, each name once", arg)
		}
		out[name] = value
	}
	return out, nil
}

// idOf reads an id of ours; what cannot be one does not exist.
func idOf(what, text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return id, errors.New("there is no " + what + " " + text)
	}
	return id, nil
}

// need marks flags without which a command makes no sense.
func need(c *cobra.Command, flags ...string) *cobra.Command {
	for _, name := range flags {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that the command does not have
		}
	}
	return c
}
