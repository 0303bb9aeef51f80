package console

import (
	"causeway/internal/ops/admin"
	"causeway/internal/web/room"
)

// unclaimed lists the transfers for nobody.
func unclaimed(v *visit) (*page, error) {
	found, err := v.UnclaimedAfter(v.Context(), id(v.Below()), v.Limit())
	if err != nil {
		return nil, err
	}
	found, rest := fitting(v, found, func(s *admin.Transfer) string { return s.ID.String() })
	t := v.Paged([]column{{Name: "Seen"}, {Name: "Amount", Right: true}, {Name: "Network"}, {Name: "To address"}, {Name: "Memo", Wide: true},
		{Name: "Address of"}, {Name: "Transaction", Wide: true}, {Name: "Why"}, {Name: ""}}, nil, rest)
	t.Empty = "No unclaimed transfers. A transfer appears here when it belongs to no payin or fixed wallet: it came late, to a revoked address, or in another token."
	for _, s := range found {
		path, seen := "unclaimed/"+s.ID.String(), when(s.SeenAt)
		seen.Href = Prefix + path
		row := []cell{seen, money(s.Amount, s.Token), text(s.Network), copied(s.Address), copied(s.Memo), ownerCell(&s), copied(s.Txid),
			text(or(s.Reason, "–")), {}}
		if v.May(admin.RoleOperator) {
			row[8] = to("Assign…", path)
		}
		t.Rows = append(t.Rows, row)
	}
	t.File = room.SheetOf(found, "id seen_at_utc network token amount address memo merchant_id merchant txid sender reason", func(s *admin.Transfer) []string {
		owner, name := "", ""
		if s.Owner != nil {
			owner, name = s.Owner.MerchantID.String(), s.Owner.Merchant
		}
		return []string{s.ID.String(), moment(s.SeenAt), s.Network, s.Token, s.Amount.String(), s.Address, s.Memo, owner, name, s.Txid,
			s.From, or(s.Reason, "")}
	})
	return &page{Title: "Unclaimed transfers", Section: "Unclaimed", List: t, Parts: []part{{Table: t}}}, nil
}

// ownerCell names the merchant of the address a transfer came to.
func ownerCell(s *admin.Transfer) cell {
	if s.Owner == nil {
		return text("–")
	}
	return to(s.Owner.Merchant, "merchants/"+s.Owner.MerchantID.String())
}
