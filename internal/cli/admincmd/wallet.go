package admincmd

import (
	"context"
	"math"

	"github.com/shopspring/decimal"
	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
	"causeway/internal/ops/onchain"
)

func (p *commands) hotWalletCommands() *cobra.Command {
	var (
		unexplained int64
		neverUsed   int64
		payout      string
		nobody      bool
		difference  decimal.Decimal
	)
	resume := p.serviceAction("resume NETWORK", "resume signing with a hot wallet whose chain was ahead of the books, as causeway reconcile explains", 1,
		func(ctx context.Context, o *onchain.Operator, args []string) (any, error) {
			return o.ResumeWallet(ctx, args[0], unexplained, neverUsed)
		})
	command.Whole(resume.Flags(), &unexplained, "unexplained", 0, math.MaxInt64, "how many nonces are known to have moved nothing")
	command.Whole(resume.Flags(), &neverUsed, "never-used", 0, math.MaxInt64,
		"how many nonces a node has counted by mistake, for which nothing was ever signed")
	book := p.serviceAction("book NETWORK TXID", "end the payout whose nonce was taken by a transaction that the books do not know", 2,
		func(ctx context.Context, o *onchain.Operator, args []string) (any, error) {
			return o.BookSpend(ctx, args[0], args[1])
		})
	assign := p.serviceAction("assign NETWORK TXID --payout ID [--difference D] | --nobody", "say what an unknown transaction was", 2,
		func(ctx context.Context, o *onchain.Operator, args []string) (any, error) {
			if nobody {
				return o.AssignSpend(ctx, args[0], args[1], nil, decimal.Zero)
			}
			id, err := command.IDOf("payout", payout)
			if err != nil {
				return nil, err
			}
			return o.AssignSpend(ctx, args[0], args[1], &id, difference)
		})
	assign.Flags().StringVar(&payout, "payout", "", "the open payout that it paid, which is completed")
	assign.Flags().BoolVar(&nobody, "nobody", false, "it paid no payout")
	command.Read(assign.Flags(), &difference, "difference",
		"how much more the payout asks for than was spent, at the treasury's gain (or cost, below zero)", admin.SignedNumber)
	assign.MarkFlagsMutuallyExclusive("payout", "nobody")
	assign.MarkFlagsMutuallyExclusive("difference", "nobody")
	assign.MarkFlagsOneRequired("payout", "nobody")
	return command.Group("wallet", "hot wallets: their addresses, and spends that the books do not know",
		p.serviceAction("list", "list the hot wallets with the addresses to fund, and what they hold", 0,
			func(ctx context.Context, o *onchain.Operator, _ []string) (any, error) { return o.HotWallets(ctx) }),
		resume,
		p.serviceAction("forget NETWORK ADDRESS", "remove the stop of a former seed's wallet from the overview", 2,
			func(ctx context.Context, o *onchain.Operator, args []string) (any, error) {
				return o.ForgetWallet(ctx, args[0], args[1])
			}),
		book,
		p.adminAction("unknown", "list spends of hot wallets that belong to no known payout", cobra.NoArgs,
			func(ctx context.Context, a *admin.Admin, _ []string) (any, error) { return a.LostSpends(ctx) }),
		assign,
		p.serviceAction("dismiss NETWORK TXID", "remove a transaction that is in no block any more from the overview; payouts that wait for it continue", 2,
			func(ctx context.Context, o *onchain.Operator, args []string) (any, error) {
				return o.DismissSpend(ctx, args[0], args[1])
			}),
	)
}
