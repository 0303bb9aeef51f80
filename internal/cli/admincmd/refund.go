package admincmd

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/cli/connect"
	"causeway/internal/ops/admin"
)

// refundLink promises a refund and prints the link, which only a holder of SEAL_KEY can make.
func (p *commands) refundLink() *cobra.Command {
	o := admin.RefundOrder{}
	c := p.adminAction("refund-link REF", "let the payer of a payin say where a refund goes, by a link that is good for seven days", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			s, err := p.Settings("PUBLIC_BASE_URL")
			if err != nil {
				return nil, err
			}
			if err := connect.OwnSeals(ctx, s, a.Store); err != nil {
				return nil, err
			}
			o.ID = uuid.Must(uuid.NewV7())
			made, err := a.PromiseRefund(ctx, args[0], o)
			if err != nil {
				return nil, err
			}
			made.Link = strings.TrimSuffix(string(s.PublicBaseURL), "/") + admin.RefundPath + s.Seals().RefundLink(made.ID)
			return made, nil
		}, "PUBLIC_BASE_URL")
	c.Flags().StringVar(&o.Amount, "amount", "", "all, overpaid, or an amount in the token")
	c.Flags().StringVar(&o.Token, "token", "", "symbol of the token that came; the payin's without it")
	c.Flags().BoolVar(&o.FeesFrom, "fees-from-amount", false, "take the fees from the amount, and not from the balance beside it")
	c.Flags().StringVar(&o.Description, "description", "", "text for the payer")
	return command.Need(c, "amount")
}

func (p *commands) refundRevoke() *cobra.Command {
	return p.adminAction("refund-revoke ID", "end the link of a refund, so that its payer can say no more where to", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			id, err := command.IDOf("refund", args[0])
			if err != nil {
				return nil, err
			}
			return map[string]any{"revoked": id}, a.RevokeRefund(ctx, id)
		})
}
