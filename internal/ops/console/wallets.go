package console

import (
	"github.com/google/uuid"

	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/web/room"
)

// wallets lists fixed wallets of all merchants.
func wallets(v *visit) (*page, error) {
	statuses := []string{string(pay.WalletAssigned), string(pay.WalletRevoked)}
	f, err := v.filter()
	if err != nil {
		return nil, err
	}
	found, err := lists.WalletsAcross(v.Context(), v.Store, f)
	if err != nil {
		return nil, err
	}
	found, rest := fitting(v, found, func(w *pay.Wallet) string { return w.ID.String() })
	called, err := names(v, found, func(w *pay.Wallet) uuid.UUID { return w.MerchantID })
	if err != nil {
		return nil, err
	}
	rows := make([][]cell, len(found))
	for i := range found {
		w := &found[i]
		rows[i] = []cell{when(w.CreatedAt), copied(w.Wallet), text(string(w.Family)), status(string(w.Status)),
			to(called[w.MerchantID], "merchants/"+w.MerchantID.String()), text(w.CustomerInfo),
			whenOr(w.LastTransactionAt, "never"), whenOr(w.RevokeAt, "–")}
	}
	t := v.Paged([]column{{Name: "Created"}, {Name: "Address"}, {Name: "Type"}, {Name: "Status"}, {Name: "Merchant"}, {Name: "Customer"},
		{Name: "Last transfer", Wide: true}, {Name: "Revoked", Wide: true}},
		rows, rest)
	t.File = room.SheetOf(found, "id created_at_utc wallet type status merchant_id merchant customer_info last_transaction_at_utc revoke_at_utc",
		func(w *pay.Wallet) []string {
			return []string{w.ID.String(), moment(w.CreatedAt), w.Wallet, string(w.Family), string(w.Status), w.MerchantID.String(), called[w.MerchantID],
				w.CustomerInfo, momentOr(w.LastTransactionAt), momentOr(w.RevokeAt)}
		})
	t.Filter = append(append([]field{v.Choice("status", "Status", statuses...)}, v.Days()...), v.Written("customer", "Customer"), v.ofMerchant())
	t.Empty = "No fixed wallets match. Merchants with a wallet limit create them with POST /v1/fixed-wallets."
	return &page{Title: "Fixed wallets", Section: "Fixed wallets", List: t, Parts: []part{v.ListPart(t)}}, nil
}
