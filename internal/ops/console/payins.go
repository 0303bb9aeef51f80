package console

import (
	"github.com/google/uuid"

	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/web/room"
)

// payins lists payins of all merchants, newest first.
func payins(v *visit) (*page, error) {
	f, err := v.filter()
	if err != nil {
		return nil, err
	}
	found, err := lists.PayinsAcross(v.Context(), v.Store, f)
	if err != nil {
		return nil, err
	}
	found, rest := fitting(v, found, func(p *pay.Payin) string { return p.ID.String() })
	called, err := names(v, found, func(p *pay.Payin) uuid.UUID { return p.MerchantID })
	if err != nil {
		return nil, err
	}
	rows := make([][]cell, len(found))
	for i := range found {
		p := &found[i]
		made := when(p.CreatedAt)
		made.Href = Prefix + "payins/" + p.ID.String()
		amount := money(p.Amount, p.Token)
		if p.Received.IsPositive() && !p.Received.Equal(p.Amount) {
			amount.Sub = grouped(p.Received) + " received"
		}
		rows[i] = []cell{made, amount, text(p.Network), status(string(p.Status)), to(called[p.MerchantID], "merchants/"+p.MerchantID.String()),
			text(p.ReferenceID), copied(p.Wallet)}
	}
	t := v.Paged(moneyColumns, rows, rest)
	if v.All {
		if t.File, err = payinSheet(v, found, called); err != nil {
			return nil, err
		}
	}
	if t.Filter, err = v.moneyFilter(pay.PayinStatuses); err != nil {
		return nil, err
	}
	t.Empty = "No payins match. Merchants create payins with POST /v1/payin."
	return &page{Title: "Payins", Section: "Payins", List: t, Parts: []part{v.ListPart(t)}}, nil
}

// payin shows one payin with its transfers, postings and webhooks.
func payin(v *visit) (*page, error) {
	p, err := v.Store.Payin(v.Context(), id(v.PathValue("id")))
	if err != nil {
		return nil, err
	}
	m, err := v.Store.Merchant(v.Context(), p.MerchantID)
	if err != nil {
		return nil, err
	}
	transfers, err := v.Store.TransfersOf(v.Context(), p.ID)
	if err != nil {
		return nil, err
	}
	postings, err := v.PostingsOfTransfers(v.Context(), transfers[p.ID].Shown)
	if err != nil {
		return nil, err
	}
	told, err := v.DeliveriesOf(v.Context(), p.ID)
	if err != nil {
		return nil, err
	}
	out := &page{Title: "Payin of " + money(p.Amount, p.Token).Text, Section: "Payins", Up: &link{Text: "Payins", Href: Prefix + "payins"},
		Tags: []cell{status(string(p.Status))}}
	if paid := p.PaymentStatus(transfers[p.ID]); paid != nil {
		out.Tags = append(out.Tags, pill(*paid, "idle"))
	}
	out.Parts = []part{{Facts: payinFacts(p, m, transfers[p.ID])}, room.TransfersPart(transfers[p.ID]), postingsPart(postings), deliveriesPart(v, told, p.CreatedAt)}
	refund, err := refundPart(v, p)
	out.Parts = append(out.Parts, refund...)
	return out, err
}

func payinFacts(p *pay.Payin, m *pay.Merchant, transfers *pay.PayinTransfers) []fact {
	facts := []fact{
		{Name: "Merchant", Cell: to(m.Name, "merchants/"+m.ID.String())},
		{Name: "Reference", Cell: whole(p.ReferenceID)},
		{Name: "Internal reference", Cell: whole(p.ID.String())},
		{Name: "Address", Cell: whole(p.Wallet)},
		{Name: "Network", Cell: text(p.Network)},
		{Name: "Requested", Cell: cell{Text: money(p.Amount, p.Token).Text, Sub: "complete at " + p.MinimumPayment.String() + " %"}},
		{Name: "Received", Cell: money(p.Received, p.Token)},
		{Name: "Credited", Cell: cell{Text: p.CreditAfter.String(), Href: Prefix + "networks"}},
		{Name: "Value", Cell: moneyOr(p.FiatAmount, p.FiatCurrency, "not priced")},
		{Name: "Rate", Cell: text(p.PercentRate.String() + " %")},
		{Name: "Network fee", Cell: text(networkFee(p.PaysNetworkFee, money(p.NetworkFee, p.Token).Text))},
		{Name: "Created", Cell: cell{Text: when(p.CreatedAt).Text, Sub: since(p.CreatedAt)}},
		{Name: "Expires", Cell: when(p.ExpiresAt)},
		{Name: "Customer", Cell: text(or(p.CustomerInfo, "–"))},
	}
	if late, worth := transfers.Late(p); late {
		facts = append(facts, fact{Name: "Value of late payments on arrival", Cell: moneyOr(worth, p.FiatCurrency, "no price")})
	}
	if p.Memo != nil {
		facts = append(facts, fact{Name: "Memo", Cell: whole(*p.Memo)})
	}
	if p.ReversedAt != nil {
		facts = append(facts, fact{Name: "Reversed", Cell: when(*p.ReversedAt)})
	}
	if p.WalletID != nil {
		facts = append(facts, fact{Name: "Fixed wallet", Cell: whole(p.WalletID.String())})
	}
	return facts
}
