package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"causeway/admin"
	"causeway/pay"
	"causeway/workers"
)

func (p *program) networkCommands() *cobra.Command {
	var from int64
	resume := p.houseAction("resume NETWORK --from HEIGHT", "let a network go on that reorganised deeper than is remembered", 1,
		func(ctx context.Context, w *workers.Workers, args []string) (any, error) {
			return w.ResumeNetwork(ctx, p.actor(), args[0], from)
		})
	resume.Flags().Int64Var(&from, "from", 0, "the last height at which the chain is certainly the one that was followed; what is above it is undone and read again")
	return group("network", "how far each network is followed",
		p.adminAction("list", "list the networks that are followed", cobra.NoArgs,
			func(ctx context.Context, a *admin.Admin, _ []string) (any, error) { return a.Networks(ctx) }),
		need(resume, "from"),
	)
}

func (p *program) hotWalletCommands() *cobra.Command {
	var (
		unexplained int64
		payout      string
		nobody      bool
	)
	resume := p.houseAction("resume NETWORK", "sign again with a hot wallet whose chain was ahead of the books, as causeway reconcile has explained", 1,
		func(ctx context.Context, w *workers.Workers, args []string) (any, error) {
			return w.ResumeWallet(ctx, p.actor(), args[0], unexplained)
		})
	resume.Flags().Int64Var(&unexplained, "unexplained", 0, "how many nonces are known to have moved nothing")
	assign := p.houseAction("assign NETWORK TXID --payout ID | --nobody", "say what an unknown transaction was", 2,
		func(ctx context.Context, w *workers.Workers, args []string) (any, error) {
			if nobody {
				return w.AssignSpend(ctx, p.actor(), args[0], args[1], nil)
			}
			id, err := idOf("payout", payout)
			if err != nil {
				return nil, err
			}
			return w.AssignSpend(ctx, p.actor(), args[0], args[1], &id)
		})
	assign.Flags().StringVar(&payout, "payout", "", "the open payout that it has paid: it is completed by it")
	assign.Flags().BoolVar(&nobody, "nobody", false, "it was no payout")
	assign.MarkFlagsMutuallyExclusive("payout", "nobody")
	assign.MarkFlagsOneRequired("payout", "nobody")
	return group("wallet", "hot wallets whose chain was ahead of the books", resume,
		p.adminAction("unknown", "list transactions that are nobody's payout as far as is known", cobra.NoArgs,
			func(ctx context.Context, a *admin.Admin, _ []string) (any, error) { return a.LostSpends(ctx) }),
		assign,
	)
}

// houseAction is an admin command that asks a network, by its name or alias as the first argument.
func (p *program) houseAction(use, short string, args int, do func(context.Context, *workers.Workers, []string) (any, error)) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: cobra.ExactArgs(args), RunE: func(c *cobra.Command, args []string) (err error) {
		s, err := p.settings("DATABASE_URL", "REDIS_URL", "SECRETS_KEY")
		if err != nil {
			return err
		}
		if n, ok := pay.NetworkCalled(args[0]); ok {
			args[0] = n.Name
		}
		defer p.doing(c)()
		h, err := openHouse(c.Context(), s, io.Discard, false)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, h.close()) }()
		result, err := do(c.Context(), h.workers(), args)
		if err != nil {
			return err
		}
		return p.print(result)
	}}
}
