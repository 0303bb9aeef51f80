package panel

import (
	"causeway/internal/people"
	"causeway/internal/web/room"
)

// receiptsPart says whether payers are sent receipts.
func receiptsPart(v *visit) (room.Part, error) {
	on, err := v.panel.Store.Receipts(v.Context(), v.Merchant)
	if err != nil {
		return room.Part{}, err
	}
	out := room.Part{Heading: "Receipts", Half: true, Facts: []room.Fact{{Name: "Receipts by e-mail", Cell: room.Text("off")}},
		Note: "The payer of a payment request with an e-mail address is told there of the payment, and of each refund that was sent."}
	form := room.Form{Action: Prefix + "look/receipts", Verb: "Send receipts", Fields: []room.Field{{Name: "on", Kind: "hidden", Value: "on"}}}
	if on {
		out.Facts[0].Cell = room.Text("on")
		form = room.Form{Action: Prefix + "look/receipts", Verb: "Send no receipts", Quiet: true}
	}
	if !v.panel.Mails {
		out.Note += " This service sends no e-mails."
	}
	if v.May(people.Shop) {
		out.Forms = []room.Form{form}
	}
	return out, nil
}

func setReceipts(v *visit) (outcome, error) {
	on, said := v.given("on") == "on", "Payers are sent no receipts any more."
	if on {
		said = "Payers are sent receipts from now on."
	}
	return outcome{said: said}, v.admin().SetReceipts(v.Context(), v.Merchant, on)
}
