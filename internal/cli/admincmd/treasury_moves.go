package admincmd

import (
	"context"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
	"causeway/internal/store"
)

// moveCommands are about the moves of the treasury.
func (p *commands) moveCommands() *cobra.Command {
	return command.Group("moves", "moves of money between our addresses",
		p.moveList(),
		p.moveAction("show ID", "show a move with its transactions, job and postings", (*admin.Admin).TreasuryMove),
		p.moveAction("cancel ID", "cancel a move, or stop a signed one by taking its slot", (*admin.Admin).CancelMove),
		p.moveAction("retry ID", "make an open move due now, or plan a failed one anew", (*admin.Admin).RetryMove),
	)
}

func (p *commands) moveList() *cobra.Command {
	var (
		page paging
		f    store.MoveFilter
	)
	c := p.adminAction("list", "list moves, newest first", cobra.NoArgs, func(ctx context.Context, a *admin.Admin, _ []string) (_ any, err error) {
		if f.Below, err = idOr("move", page.below); err != nil {
			return nil, err
		}
		f.Limit = page.limit
		return a.TreasuryMoves(ctx, f)
	})
	c.Flags().StringVar(&f.Network, "network", "", "only on this network")
	c.Flags().BoolVar(&f.Open, "open", false, "only those that may still move something")
	page.flags(c)
	return c
}

// moveAction is a command about one move.
func (p *commands) moveAction(use, short string, do func(*admin.Admin, context.Context, uuid.UUID) (*admin.WholeMove, error)) *cobra.Command {
	return p.adminAction(use, short, cobra.ExactArgs(1), func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
		id, err := command.IDOf("move", args[0])
		if err != nil {
			return nil, err
		}
		return do(a, ctx, id)
	})
}
