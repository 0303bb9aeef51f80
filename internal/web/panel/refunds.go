package panel

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// Refunds records refunds of payins as the API does. A *pay.Error of a method says for certain that nothing was recorded; its code is
// figures_changed for other figures than were shown. After any other error something may have been.
type Refunds interface {
	// RehearseForm returns what RecordForm would record now.
	RehearseForm(ctx context.Context, f *pay.RefundForm) (*pay.Refunding, error)
	// RecordForm records the refund of a form, once, and returns it again when the form is sent again.
	RecordForm(ctx context.Context, f *pay.RefundForm) (*pay.Refunding, error)
	// MadeByForm returns what a form has recorded; nil for nothing.
	MadeByForm(ctx context.Context, f *pay.RefundForm) (*pay.Refunding, error)
	// LinkOf returns the address of the page of a merchant's refund, "" without an open link, or pay.ErrNotFound.
	LinkOf(ctx context.Context, merchant, id uuid.UUID) (string, error)
}

// refundParts show what of a payin was refunded and may be, with the forms of who may withdraw.
func refundParts(v *visit, p *pay.Payin) ([]room.Part, error) {
	came, err := v.panel.Store.Refundable(v.Context(), p.ID)
	if err != nil || len(came) == 0 {
		return nil, err
	}
	made, err := v.panel.Store.RefundsOf(v.Context(), p.ID)
	if err != nil {
		return nil, err
	}
	list, err := v.refundList(made)
	if err != nil {
		return nil, err
	}
	for i := range came {
		t := &came[i]
		list.Facts = append(list.Facts, room.Fact{Name: "May be refunded", Cell: room.Cell{Text: room.Money(t.Left(), t.Token).Text,
			Sub: "of " + room.Grouped(t.Arrived) + " that came on " + t.Network}})
	}
	return append([]room.Part{list}, v.refundForm(p, came)...), nil
}

func (v *visit) refundList(made []pay.Refund) (room.Part, error) {
	out := room.Part{Heading: "Refunds"}
	now, err := v.panel.Store.Now(v.Context())
	if err != nil || len(made) == 0 {
		return out, err
	}
	var ids []uuid.UUID
	for i := range made {
		if made[i].PayoutID != nil {
			ids = append(ids, *made[i].PayoutID)
		}
	}
	payouts, err := v.panel.Store.PayoutsOf(v.Context(), ids)
	if err != nil {
		return out, err
	}
	out.Table = &room.Table{Columns: []room.Column{{Name: "Created"}, {Name: "Amount"}, {Name: "Status"}, {Name: "Payout"}, {Name: "Reference", Wide: true}, {Name: ""}}}
	for i := range made {
		q := &made[i]
		var paid *pay.Payout
		row := []room.Cell{room.When(q.CreatedAt), room.Money(q.Amount, q.Token), {}, room.Text("–"), room.Text(q.ReferenceID), {}}
		if q.PayoutID != nil {
			paid = payouts[*q.PayoutID]
			row[3] = room.Cell{Text: "payout", Href: Prefix + "payouts/" + q.PayoutID.String()}
		}
		status := q.Status(paid, now)
		row[2] = room.Status(string(status))
		if status == pay.RefundOpen {
			row[2].Sub = "the payer says where to, until " + room.MomentOr(q.ExpiresAt)
			if v.May(people.Withdraw) {
				at := Prefix + "refunds/" + q.ID.String()
				row[5].Forms = []room.Form{{Action: at + "/link", Verb: "Show the link", Quiet: true},
					{Action: at + "/revoke", Verb: "Revoke", Danger: true, Confirm: "Revoke this link? Its payer can say no more where to."}}
			}
		}
		out.Table.Rows = append(out.Table.Rows, row)
	}
	return out, nil
}

// refundForm asks for a refund, where something is left and the person may withdraw.
func (v *visit) refundForm(p *pay.Payin, came []pay.Refundable) []room.Part {
	var tokens []room.Option
	for i := range came {
		if t := &came[i]; t.Left().IsPositive() {
			tokens = append(tokens, room.Option{Value: t.Token, Text: t.Token, Chosen: t.Token == p.Token})
		}
	}
	if len(tokens) == 0 || !v.May(people.Withdraw) {
		return nil
	}
	if closed := v.closed(); closed != nil {
		closed.Heading = "Refund"
		return []room.Part{*closed}
	}
	note := "It goes back in the same token on the same network, never more than came. Nothing is recorded before you confirm it."
	if p.Status != pay.PayinCompleted {
		note += " A payin of which something is refunded before it is completed is completed no more."
	}
	return []room.Part{{Heading: "Refund", Note: note, Forms: []room.Form{{Action: Prefix + "payins/" + p.ID.String() + "/refund/check", Verb: "Continue", Fields: []room.Field{
		{Name: "token", Label: "Token", Kind: "select", Options: tokens},
		{Name: "part", Label: "How much", Kind: "select", Options: []room.Option{{Value: "overpaid", Text: "what was paid too much"}, {Value: "all", Text: "all that is left"},
			{Value: "", Text: "the amount below"}}},
		{Name: "amount", Label: "Amount", Kind: "text"}, {Name: "fees_from", Label: "take the fees from the amount", Kind: "check"},
		{Name: "wallet", Label: "Address", Kind: "text", Hint: "empty: the payer says where to, by a link"},
		{Name: "memo", Label: "Memo", Kind: "text", Hint: "only where the recipient asks for one"},
		{Name: "description", Label: "Text for the payer", Kind: "text", Hint: "on the page of the link"}}}}}}
}

