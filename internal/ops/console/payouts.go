package console

import (
	"net/url"
	"strconv"

	"github.com/google/uuid"

	"causeway/internal/lists"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
)

var moneyColumns = []column{{Name: "Created"}, {Name: "Amount", Right: true}, {Name: "Network"}, {Name: "Status"}, {Name: "Merchant"},
	{Name: "Reference"}, {Name: "Wallet", Wide: true}}

// payouts lists payouts of all merchants, newest first.
func payouts(v *visit) (*page, error) {
	f, err := v.filter()
	if err != nil {
		return nil, err
	}
	found, err := lists.PayoutsAcross(v.Context(), v.Store, f)
	if err != nil {
		return nil, err
	}
	found, rest := fitting(v, found, func(p *pay.Payout) string { return p.ID.String() })
	called, err := names(v, found, func(p *pay.Payout) uuid.UUID { return p.MerchantID })
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(found))
	for i := range found {
		ids[i] = found[i].ID
	}
	waits, err := v.Store.WaitingAmong(v.Context(), ids)
	if err != nil {
		return nil, err
	}
	rows := make([][]cell, len(found))
	for i := range found {
		rows[i] = payoutRow(&found[i], called[found[i].MerchantID], waits[found[i].ID])
	}
	t := v.Paged(moneyColumns, rows, rest)
	t.File = payoutSheet(found, called)
	if t.Filter, err = v.moneyFilter(pay.PayoutStatuses); err != nil {
		return nil, err
	}
	t.Empty = "No payouts match. Merchants create payouts with POST /v1/payout."
	return &page{Title: "Payouts", Section: "Payouts", List: t, Parts: []part{v.ListPart(t)}}, nil
}

func payoutRow(p *pay.Payout, merchant string, waits bool) []cell {
	made := when(p.CreatedAt)
	made.Href = Prefix + "payouts/" + p.ID.String()
	state := status(string(p.Status))
	switch {
	case waits:
		state = pill("waits for approval", "warn")
	case p.Cancelling && !p.Status.Ended():
		state = pill(string(p.Status)+", cancelling", "warn")
	}
	return []cell{made, money(p.Amount, p.Token), text(p.Network), state, to(merchant, "merchants/"+p.MerchantID.String()), text(p.ReferenceID),
		copied(p.Wallet)}
}

// payout shows the whole history of one payout, and the acts on it.
func payout(v *visit) (*page, error) {
	p, err := v.Payout(v.Context(), clean(v.PathValue("id")))
	if err != nil {
		return nil, err
	}
	m, err := v.Store.Merchant(v.Context(), p.MerchantID)
	if err != nil {
		return nil, err
	}
	out := &page{Title: "Payout of " + money(p.Amount, p.Token).Text, Section: "Payouts", Up: &link{Text: "Payouts", Href: Prefix + "payouts"},
		Tags: []cell{status(string(p.State))}}
	if p.Cancelling && p.Status == "pending" {
		out.Tags = append(out.Tags, pill("cancelling", "warn"))
	}
	if p.Note != "" {
		out.Parts = append(out.Parts, part{Note: "It is too late to cancel this payout: " + p.Note + ".", Mood: "warn"})
	}
	waits := p.Approval != nil && p.Approval.Decision == nil && p.State == pay.PayoutQueued && !p.Cancelling
	if waits {
		out.Tags = []cell{pill("waits for approval", "warn")}
		out.Parts = append(out.Parts, part{Note: "Waiting for approval since " + when(p.Approval.AskedAt).Text + ": " + p.Approval.Why +
			"." + sentence(debt(p.Approval.Owes, p.Asset)) + sentence(twoPeople(p.Approval.TwoPeople, p.Approval.FirstBy)) + " Nothing is signed before it is approved.", Mood: "warn"})
	}
	out.Parts = append(out.Parts, part{Facts: payoutFacts(p, m), Half: true}, payoutActs(v, p, waits))
	out.Parts = append(out.Parts, signedPart(p.Transactions), jobPart(p.Job), postingsPart(p.Postings), deliveriesPart(v, p.Deliveries, p.CreatedAt))
	return out, nil
}

func payoutFacts(p *admin.Payout, m *pay.Merchant) []fact {
	facts := []fact{
		{Name: "Merchant", Cell: to(m.Name, "merchants/"+m.ID.String())},
		{Name: "Reference", Cell: whole(p.ReferenceID)},
		{Name: "Internal reference", Cell: whole(p.ID.String())},
		{Name: "To", Cell: whole(p.Wallet)},
		{Name: "Network", Cell: text(p.Network)},
		{Name: "Recipient gets", Cell: money(p.Amount, p.Token)},
		{Name: "Debited", Cell: cell{Text: money(p.Debit, p.Asset).Text,
			Sub: "rate fee " + grouped(p.RateFee) + ", network fee " + networkFee(p.PaysNetworkFee, grouped(p.NetworkFee))}},
		{Name: "Value", Cell: moneyOr(p.FiatAmount, p.FiatCurrency, "not priced")},
		{Name: "Transaction", Cell: whole(or(p.Txid, ""))},
		{Name: "Created", Cell: cell{Text: when(p.CreatedAt).Text, Sub: since(p.CreatedAt) + ", with key " + p.KeyID}},
		{Name: "Updated", Cell: when(p.UpdatedAt)},
	}
	if p.Memo != nil {
		facts = append(facts, fact{Name: "Memo", Cell: whole(*p.Memo)})
	}
	if p.Reason != nil {
		facts = append(facts, fact{Name: "Failure reason", Cell: text(*p.Reason)})
	}
	if a := p.Approval; a != nil && a.Decision != nil {
		by := or(a.DecidedBy, "?")
		if a.FirstBy != nil && *a.Decision == store.Approved {
			by = *a.FirstBy + " and " + by
		}
		facts = append(facts, fact{Name: "Approval", Cell: cell{Text: *a.Decision + " by " + by,
			Sub: whenOr(a.DecidedAt, "").Text + ", " + a.Why}})
	}
	return facts
}

