package panel

import (
	"slices"

	"github.com/google/uuid"

	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// nobody has no rows.
var nobody = []uuid.UUID{uuid.Max}

// filter reads the filters of a list of the merchant's. Unknown names have no rows; v.Wrong says which input cannot be read.
func (v *visit) filter() lists.AcrossFilter {
	f := lists.AcrossFilter{Merchants: []uuid.UUID{v.Merchant}, Network: v.Ask("network"), Token: v.Ask("token"), Reference: v.Ask("reference"),
		Customer: v.Ask("customer"), Before: room.ID(v.Below()), Limit: v.Limit()}
	if status := v.Ask("status"); status != "" {
		f.Statuses = []string{status}
	}
	var err error
	if f.From, f.Until, err = store.Days(v.Ask("from"), v.Ask("until")); err != nil {
		v.Wrong, f.Merchants = err.Error()+".", nobody
	}
	return f
}

// moneyFilter are the filters of payins and payouts.
func (v *visit) moneyFilter(statuses []string) ([]room.Field, error) {
	symbols, err := v.symbols()
	if err != nil {
		return nil, err
	}
	out := append([]room.Field{v.Choice("status", "Status", statuses...), v.OnNetwork(), v.Spelt("token", "Token", symbols)}, v.Days()...)
	return append(out, v.Written("reference", "Reference starts with"), v.Written("customer", "Customer")), nil
}

// symbols are the tokens of the catalogue, each once.
func (v *visit) symbols() ([]string, error) {
	tokens, err := v.panel.Store.Tokens(v.Context())
	if err != nil {
		return nil, err
	}
	out := make([]string, len(tokens))
	for i := range tokens {
		out[i] = tokens[i].Symbol
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

var moneyColumns = []room.Column{{Name: "Created"}, {Name: "Amount", Right: true}, {Name: "Network"}, {Name: "Status"}, {Name: "Reference"},
	{Name: "Wallet", Wide: true}}

// wallets lists the fixed wallets of the merchant.
func wallets(v *visit) (*room.Page, error) {
	found, err := lists.WalletsAcross(v.Context(), v.panel.Store, v.filter())
	if err != nil {
		return nil, err
	}
	found, rest := room.Fitting(v.Asked, found, func(w *pay.Wallet) string { return w.ID.String() })
	rows := make([][]room.Cell, len(found))
	for i := range found {
		w := &found[i]
		made := room.When(w.CreatedAt)
		made.Href = Prefix + "wallets/" + w.ID.String()
		rows[i] = []room.Cell{made, room.Copied(w.Wallet), room.Text(string(w.Family)), room.Status(string(w.Status)),
			room.Text(w.CustomerInfo), room.WhenOr(w.LastTransactionAt, "never"), room.WhenOr(w.RevokeAt, "–")}
	}
	t := v.Paged([]room.Column{{Name: "Created"}, {Name: "Address"}, {Name: "Type"}, {Name: "Status"}, {Name: "Customer"},
		{Name: "Last transfer", Wide: true}, {Name: "Revoked", Wide: true}}, rows, rest)
	t.File = room.SheetOf(found, "id created_at_utc wallet type status customer_info last_transaction_at_utc revoke_at_utc", func(w *pay.Wallet) []string {
		return []string{w.ID.String(), room.Moment(w.CreatedAt), w.Wallet, string(w.Family), string(w.Status), w.CustomerInfo,
			room.MomentOr(w.LastTransactionAt), room.MomentOr(w.RevokeAt)}
	})
	t.Filter = append(append([]room.Field{v.Choice("status", "Status", string(pay.WalletAssigned), string(pay.WalletRevoked))}, v.Days()...),
		v.Written("customer", "Customer"))
	t.Empty = "No fixed wallets match. POST /v1/fixed-wallets creates them."
	return &room.Page{Title: "Fixed wallets", Section: "Fixed wallets", List: t, Parts: []room.Part{v.ListPart(t)}}, nil
}
