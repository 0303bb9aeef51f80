package admincmd

import (
	"context"
	"errors"
	"math"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
	"causeway/internal/ops/onchain"
	"causeway/internal/pay"
)

func (p *commands) networkCommands() *cobra.Command {
	var from int64
	resume := p.serviceAction("resume NETWORK --from HEIGHT", "resume a network that reorganised deeper than is remembered", 1,
		func(ctx context.Context, o *onchain.Operator, args []string) (any, error) {
			return o.ResumeNetwork(ctx, args[0], from)
		})
	command.Whole(resume.Flags(), &from, "from", 0, math.MaxInt64,
		"the last height at which the chain is certainly the one that was followed; what is above it is undone and read again")
	return command.Group("network", "how far each network is followed",
		p.adminAction("list", "list how far networks are followed: those of NETWORKS_FILE, and all that ever were", cobra.NoArgs, p.networks),
		command.Need(resume, "from"),
		p.serviceAction("prepare NETWORK", "make the address that payins share ready for payers: the signer does it, for the network's fee", 1,
			func(ctx context.Context, o *onchain.Operator, args []string) (any, error) {
				return o.PrepareNetwork(ctx, args[0])
			}),
	)
}

func (p *commands) networks(ctx context.Context, a *admin.Admin, _ []string) (any, error) {
	s, err := p.Settings()
	if err != nil {
		return nil, err
	}
	file, err := s.ReadNetworks()
	if err != nil {
		return nil, err
	}
	return a.Networks(ctx, file.Names()...)
}

// serviceAction is an admin command with the networks open; the first argument, if any, is a network's name or alias.
func (p *commands) serviceAction(use, short string, args int, do func(context.Context, *onchain.Operator, []string) (any, error)) *cobra.Command {
	return p.networkAction(use, short, cobra.ExactArgs(args), do)
}

// networkAction is serviceAction with any number of arguments.
func (p *commands) networkAction(use, short string, args cobra.PositionalArgs, do func(context.Context, *onchain.Operator, []string) (any, error)) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: func(c *cobra.Command, given []string) (err error) {
		s, err := p.Settings("DATABASE_URL", "REDIS_URL", "SECRETS_KEY")
		if err != nil {
			return err
		}
		if len(given) > 0 {
			if n, ok := pay.NetworkCalled(given[0]); ok {
				given[0] = n.Name
			}
		}
		defer p.Doing(c)()
		o, end, err := p.open(c.Context(), s)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, end()) }()
		result, err := do(c.Context(), o.By(&admin.Admin{Store: o.Store, Actor: p.Actor(), Told: p.Now.At}), given)
		if err != nil {
			return err
		}
		return p.Print(result)
	}}
}
