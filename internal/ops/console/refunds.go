package console

import (
	"github.com/google/uuid"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/web/room"
)

// refundPart shows what of a payin may be refunded, with the form by which an admin lets its payer say where to.
func refundPart(v *visit, p *pay.Payin) ([]part, error) {
	came, err := v.Store.Refundable(v.Context(), p.ID)
	if err != nil || len(came) == 0 {
		return nil, err
	}
	out := part{Heading: "Refunds"}
	var tokens []room.Option
	for i := range came {
		t := &came[i]
		out.Facts = append(out.Facts, fact{Name: "May be refunded", Cell: cell{Text: money(t.Left(), t.Token).Text, Sub: "of " + room.Grouped(t.Arrived) + " that came on " + t.Network}})
		if t.Left().IsPositive() {
			tokens = append(tokens, room.Option{Value: t.Token, Text: t.Token, Chosen: t.Token == p.Token})
		}
	}
	if len(tokens) == 0 || !v.May(admin.RoleAdmin) {
		return []part{out}, nil
	}
	out.Note = "The payer says where to, by a link that is good for seven days. An owner or finance person of the merchant shows it in the panel. Nothing is paid before the payer has said so."
	out.Forms = []form{{Action: Prefix + "payins/" + p.ID.String() + "/refund", Verb: "Promise the refund", Danger: true,
		Confirm: "Promise this refund? The payer gets it from the merchant's balance.", Fields: []field{
			{Name: "form", Kind: "hidden", Value: uuid.Must(uuid.NewV7()).String()},
			{Name: "token", Label: "Token", Kind: "select", Options: tokens},
			{Name: "amount", Label: "Amount", Kind: "text", Required: true, Hint: "all, overpaid, or an amount in the token"},
			{Name: "fees_from", Label: "take the fees from the amount", Kind: "check"},
			{Name: "description", Label: "Text for the payer", Kind: "text"}}}}
	return []part{out}, nil
}

// promiseRefund lets the payer of a payin say where a refund goes. The same form promises one.
func promiseRefund(v *visit) (outcome, error) {
	form := id(v.given("form"))
	if form == uuid.Nil {
		return outcome{}, admin.Refuse("this form has expired: begin again")
	}
	made, err := v.PromiseRefund(v.Context(), id(v.PathValue("id")).String(), admin.RefundOrder{ID: form, Amount: v.given("amount"), Token: v.given("token"),
		FeesFrom: v.given("fees_from") != "", Description: v.given("description")})
	if err != nil {
		return outcome{}, err
	}
	return said("The payer may say where "+money(made.Amount, made.Token).Text+" goes. An owner or finance person of the merchant shows the link in the panel.", nil)
}
