package main

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// refundRow is a refund as the books have it.
type refundRow struct {
	ID, PayinID, MerchantID uuid.UUID
	ReferenceID             string
	Network, Token          string
	Amount                  decimal.Decimal
	PayoutID                *uuid.UUID
	Revoked                 bool
}

// judgeRefunds compares what merchants were answered with the rows, and what was given back with what came.
func (e *evidence) judgeRefunds(ctx context.Context) {
	var all []refundRow
	if err := e.t.db.NewRaw(`select id, payin_id, merchant_id, reference_id, network, token, amount, payout_id, revoked_at is not null as revoked
		from refunds order by id`).Scan(ctx, &all); err != nil {
		e.wrong("the evidence can be read", err.Error())
	}
	payouts := map[uuid.UUID]*payoutRow{}
	for i := range e.payouts {
		payouts[e.payouts[i].ID] = &e.payouts[i]
	}
	rows, given := map[string]bool{}, map[string]decimal.Decimal{} // ids; sums by payin, network and token
	for _, r := range all {
		rows[r.ID.String()] = true
		e.refunded[r.PayinID] = true
		stands := !r.Revoked
		if r.PayoutID != nil {
			e.byRefund[*r.PayoutID] = true
			p := payouts[*r.PayoutID]
			if p == nil || p.MerchantID != r.MerchantID || p.Network != r.Network || p.Token != r.Token || p.Amount.GreaterThan(r.Amount) {
				e.wrong("a refund has its payout", r.ReferenceID)
				continue
			}
			stands = p.Status != "refunded"
		}
		if stands {
			key := fmt.Sprint(r.PayinID, r.Network, r.Token)
			given[key] = given[key].Add(r.Amount)
		}
	}
	came := map[string]decimal.Decimal{}
	for _, t := range e.transfers {
		if t.PayinID != nil && t.Credits > 0 {
			key := fmt.Sprint(*t.PayinID, t.Network, t.Token)
			came[key] = came[key].Add(t.Credited)
		}
	}
	for key, sum := range given {
		if sum.GreaterThan(came[key]) {
			e.wrong("no more is given back than came", fmt.Sprintf("%s: %s of %s", key, sum, came[key]))
		}
	}
	for _, g := range e.t.book.givings {
		switch {
		case g.outcome == "":
			e.wrong(checkAnswered, g.reference)
		case (g.outcome == "created") != rows[g.id]:
			e.wrong(checkThere, g.reference+" "+g.id)
		default:
			e.report.count("refunds: "+g.outcome, 1)
		}
		delete(rows, g.id)
	}
	for id := range rows {
		e.wrong("every refund was asked for", id)
	}
}
