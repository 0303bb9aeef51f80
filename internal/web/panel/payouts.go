package panel

import (
	"github.com/google/uuid"

	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// payouts lists the payouts of the merchant, newest first.
func payouts(v *visit) (*room.Page, error) {
	found, err := lists.PayoutsAcross(v.Context(), v.panel.Store, v.filter())
	if err != nil {
		return nil, err
	}
	found, rest := room.Fitting(v.Asked, found, func(p *pay.Payout) string { return p.ID.String() })
	ids := make([]uuid.UUID, len(found))
	for i := range found {
		ids[i] = found[i].ID
	}
	waits, err := v.panel.Store.WaitingAmong(v.Context(), ids)
	if err != nil {
		return nil, err
	}
	rows := make([][]room.Cell, len(found))
	for i := range found {
		p := &found[i]
		made := room.When(p.CreatedAt)
		made.Href = Prefix + "payouts/" + p.ID.String()
		rows[i] = []room.Cell{made, room.Money(p.Amount, p.Token), room.Text(p.Network), payoutState(p, waits[p.ID]), room.Text(p.ReferenceID),
			room.Copied(p.Wallet)}
	}
	t := v.Paged(moneyColumns, rows, rest)
	t.File = room.SheetOf(found, `internal_reference created_at_utc reference_id status network token amount debit rate_fee network_fee fiat_currency
		fiat_amount wallet memo txid reason updated_at_utc`, func(p *pay.Payout) []string {
		return []string{p.ID.String(), room.Moment(p.CreatedAt), p.ReferenceID, string(p.Status), p.Network, p.Token, p.Amount.String(), p.Debit.String(),
			p.RateFee.String(), p.Debit.Sub(p.Amount).Sub(p.RateFee).String(), p.FiatCurrency, room.Plain(p.FiatAmount), p.Wallet, room.Or(p.Memo, ""),
			room.Or(p.Txid, ""), room.Or(p.Reason, ""), room.Moment(p.UpdatedAt)}
	})
	if t.Filter, err = v.moneyFilter(pay.PayoutStatuses); err != nil {
		return nil, err
	}
	t.Empty = "No payouts match. POST /v1/payout creates them."
	return &room.Page{Title: "Payouts", Section: "Payouts", List: t, Parts: []room.Part{v.ListPart(t)}}, nil
}

func payoutState(p *pay.Payout, waits bool) room.Cell {
	switch {
	case waits:
		return room.Pill("waits for approval", "warn")
	case p.Cancelling && !p.Status.Ended():
		return room.Pill(string(p.Status)+", cancelling", "warn")
	}
	return room.Status(string(p.Status))
}

// payout reads a payout of the merchant; pay.ErrNotFound when it is another's.
func (v *visit) payout(id uuid.UUID) (*pay.Payout, error) {
	p, err := v.panel.Store.Payout(v.Context(), id)
	if err == nil && p.MerchantID != v.Merchant {
		err = pay.ErrNotFound
	}
	return p, err
}

// payout shows one payout of the merchant with its transactions and webhooks.
func payout(v *visit) (*room.Page, error) {
	p, err := v.payout(room.ID(v.PathValue("id")))
	if err != nil {
		return nil, err
	}
	waits, err := v.panel.Store.WaitingAmong(v.Context(), []uuid.UUID{p.ID})
	if err != nil {
		return nil, err
	}
	signed, err := v.panel.Store.SignedOf(v.Context(), p.ID)
	if err != nil {
		return nil, err
	}
	told, err := v.admin().DeliveriesOf(v.Context(), p.ID)
	if err != nil {
		return nil, err
	}
	second, err := v.panel.Store.SecondOf(v.Context(), v.Merchant, p.ID)
	if err != nil {
		return nil, err
	}
	out := &room.Page{Title: "Payout of " + room.Money(p.Amount, p.Token).Text, Section: "Payouts", Up: &room.Link{Text: "Payouts", Href: Prefix + "payouts"},
		Tags: []room.Cell{payoutState(p, waits[p.ID])}}
	out.Parts = []room.Part{{Facts: payoutFacts(p)}, signedPart(signed), deliveriesPart(v, p.KeyID, told, p.CreatedAt)}
	out.Parts[0].Facts = append(out.Parts[0].Facts, secondFacts(second)...)
	if v.cancellable(p) {
		out.Parts[0].Forms = []room.Form{{Action: Prefix + "payouts/" + p.ID.String() + "/cancel", Verb: "Cancel", Danger: true,
			Confirm: "Cancel this withdrawal? Your balance gets the money back, unless it is signed in this moment."}}
	}
	return out, nil
}

// secondFacts say whether a second person confirms a withdrawal, or has.
func secondFacts(p *store.SecondPayout) []room.Fact {
	switch {
	case p == nil:
		return nil
	case p.ConfirmedBy != nil:
		return []room.Fact{{Name: "Confirmed by", Cell: room.Cell{Text: *p.ConfirmedBy, Sub: room.MomentOr(p.ConfirmedAt)}}}
	case p.Waits:
		return []room.Fact{{Name: "Second person", Cell: room.Cell{Text: "waits to be confirmed", Href: Prefix + "confirm/" + p.Form.String()}}}
	}
	return []room.Fact{{Name: "Second person", Cell: room.Text("nobody confirmed it")}}
}

// cancellable reports whether the person may stop a payout: a withdrawal of which nothing is signed.
func (v *visit) cancellable(p *pay.Payout) bool {
	_, withdrawn := pay.OfPanel(p.KeyID)
	return withdrawn && p.Status == pay.PayoutQueued && !p.Cancelling && v.May(people.Withdraw)
}

// cancelWithdrawal stops a withdrawal of the merchant.
func cancelWithdrawal(v *visit) (outcome, error) {
	p, err := v.payout(room.ID(v.PathValue("id")))
	if err != nil {
		return outcome{}, err
	}
	if _, withdrawn := pay.OfPanel(p.KeyID); !withdrawn {
		return outcome{}, people.Refusal("a payout of the API is cancelled by the operator of this service")
	}
	return outcome{said: "The withdrawal is being cancelled.", to: "payouts/" + p.ID.String()}, v.admin().CancelWithdrawal(v.Context(), v.Merchant, p.ID)
}

func payoutFacts(p *pay.Payout) []room.Fact {
	fee := "not charged"
	if p.PaysNetworkFee {
		fee = room.Grouped(p.NetworkFee)
	}
	facts := []room.Fact{
		{Name: "Reference", Cell: room.Whole(p.ReferenceID)},
		{Name: "Internal reference", Cell: room.Whole(p.ID.String())},
		{Name: "To", Cell: room.Whole(p.Wallet)},
		{Name: "Network", Cell: room.Text(p.Network)},
		{Name: "Recipient gets", Cell: room.Money(p.Amount, p.Token)},
		{Name: "Debited", Cell: room.Cell{Text: room.Money(p.Debit, p.Asset).Text, Sub: "rate fee " + room.Grouped(p.RateFee) + ", network fee " + fee}},
		{Name: "Value", Cell: room.MoneyOr(p.FiatAmount, p.FiatCurrency, "not priced")},
		{Name: "Transaction", Cell: room.Whole(room.Or(p.Txid, ""))},
		{Name: "Created", Cell: room.When(p.CreatedAt)},
		{Name: "Updated", Cell: room.When(p.UpdatedAt)},
	}
	if email, yes := pay.OfPanel(p.KeyID); yes {
		facts = append(facts, room.Fact{Name: "Withdrawn by", Cell: room.Text(email)})
	}
	if p.Memo != nil {
		facts = append(facts, room.Fact{Name: "Memo", Cell: room.Whole(*p.Memo)})
	}
	if p.Reason != nil {
		facts = append(facts, room.Fact{Name: "Failure reason", Cell: room.Text(*p.Reason)})
	}
	return facts
}

func signedPart(signed []pay.SignedTransaction) room.Part {
	t := &room.Table{Columns: []room.Column{{Name: "Transaction"}, {Name: "State"}, {Name: "Signed"}}, Empty: "Nothing is signed yet."}
	for i := range signed {
		s := &signed[i]
		t.Rows = append(t.Rows, []room.Cell{room.Copied(s.Txid), room.Status(string(s.State)), room.When(s.SignedAt)})
	}
	return room.Part{Heading: "Signed transactions", Table: t}
}
