package api

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// PayinRefunds is the answer about the refunds of a payin.
type PayinRefunds struct {
	Message    string           `json:"message"`
	Payin      uuid.UUID        `json:"payin"`
	Refundable []RefundableLeft `json:"refundable"`
	Refunds    []RefundRecord   `json:"refunds"`
}

// RefundableLeft says how much of what came in a token on a network may still be refunded.
type RefundableLeft struct {
	CryptoCurrency string `json:"crypto_currency"`
	Network        string `json:"network"`
	Arrived        string `json:"arrived"`
	Refunded       string `json:"refunded"`
	Refundable     string `json:"refundable"`
	Overpaid       string `json:"overpaid"`
}

// ofPayin answers GET /v1/payin-refunds/:reference.
func (r *Refunds) ofPayin(c *Call) error {
	reference, err := anyReference(c, errNoRefundPayin)
	if err != nil {
		return err
	}
	answer := PayinRefunds{Message: "refunds_retrieved_success"}
	err = r.Payouts.Store.Snapshot(c.Context(), func(tx *store.Store) error {
		payin, err := payinNamed(c.Context(), tx, c.Caller.Merchant.ID, reference)
		if err != nil {
			return err
		}
		came, err := tx.Refundable(c.Context(), payin.ID)
		if err != nil {
			return err
		}
		refunds, err := tx.RefundsOf(c.Context(), payin.ID)
		if err != nil {
			return err
		}
		refunds = slices.DeleteFunc(refunds, func(q pay.Refund) bool { _, panel := pay.OfPanel(q.KeyID); return panel })
		answer.Payin, answer.Refundable = payin.ID, leftOf(payin, came)
		answer.Refunds, err = r.records(c, tx, refunds)
		return err
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, answer)
}

// payinNamed reads a payin of a merchant by its internal reference, or else by the merchant's.
func payinNamed(ctx context.Context, s *store.Store, merchant uuid.UUID, reference string) (*pay.Payin, error) {
	reference = pay.TrimmedReference(reference)
	if id, ok := exactID(reference); ok {
		found, err := payinOfAPI(ctx, s, merchant, id, "")
		if !errors.Is(err, pay.ErrNotFound) {
			return found, err
		}
	}
	found, err := payinOfAPI(ctx, s, merchant, uuid.Nil, reference)
	if errors.Is(err, pay.ErrNotFound) {
		return nil, errNoRefundPayin
	}
	return found, err
}

func leftOf(p *pay.Payin, came []pay.Refundable) []RefundableLeft {
	out := make([]RefundableLeft, len(came))
	for i := range came {
		t := &came[i]
		out[i] = RefundableLeft{CryptoCurrency: t.Token, Network: t.Network, Arrived: t.Arrived.String(), Refunded: t.Refunded.String(),
			Refundable: t.Left().String(), Overpaid: "0"}
		if t.Token == p.Token && t.Network == p.Network {
			out[i].Overpaid = pay.Overpaid(p, came).String()
		}
	}
	return out
}