// refundOf reads the form of a refund.
func (v *visit) refundOf() *pay.RefundForm {
	f := &pay.RefundForm{Form: room.ID(v.given("form")), Merchant: v.Merchant, Email: v.Person.Email, Payin: orMax(room.ID(v.PathValue("id"))), Token: v.given("token"),
		Amount: v.given("part"), FeesFrom: v.given("fees_from") != "", Wallet: v.given("wallet"), Memo: v.given("memo"), Description: v.given("description"),
		ShownAmount: shown(v.given("shown_amount")), ShownDebit: shown(v.given("shown_debit"))}
	if f.Amount == "" {
		f.Amount = v.given("amount")
	}
	return f
}

// checkRefund makes every check, and shows what a refund comes to. It records nothing.
func checkRefund(v *visit) (outcome, error) {
	f := v.refundOf()
	f.Form = uuid.Must(uuid.NewV7())
	would, err := v.panel.Refunds.RehearseForm(v.Context(), f)
	if err != nil {
		return outcome{}, sayRefund(err)
	}
	return v.refundConfirmation(f, would, ""), nil
}

// sayRefund makes a refusal for a person of one for a program.
func sayRefund(err error) error {
	var refused *pay.Error
	if !errors.As(err, &refused) || refused.Kind == pay.Internal {
		return err
	}
	if refused.Code == "record_not_found" {
		return pay.ErrNotFound
	}
	return people.Refusal(refused.Message)
}

// refundConfirmation is the page on which a refund is confirmed with a code.
func (v *visit) refundConfirmation(f *pay.RefundForm, w *pay.Refunding, wrong string) outcome {
	q := w.Refund
	facts := []room.Fact{{Name: "Refunded", Cell: room.Money(q.Amount, q.Token)}, {Name: "Network", Cell: room.Text(q.Network)}}
	if p := w.Payout; p != nil {
		facts = append(facts, room.Fact{Name: "To", Cell: room.Whole(p.Wallet)}, room.Fact{Name: "Recipient gets", Cell: room.Money(p.Amount, p.Token)},
			room.Fact{Name: "Rate fee", Cell: room.Money(p.RateFee, p.Token)}, room.Fact{Name: "Network fee", Cell: room.Money(p.Debit.Sub(p.Amount).Sub(p.RateFee), p.Token)},
			room.Fact{Name: "Taken from your balance", Cell: room.Money(p.Debit, p.Asset)})
		if p.Memo != nil {
			facts = append(facts, room.Fact{Name: "Memo", Cell: room.Whole(*p.Memo)})
		}
	} else {
		facts = append(facts, room.Fact{Name: "To", Cell: room.Text("where the payer says, within seven days")},
			room.Fact{Name: "Fees", Cell: room.Text(map[bool]string{true: "taken from the amount", false: "taken from your balance beside it"}[q.FeeFromAmount])})
	}
	up := "payins/" + f.Payin.String()
	made := &room.Page{Title: "Confirm the refund", Section: "Payins", Up: &room.Link{Text: "Payin", Href: Prefix + up},
		Parts: []room.Part{{Facts: facts, Note: "Nothing is recorded yet. A payout that was sent cannot be called back.", Forms: []room.Form{v.refundConfirm(f, w)}}}}
	if w.Second != "" {
		made.Parts = append(made.Parts, secondNote(w.Second))
	}
	if wrong != "" {
		made.Parts = append([]room.Part{{Note: wrong, Mood: "bad"}}, made.Parts...)
	}
	return outcome{show: made}
}

