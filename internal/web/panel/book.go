package panel

import (
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// book lists the address book of the merchant, and has its rule.
func book(v *visit) (*room.Page, error) {
	found, err := v.panel.Store.Book(v.Context(), v.Merchant)
	if err != nil {
		return nil, err
	}
	rule, err := v.panel.Store.BookRuleOf(v.Context(), v.Merchant)
	if err != nil {
		return nil, err
	}
	t := &room.Table{Columns: []room.Column{{Name: "Name"}, {Name: "Network"}, {Name: "Address"}, {Name: "Memo"}, {Name: "State"}, {Name: "Added by", Wide: true}, {Name: ""}},
		Empty: "No addresses yet."}
	for i := range found {
		a := &found[i]
		state := room.Pill("usable", "good")
		if !a.Usable {
			state = room.Pill("new", "warn")
			state.Sub = "usable from " + room.Moment(a.UsedAt)
		}
		row := []room.Cell{room.Text(a.Name), room.Text(a.Network), room.Whole(a.Address), room.Text(a.Memo), state, room.Text(a.AddedBy), {}}
		if v.May(people.Withdraw) {
			row[6] = room.Cell{Forms: []room.Form{{Action: Prefix + "book/" + a.ID.String() + "/remove", Verb: "Remove", Danger: true,
				Confirm: "Remove " + a.Name + " from the address book?"}}}
		}
		t.Rows = append(t.Rows, row)
	}
	out := &room.Page{Title: "Address book", Section: "Address book", Parts: []room.Part{{Note: "A new address can be withdrawn to a day after it was added.", Table: t}}}
	if v.May(people.Withdraw) {
		out.Parts = append(out.Parts, room.Part{Heading: "Add an address", Half: true, Forms: []room.Form{{Action: Prefix + "book", Verb: "Add", Fields: []room.Field{
			{Name: "name", Label: "Name", Kind: "text", Required: true}, networkField(), {Name: "wallet", Label: "Address", Kind: "text", Required: true},
			{Name: "memo", Label: "Memo", Kind: "text", Hint: "only where the recipient asks for one"}}}}})
	}
	out.Parts = append(out.Parts, rulePart(v, rule))
	return out, nil
}

func networkField() room.Field {
	f := room.Field{Name: "network", Label: "Network", Kind: "select"}
	for i := range pay.Networks {
		f.Options = append(f.Options, room.Option{Value: pay.Networks[i].Name, Text: pay.Networks[i].Name})
	}
	return f
}

// rulePart shows the rule of the book, with the act of an owner.
func rulePart(v *visit, rule *store.BookRule) room.Part {
	out := room.Part{Heading: "Rule", Half: true, Note: "Withdrawals go to any address."}
	f := room.Form{Action: Prefix + "book/rule", Verb: "Withdraw to the book only", Fields: []room.Field{{Name: "only", Kind: "hidden", Value: "1"}}}
	switch {
	case rule.BookOnly && rule.EndsAt != nil:
		out.Note, out.Mood = "Withdrawals go to the addresses of the book only, until "+room.Moment(*rule.EndsAt)+" UTC. Then they go to any address.", "warn"
	case rule.BookOnly:
		out.Note, out.Mood = "Withdrawals go to the addresses of the book only.", "good"
		f = room.Form{Action: Prefix + "book/rule", Verb: "Take the rule off", Danger: true, Note: "It holds for a day more."}
	}
	if v.May(people.People) {
		out.Forms = []room.Form{f}
	}
	return out
}

// addToBook adds an address to which the network can pay.
func addToBook(v *visit) (outcome, error) {
	n := store.BookAddress{Network: v.given("network"), Address: v.given("wallet"), Memo: v.given("memo"), Name: v.given("name")}
	if why, err := v.panel.Payable(n.Network, n.Address); err != nil || why != "" {
		if err == nil {
			err = people.Refusal(why)
		}
		return outcome{}, err
	}
	return outcome{said: "The address was added. It can be withdrawn to in a day."}, v.admin().AddBookAddress(v.Context(), v.Merchant, n)
}

func removeFromBook(v *visit) (outcome, error) {
	err := v.admin().EndBookAddress(v.Context(), v.Merchant, room.ID(v.PathValue("id")))
	if _, refused := refusal(err); refused {
		err = errNoPage // another merchant's looks as one that never was
	}
	return outcome{said: "The address was removed."}, err
}

// setBookRule is an owner's.
func setBookRule(v *visit) (outcome, error) {
	only := v.given("only") != ""
	said := "From now on, withdrawals go to the addresses of the book only."
	if !only {
		said = "The rule ends in a day."
	}
	return outcome{said: said}, v.admin().SetBookRule(v.Context(), v.Merchant, only)
}
