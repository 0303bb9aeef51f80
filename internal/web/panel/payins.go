package panel

import (
	"strings"

	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/web/room"
)

// payins lists the payins of the merchant, newest first.
func payins(v *visit) (*room.Page, error) {
	found, err := lists.PayinsAcross(v.Context(), v.panel.Store, v.filter())
	if err != nil {
		return nil, err
	}
	found, rest := room.Fitting(v.Asked, found, func(p *pay.Payin) string { return p.ID.String() })
	rows := make([][]room.Cell, len(found))
	for i := range found {
		p := &found[i]
		made, amount := room.When(p.CreatedAt), room.Money(p.Amount, p.Token)
		made.Href = Prefix + "payins/" + p.ID.String()
		if p.Received.IsPositive() && !p.Received.Equal(p.Amount) {
			amount.Sub = room.Grouped(p.Received) + " received"
		}
		rows[i] = []room.Cell{made, amount, room.Text(p.Network), room.Status(string(p.Status)), room.Text(p.ReferenceID), room.Copied(p.Wallet)}
	}
	t := v.Paged(moneyColumns, rows, rest)
	t.File = room.SheetOf(found, `internal_reference created_at_utc reference_id status network token amount received fiat_currency fiat_amount wallet memo
		customer_info expires_at_utc reversed_at_utc`, func(p *pay.Payin) []string {
		return []string{p.ID.String(), room.Moment(p.CreatedAt), p.ReferenceID, string(p.Status), p.Network, p.Token, p.Amount.String(), p.Received.String(),
			p.FiatCurrency, room.Plain(p.FiatAmount), p.Wallet, room.Or(p.Memo, ""), room.Or(p.CustomerInfo, ""), room.Moment(p.ExpiresAt),
			room.MomentOr(p.ReversedAt)}
	})
	if t.Filter, err = v.moneyFilter(pay.PayinStatuses); err != nil {
		return nil, err
	}
	t.Empty = "No payins match. POST /v1/payin creates them, and so does the page \"Deposit\"."
	return &room.Page{Title: "Payins", Section: "Payins", List: t, Parts: []room.Part{v.ListPart(t)}}, nil
}

// payin shows one payin of the merchant with its transfers and webhooks.
func payin(v *visit) (*room.Page, error) {
	p, err := v.panel.Store.MerchantPayin(v.Context(), v.Merchant, orMax(room.ID(v.PathValue("id"))), "")
	if err != nil {
		return nil, err
	}
	transfers, err := v.panel.Store.TransfersOf(v.Context(), p.ID)
	if err != nil {
		return nil, err
	}
	told, err := v.admin().DeliveriesOf(v.Context(), p.ID)
	if err != nil {
		return nil, err
	}
	of := transfers[p.ID]
	out := &room.Page{Title: "Payin of " + room.Money(p.Amount, p.Token).Text, Section: "Payins", Up: &room.Link{Text: "Payins", Href: Prefix + "payins"},
		Tags: []room.Cell{room.Status(string(p.Status))}}
	if paid := p.PaymentStatus(of); paid != nil {
		out.Tags = append(out.Tags, room.Pill(*paid, "idle"))
	}
	out.Live = p.Status == pay.PayinPending
	out.Parts = append(payPart(v, p), room.Part{Facts: payinFacts(p)}, room.TransfersPart(of))
	refunds, err := refundParts(v, p)
	out.Parts = append(append(out.Parts, refunds...), deliveriesPart(v, p.KeyID, told, p.CreatedAt))
	return out, err
}

func payinFacts(p *pay.Payin) []room.Fact {
	fee := "not charged"
	if p.PaysNetworkFee {
		fee = room.Money(p.NetworkFee, p.Token).Text
	}
	facts := []room.Fact{
		{Name: "Reference", Cell: room.Whole(p.ReferenceID)},
		{Name: "Internal reference", Cell: room.Whole(p.ID.String())},
		{Name: "Address", Cell: room.Whole(p.Wallet)},
		{Name: "Network", Cell: room.Text(p.Network)},
		{Name: "Requested", Cell: room.Cell{Text: room.Money(p.Amount, p.Token).Text, Sub: "complete at " + p.MinimumPayment.String() + " %"}},
		{Name: "Received", Cell: room.Money(p.Received, p.Token)},
		{Name: "Value", Cell: room.MoneyOr(p.FiatAmount, p.FiatCurrency, "not priced")},
		{Name: "Rate", Cell: room.Text(p.PercentRate.String() + " %")},
		{Name: "Network fee", Cell: room.Text(fee)},
		{Name: "Created", Cell: room.When(p.CreatedAt)},
		{Name: "Expires", Cell: room.When(p.ExpiresAt)},
		{Name: "Customer", Cell: room.Text(strings.TrimSpace(room.Or(p.CustomerInfo, "–")))},
	}
	if email, panel := pay.OfPanel(p.KeyID); panel && email != "" {
		facts = append(facts, room.Fact{Name: "Deposited by", Cell: room.Text(email)})
	}
	if p.Memo != nil {
		facts = append(facts, room.Fact{Name: "Memo", Cell: room.Whole(*p.Memo)})
	}
	if p.ReversedAt != nil {
		facts = append(facts, room.Fact{Name: "Reversed", Cell: room.When(*p.ReversedAt)})
	}
	return facts
}
