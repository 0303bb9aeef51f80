package console

import "causeway/admin"

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
		row := []cell{when(s.SeenAt), money(s.Amount, s.Token), text(s.Network), copied(s.Address), copied(s.Memo), of, copied(s.Txid),
			text(or(s.Reason, "–")), {}}
		if v.May(admin.RoleOperator) {
			row[8] = cell{Forms: []form{
				{Action: path + "/assign", Verb: "Assign",
					Fields: []field{{Name: "merchant", Label: "Merchant id", Kind: "text", Value: owner, Required: true},
						{Name: "although", Label: "Although the address is another's", Kind: "check"}},
					Confirm: "Give this transfer to the merchant? It is available once it is final."},
				{Action: path + "/ignore", Verb: "Ignore", Quiet: true,
					Confirm: "Take this transfer off the list? The money stays in the unclaimed account."}}}
		}
		t.Rows = append(t.Rows, row)
	}
	t.file = sheetOf(found, "id seen_at network token amount address memo merchant_id merchant txid sender reason", func(s *admin.Transfer) []string {
		owner, name := "", ""
		if s.Owner != nil {
			owner, name = s.Owner.MerchantID.String(), s.Owner.Merchant
		}
		return []string{s.ID.String(), moment(s.SeenAt), s.Network, s.Token, s.Amount.String(), s.Address, s.Memo, owner, name, s.Txid,
			s.From, or(s.Reason, "")}
	})
	return &page{Title: "Unclaimed transfers", Section: "Unclaimed", List: t, Parts: []part{{Table: t}}}, nil
}