// networkFee is the merchant's network fee; "not charged" for a merchant who does not pay it.
func networkFee(pays bool, fee string) string {
	if !pays {
		return "not charged"
	}
	return fee
}

// payoutActs offers the acts safe now. Before a signature the payout can be stopped for certain; after it, only if the network can
// be shown never to take it.
func payoutActs(v *visit, p *admin.Payout, waits bool) part {
	out := part{Heading: "Actions", Half: true}
	switch {
	case p.Contrary && v.May(admin.RoleOperator):
		out.Note = "This payout is " + string(p.State) + ", but its network has decided otherwise."
		out.Forms = []form{{Action: Prefix + "payouts/" + p.ID.String() + "/dismiss", Verb: "Dismiss", Quiet: true,
			Note: "Use this once it is dealt with. The overview stops showing it; nothing else changes.", Confirm: "Take this payout off the overview?"}}
		return out
	case p.Amiss != nil:
		return amissActs(v, p)
	case p.Status != "pending" && !p.Undone:
		out.Note = "Nothing is left to do: the payout is " + string(p.State) + "."
		return out
	case !v.May(admin.RoleOperator):
		out.Note = "Your role can view this page but not change anything."
		return out
	}
	path := Prefix + "payouts/" + p.ID.String()
	again := form{Action: path + "/retry", Verb: "Try again now", Quiet: true,
		Note: "Makes the next attempt due at once. The same transaction is sent again, so it cannot be paid twice."}
	if p.Undone {
		out.Note = "This payout is " + string(p.State) + ", but its network has undone that."
		out.Forms = []form{again}
		return out
	}
	if waits {
		out.Forms = append(out.Forms, decisions(v, p, path)...)
	}
	out.Forms = append(out.Forms, again)
	if !p.Cancelling && !waits {
		note := "Nothing is signed yet. The payout fails and the merchant gets the debit back."
		if p.State != pay.PayoutQueued {
			note = "A transaction is signed already. The payout stops only if the network can be shown never to take it."
		}
		out.Forms = append(out.Forms, form{Action: path + "/cancel", Verb: "Cancel", Danger: true, Note: note,
			Confirm: "Cancel this payout if that is still possible?"})
	}
	if troubled := p.Job != nil && p.Job.LastError != nil; troubled && p.State != pay.PayoutQueued && v.May(admin.RoleAdmin) {
		out.Forms = append(out.Forms, form{Action: Prefix + "networks/" + url.PathEscape(p.Network) + "/book", Verb: "Book", Danger: true,
			Note:    "A transaction that our books do not know has taken this payout's nonce. That transaction must be from the hot wallet and final on the chain.",
			Fields:  []field{{Name: "txid", Label: "Transaction that took the nonce", Kind: "text", Required: true}},
			Confirm: "End the payout whose nonce this transaction has taken? It is completed if the transaction paid exactly what was requested, and refunded otherwise."})
	}
	return out
}

// decisions offers to decline a waiting payout, and to approve it unless this operator was the first of two.
func decisions(v *visit, p *admin.Payout, path string) (out []form) {
	a := p.Approval
	if mayApprove(v, a.TwoPeople, a.FirstBy) {
		note := "The payout is signed and sent."
		if a.TwoPeople && a.FirstBy == nil {
			note = "The payout is signed and sent once a second person approves it too."
		}
		out = append(out, form{Action: path + "/approve", Verb: "Approve", Note: note + sentence(debt(a.Owes, p.Asset)),
			Fields: sealOf(&p.Payout), Confirm: approving(&p.Payout, a.Owes, a.TwoPeople, a.FirstBy)})
	}
	return append(out, form{Action: path + "/decline", Verb: "Decline", Danger: true, Note: "The payout fails and the merchant gets the debit back.",
		Confirm: "Decline this payout? The merchant gets the debit back."})
}

func signedPart(transactions []admin.Transaction) part {
	t := &table{Columns: []column{{Name: "Transaction"}, {Name: "Purpose"}, {Name: "State"}, {Name: "Nonce", Right: true}, {Name: "Block", Right: true},
		{Name: "Signed"}, {Name: "Sent", Wide: true}, {Name: "Maximum fee", Right: true, Wide: true}, {Name: "Cost", Right: true, Wide: true}},
		Empty: "Nothing is signed yet."}
	for _, s := range transactions {
		block, cost := "–", "–"
		if s.Height != nil {
			block = number(*s.Height)
		}
		if s.Cost != nil {
			cost = grouped(*s.Cost)
		}
		t.Rows = append(t.Rows, []cell{copied(s.Txid), text(s.Purpose), status(string(s.State)), text(strconv.FormatInt(s.Nonce, 10)), text(block),
			when(s.SignedAt), whenOr(s.SentAt, "not yet"), text(grouped(s.MaxFee)), text(cost)})
	}
	return part{Heading: "Signed transactions", Table: t}
}