// refundConfirm sends a refund with the figures that were shown. The amount is the one that was shown, in whatever words it was asked for.
func (v *visit) refundConfirm(f *pay.RefundForm, w *pay.Refunding) room.Form {
	hide := func(name, value string) room.Field { return room.Field{Name: name, Kind: "hidden", Value: value} }
	fields := []room.Field{hide("form", f.Form.String()), hide("token", w.Refund.Token), hide("amount", w.Refund.Amount.String()), hide("fees_from", v.given("fees_from")),
		hide("wallet", f.Wallet), hide("memo", f.Memo), hide("description", f.Description)}
	if w.Payout != nil {
		fields = append(fields, hide("shown_amount", w.Payout.Amount.String()), hide("shown_debit", w.Payout.Debit.String()))
	}
	up := Prefix + "payins/" + f.Payin.String()
	return room.Form{Action: up + "/refund", Verb: "Refund", Danger: true, Back: up,
		Fields: append(fields, v.codeField("code"))}
}

// refund records a refund after a code of its own. A form that has recorded its refund leads to it, and takes no code. The audit has the
// refund before it is recorded.
func refund(v *visit) (outcome, error) {
	f := v.refundOf()
	if f.Form == uuid.Nil {
		return outcome{}, people.Refusal("this form has expired: begin again")
	}
	up := "payins/" + f.Payin.String()
	if was, err := v.panel.Refunds.MadeByForm(v.Context(), f); err != nil || was != nil {
		return outcome{said: "This refund was made before. It is not made again.", to: up}, sayRefund(err)
	}
	would, err := v.panel.Refunds.RehearseForm(v.Context(), f)
	if err != nil {
		return outcome{}, sayRefund(err)
	}
	if wrong, err := v.passCode(); err != nil || wrong != "" {
		return v.refundConfirmation(f, would, wrong), err
	}
	if err := v.auditRefund("person.refund", map[string]any{"payin": f.Payin, "reference_id": f.Reference(), "token": f.Token, "amount": f.Amount,
		"fees_from_amount": f.FeesFrom, "wallet": f.Wallet, "memo": f.Memo}); err != nil {
		return outcome{}, err
	}
	done, err := v.panel.Refunds.RecordForm(v.Context(), f)
	var refused *pay.Error
	switch {
	case err == nil:
		return outcome{said: "The refund was recorded." + untilSecond(done.Second), to: up}, nil
	case errors.As(err, &refused) && refused.Kind != pay.Internal:
		return outcome{}, sayRefund(err)
	}
	v.panel.Log.WithError(err).Error("a refund may have been recorded")
	return outcome{show: &room.Page{Title: "It is not known whether this was recorded", Section: "Payins", Up: &room.Link{Text: "Payin", Href: Prefix + up}, Parts: []room.Part{
		{Mood: "bad", Note: "Look at the payin in a minute: if the reference below is among its refunds, it was recorded. If it is not, confirm this same form again. It is made once, however often it is sent.",
			Facts: []room.Fact{{Name: "Reference", Cell: room.Whole(f.Reference())}}, Forms: []room.Form{v.refundConfirm(f, would)}}}}}, nil
}

func (v *visit) auditRefund(action string, after map[string]any) error {
	after["merchant_id"] = v.Merchant
	return v.admin().Change(v.Context(), action, "merchant:"+v.Merchant.String(), func(*store.Store) (any, any, error) { return nil, after, nil })
}

// showRefundLink shows the link of a refund. Whoever has it may take the money, so the audit has who saw it.
func showRefundLink(v *visit) (outcome, error) {
	id := orMax(room.ID(v.PathValue("id")))
	link, err := v.panel.Refunds.LinkOf(v.Context(), v.Merchant, id)
	if err != nil {
		return outcome{}, err
	}
	if link == "" {
		return outcome{}, people.Refusal("the link has ended")
	}
	if err := v.auditRefund("person.refund_link", map[string]any{"refund": id}); err != nil {
		return outcome{}, err
	}
	return outcome{show: &room.Page{Title: "The link of the refund", Section: "Payins", Up: &room.Link{Text: "Back", Href: back(v.Request)}, Parts: []room.Part{
		{Note: "Send it to the payer and to nobody else: whoever has it may take the money.", Secrets: []room.Fact{{Name: "Link", Cell: room.Whole(link)}}}}}}, nil
}

// revokeRefund ends the link of a refund.
func revokeRefund(v *visit) (outcome, error) {
	id := orMax(room.ID(v.PathValue("id")))
	q, err := v.panel.Store.MerchantRefund(v.Context(), v.Merchant, id, "")
	if err != nil {
		return outcome{}, err
	}
	err = v.admin().Change(v.Context(), "person.refund_revoke", "merchant:"+v.Merchant.String(), func(tx *store.Store) (any, any, error) {
		done, err := tx.RevokeRefund(v.Context(), v.Merchant, id)
		if err == nil && !done {
			err = people.Refusal("the link has ended, or was used")
		}
		return nil, map[string]any{"merchant_id": v.Merchant, "refund": id}, err
	})
	return outcome{said: "The link was revoked.", to: "payins/" + q.PayinID.String()}, err
}
