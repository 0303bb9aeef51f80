package console

import (
	"github.com/google/uuid"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// unclaimedTransfer shows one transfer for nobody, and lets an operator decide about it.
func unclaimedTransfer(v *visit) (*page, error) {
	s, err := v.UnclaimedTransfer(v.Context(), id(v.PathValue("id")))
	if err != nil {
		return nil, err
	}
	out := &page{Title: "Transfer of " + money(s.Amount, s.Token).Text, Section: "Unclaimed", Up: &link{Text: "Unclaimed transfers", Href: Prefix + "unclaimed"},
		Tags: []cell{status(string(s.Status))}}
	out.Parts = []part{{Facts: transferFacts(s), Half: true}}
	switch {
	case s.Status != pay.TransferUnclaimed && s.Status != pay.TransferIgnored:
		out.Parts = append(out.Parts, part{Heading: "Actions", Half: true, Note: "Nothing is left to decide: the transfer is " + string(s.Status) + "."})
		return out, nil
	case !v.May(admin.RoleOperator):
		out.Parts = append(out.Parts, part{Heading: "Actions", Half: true, Note: "Your role can view this page but not change anything."})
		return out, nil
	}
	others, err := assignees(v, s)
	if err != nil {
		return nil, err
	}
	out.Parts = append(out.Parts, transferActs(s), others)
	return out, nil
}

func transferFacts(s *admin.Transfer) []fact {
	block := text("not in a block")
	if s.Height != nil {
		block = text(number(*s.Height))
	}
	facts := []fact{
		{Name: "Amount", Cell: money(s.Amount, s.Token)}, {Name: "Network", Cell: text(s.Network)}, {Name: "Why unclaimed", Cell: text(or(s.Reason, "–"))},
		{Name: "To address", Cell: whole(s.Address)}, {Name: "Memo", Cell: whole(s.Memo)}, {Name: "Address of", Cell: ownerCell(s)}, {Name: "From", Cell: whole(s.From)},
		{Name: "Transaction", Cell: whole(s.Txid)}, {Name: "Block", Cell: block}, {Name: "Seen", Cell: cell{Text: when(s.SeenAt).Text, Sub: since(s.SeenAt)}},
		{Name: "Transfer ID", Cell: whole(s.ID.String())},
	}
	if s.PayinID != nil {
		facts = append(facts, fact{Name: "Payin", Cell: to("its payin", "payins/"+s.PayinID.String())})
	}
	return facts
}

// transferActs are the likely decisions: the owner of the address gets the transfer, or nobody does.
func transferActs(s *admin.Transfer) part {
	out := part{Heading: "Actions", Half: true}
	if s.Owner != nil {
		out.Forms = append(out.Forms, assignForm(s, s.Owner.MerchantID, s.Owner.Merchant))
		out.Forms[0].Note = "The address belongs to this merchant. " + out.Forms[0].Note
	}
	if s.Status == pay.TransferUnclaimed {
		out.Forms = append(out.Forms, form{Action: Prefix + "unclaimed/" + s.ID.String() + "/ignore", Verb: "Ignore", Quiet: true,
			Note:    "The money stays in the unclaimed account, and the transfer can still be assigned.",
			Confirm: "Remove this transfer from the list?"})
	}
	if len(out.Forms) == 0 {
		out.Note = "This transfer is off the list. You can still assign it to a merchant below."
	}
	return out
}

// assignForm gives a transfer to a merchant. A merchant other than the owner of the address gets it only on purpose.
func assignForm(s *admin.Transfer, merchant uuid.UUID, name string) form {
	f := form{Action: Prefix + "unclaimed/" + s.ID.String() + "/assign", Verb: "Assign to " + cut(name),
		Note:    "The money is available once the transfer is final. This cannot be undone.",
		Confirm: "Assign " + money(s.Amount, s.Token).Text + " to " + name + "?",
		Fields:  []field{{Name: "merchant", Kind: "hidden", Value: merchant.String()}}}
	if s.Owner != nil && s.Owner.MerchantID != merchant {
		f.Danger = true
		f.Confirm = "The address belongs to " + s.Owner.Merchant + ". Assign " + money(s.Amount, s.Token).Text + " to " + name + " anyway?"
		f.Fields = append(f.Fields, field{Name: "although", Label: "Assign even though the address belongs to another merchant", Kind: "check"})
	}
	return f
}

// assigneesShown is how many merchants a page offers; a part of the name finds the others.
const assigneesShown = 10

// assignees lists merchants by name, each with a button to give it the transfer.
func assignees(v *visit, s *admin.Transfer) (part, error) {
	found, err := v.Store.MerchantsAcross(v.Context(), v.Ask("q"), uuid.Nil, assigneesShown)
	if err != nil {
		return part{}, err
	}
	t := &table{Columns: []column{{Name: "Merchant"}, {Name: "State"}, {Name: "E-mail", Wide: true}, {Name: "ID", Wide: true}, {Name: ""}},
		Here: v.URL.Path, Filter: []field{{Name: "q", Label: "Name, e-mail or ID", Kind: "text", Value: v.Ask("q")}},
		Empty: "No merchants match."}
	for i := range found {
		m := &found[i]
		t.Rows = append(t.Rows, []cell{to(m.Name, "merchants/"+m.ID.String()), merchantState(m.Suspended, m.APIAccess, m.Verified),
			text(orText(m.Email, "–")), copied(m.ID.String()), {Forms: []form{assigneeForm(s, m)}}})
	}
	return part{Heading: "Assign to a merchant", Table: t}, nil
}

// assigneeForm is assignForm in the row of its merchant: the row names the merchant already.
func assigneeForm(s *admin.Transfer, m *store.MerchantRow) form {
	f := assignForm(s, m.ID, m.Name)
	f.Confirm, f.Verb, f.Note = f.Confirm+" "+f.Note, "Assign", ""
	return f
}
