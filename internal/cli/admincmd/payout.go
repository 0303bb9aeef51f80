package admincmd

import (
	"context"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
	"causeway/internal/ops/onchain"
)

func (p *commands) payoutCommands() *cobra.Command {
	waiting := p.adminAction("waiting", "list payouts that wait for approval, longest wait first", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, _ []string) (any, error) { return a.Waiting(ctx) })
	return command.Group("payout", "look at payouts, approve, stop or hurry them", moneyList(p, "payout", (*admin.Admin).Payouts), waiting,
		p.payoutAction("approve REF", "let a payout be signed that is above a limit of its merchant, of a suspended one, or of an account that owes",
			(*admin.Admin).ApprovePayout),
		p.payoutAction("decline REF", "stop a payout that waits for approval: it fails and is refunded", (*admin.Admin).DeclinePayout),
		p.payoutAction("show REF", "show a payout with its transactions, job, postings and webhooks", (*admin.Admin).Payout),
		p.payoutAction("cancel REF", "stop a payout, if it can still be proven that nothing was sent", (*admin.Admin).CancelPayout),
		p.payoutAction("dismiss REF", "take a payout off the overview against which its network has decided, and that was dealt with",
			(*admin.Admin).DismissPayout),
		p.decideAction("complete ID", "complete a payout whose final payment moved another amount than it asks for", true),
		p.decideAction("refund ID", "fail and refund such a payout: what left the hot wallet is the treasury's cost", false),
		p.payoutAction("retry REF", "make a payout's next attempt due now", (*admin.Admin).RetryPayout),
	)
}

// payoutAction is a command on the payout with an internal reference, or with a reference_id used by one merchant only.
func (p *commands) payoutAction(use, short string, do func(*admin.Admin, context.Context, string) (*admin.Payout, error)) *cobra.Command {
	return p.adminAction(use, short, cobra.ExactArgs(1), func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
		return do(a, ctx, args[0])
	})
}

// decideAction is a command to end a payout whose final payment moved another amount than the payout asked for.
func (p *commands) decideAction(use, short string, completed bool) *cobra.Command {
	return p.serviceAction(use, short, 1, func(ctx context.Context, o *onchain.Operator, args []string) (any, error) {
		id, err := command.IDOf("payout", args[0])
		if err != nil {
			return nil, err
		}
		return o.DecidePayout(ctx, id, completed)
	})
}
