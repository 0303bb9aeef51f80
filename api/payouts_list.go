package api

import (
	"net/http"

	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// payoutStatuses maps the status filters of a list to the statuses of the table. Refunded payouts are listed only
// without a filter (api-v1 §GET /v1/list-payout).
var payoutStatuses = map[string][]string{
	"pending":   {string(pay.PayoutQueued), string(pay.PayoutSigned), string(pay.PayoutSent)},
	"completed": {string(pay.PayoutCompleted)},
	"failed":    {string(pay.PayoutFailed)},
}

// PayoutList is the answer to GET /v1/list-payout.
type PayoutList struct {
	Message  string         `json:"message"`
	Payments []PayoutRecord `json:"payments"`
	Summary  PayoutCounts   `json:"summary"`
	Meta     listMeta       `json:"meta"`
}

// PayoutCounts counts all pages of the filters; refunded payouts are in none of them.
type PayoutCounts struct {
	TotalPending   int `json:"total_pending"`
	TotalCompleted int `json:"total_completed"`
	TotalFailed    int `json:"total_failed"`
}

// PayoutFound is the answer to GET /v1/check-payout.
type PayoutFound struct {
	Message string       `json:"message"`
	Payment PayoutRecord `json:"payment"`
}

func (p *Payouts) list(c *Call) error {
	asked, err := readListing(c.Query, payoutStatuses)
	if err != nil {
		return err
	}
	asked.Merchant = c.Caller.Merchant.ID
	rows, counts, err := lists.Payouts(c.Context(), p.Store, asked.Filter)
	if err != nil {
		return err
	}
	answer := PayoutList{Message: "payments_retrieved_success", Payments: make([]PayoutRecord, len(rows))}
	for i := range rows {
		answer.Payments[i] = payoutRecord(&rows[i])
	}
	total := 0
	for status, n := range counts {
		answer.Summary.add(pay.PayoutStatus(status), n)
		total += n
	}
	answer.Meta = asked.meta(total)
	return c.JSON(http.StatusOK, answer)
}

func (s *PayoutCounts) add(status pay.PayoutStatus, n int) {
	switch status.Public() {
	case "pending":
		s.TotalPending += n
	case "completed":
		s.TotalCompleted += n
	case "failed":
		s.TotalFailed += n
	}
}

var errPayoutUnknown = pay.E(pay.NotFound, "record_not_found", "The account has no such payout.").With("resource", "payment")

// check looks a payout up by internal_reference only; another merchant's is unknown (api-v1 §GET /v1/check-payout).
func (p *Payouts) check(c *Call) error {
	reference, err := checkedReference(c, errPayoutUnknown)
	if err != nil {
		return err
	}
	id, ok := exactID(reference)
	if !ok {
		return errPayoutUnknown
	}
	found, err := p.found.Do(c.Context(), store.Owned{Merchant: c.Caller.Merchant.ID, ID: id}, p.Store.MerchantPayouts)
	if err != nil {
		return err
	}
	if found == nil {
		return errPayoutUnknown
	}
	return c.JSON(http.StatusOK, PayoutFound{"payment_retrieved_success", payoutRecord(found)})
}
