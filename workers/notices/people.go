package notices

import (
	"context"

	"causeway/internal/message"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// TellFailed tells people of the merchants of failed payouts, in the transaction of the failures. Messages have neither amounts nor
// recipients: mail is read by others on its way.
func TellFailed(ctx context.Context, tx *store.Store, payouts []*pay.Payout) error {
	facts := make([]store.MessageFact, len(payouts))
	for i, p := range payouts {
		id := p.ID.String()
		facts[i] = store.MessageFact{Merchant: p.MerchantID, Page: "/panel/payouts/" + id,
			Line: "Payout " + id + " on " + p.Network + " failed: " + *p.Reason + ". What was debited has been given back."}
	}
	told := message.Of(message.PayoutFailed)
	return tx.TellPeople(ctx, string(told.Topic), told.Roles, told.Title, facts...)
}
