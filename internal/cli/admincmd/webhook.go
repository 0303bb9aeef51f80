package admincmd

import (
	"context"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/lists"
	"causeway/internal/ops/admin"
)

const defaultDeliveries = 100

func (p *commands) webhookCommands() *cobra.Command {
	var (
		f        lists.AcrossDeliveryFilter
		merchant string
	)
	list := p.adminAction("list", "list deliveries, newest first", cobra.NoArgs,
		func(ctx context.Context, a *admin.Admin, _ []string) (_ any, err error) {
			if merchant != "" {
				m, err := command.IDOf("merchant", merchant)
				if err != nil {
					return nil, err
				}
				if _, err = a.Merchant(ctx, m); err != nil {
					return nil, err
				}
				f.Merchants = []uuid.UUID{m}
			}
			return a.Deliveries(ctx, f)
		})
	list.Flags().StringVar(&merchant, "merchant", "", "only of this merchant")
	list.Flags().StringVar(&f.Status, "status", "", "only those that are pending, delivered or exhausted")
	list.Flags().IntVar(&f.Limit, "limit", defaultDeliveries, "at most this many")
	redeliver := p.adminAction("redeliver DELIVERY_ID", "send a webhook again", cobra.ExactArgs(1),
		func(ctx context.Context, a *admin.Admin, args []string) (any, error) {
			id, err := command.IDOf("delivery", args[0])
			if err != nil {
				return nil, err
			}
			return a.Redeliver(ctx, id)
		})
	return command.Group("webhook", "deliveries to merchants", list, redeliver)
}
