package console

import (
	"causeway/admin"
	"causeway/store"
)

// approvals lists the payouts that wait for an operator, longest first.
func approvals(v *visit) (*page, error) {
	found, err := v.Store.WaitingPayouts(v.Context(), id(v.below()), v.limit())
	if err != nil {
		return nil, err
	}
	found, rest := fitting(v, found, func(p *store.WaitingPayout) string { return p.ID.String() })
	t := v.paged([]column{{Name: "Waits since"}, {Name: "Amount", Right: true}, {Name: "Network"}, {Name: "To"}, {Name: "Merchant"},
		{Name: "Reference", Wide: true}, {Name: "Why"}, {Name: ""}}, nil, rest)
	t.Empty = "No payout waits. They do when their merchant is suspended or they are above a limit of it: both are set on the merchant's page."
	for i := range found {
		p := &found[i]
		asked, path := when(p.AskedAt), "payouts/"+p.ID.String()
		asked.Href = Prefix + path
		row := []cell{asked, money(p.Amount, p.Token), text(p.Network), copied(p.Wallet), to(p.Merchant, "merchants/"+p.MerchantID.String()),
			text(p.ReferenceID), text(p.Why), {}}
		if v.May(admin.RoleOperator) {
			row[7] = cell{Forms: []form{
				{Action: Prefix + path + "/approve", Verb: "Approve", Confirm: "Approve " + money(p.Amount, p.Token).Text + " to " + p.Wallet + "?"},
				{Action: Prefix + path + "/refuse", Verb: "Refuse", Danger: true, Confirm: "Refuse this payout? The merchant gets the debit back."}}}
		}
		t.Rows = append(t.Rows, row)
	}
	t.file = sheetOf(found, "waits_since internal_reference merchant_id merchant reference_id network token amount debit wallet why", func(p *store.WaitingPayout) []string {
		return []string{moment(p.AskedAt), p.ID.String(), p.MerchantID.String(), p.Merchant, p.ReferenceID, p.Network, p.Token, p.Amount.String(),
			p.Debit.String(), p.Wallet, p.Why}
	})
	return &page{Title: "Approvals", Section: "Approvals", List: t,
		Parts: []part{{Note: "Payouts above a limit of their merchant, and all of one that is suspended, are not signed before somebody approves them. " +
			"To the merchant they are pending.", Table: t}}}, nil
}

// unclaimed lists the transfers that nobody could have.
func unclaimed(v *visit) (*page, error) {
	found, err := v.UnclaimedAfter(v.Context(), id(v.below()), v.limit())
	if err != nil {
		return nil, err
	}
	found, rest := fitting(v, found, func(s *admin.Transfer) string { return s.ID.String() })
	t := v.paged([]column{{Name: "Seen"}, {Name: "Amount", Right: true}, {Name: "Network"}, {Name: "To address"}, {Name: "Memo"}, {Name: "Of"},
		{Name: "Transaction"}, {Name: "Why"}, {Name: ""}}, nil, rest)
	t.Empty = "Nothing is unclaimed. Transfers come here that no payin or fixed wallet can have: late, to a revoked address, or of another token."
	for _, s := range found {
		path := Prefix + "unclaimed/" + s.ID.String()
		of, owner := text("–"), ""
		if s.Owner != nil {
			owner = s.Owner.MerchantID.String()
			of = to(s.Owner.Merchant, "merchants/"+owner)
		}
		row := []cell{when(s.SeenAt), money(s.Amount, s.Token), text(s.Network), copied(s.Address), copied(s.Memo), of, copied(s.Txid), text(or(s.Reason, "–")), {}}
		if v.May(admin.RoleOperator) {
			row[8] = cell{Forms: []form{
				{Action: path + "/assign", Verb: "Assign", Fields: []field{{Name: "merchant", Label: "Merchant id", Kind: "text", Value: owner, Required: true},
					{Name: "although", Label: "Although the address is another's", Kind: "check"}},
					Confirm: "Give this transfer to the merchant? It is available once it is final."},
				{Action: path + "/ignore", Verb: "Ignore", Quiet: true, Confirm: "Take this transfer off the list? The money stays in the unclaimed account."}}}
		}
		t.Rows = append(t.Rows, row)
	}
	t.file = sheetOf(found, "id seen_at network token amount address memo merchant_id merchant txid sender reason", func(s *admin.Transfer) []string {
		owner, name := "", ""
		if s.Owner != nil {
			owner, name = s.Owner.MerchantID.String(), s.Owner.Merchant
		}
		return []string{s.ID.String(), moment(s.SeenAt), s.Network, s.Token, s.Amount.String(), s.Address, s.Memo, owner, name, s.Txid, s.From, or(s.Reason, "")}
	})
	return &page{Title: "Unclaimed transfers", Section: "Unclaimed", List: t, Parts: []part{{Table: t}}}, nil
}
