package panel

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/pricing"
	"causeway/internal/web/room"
	"causeway/ledger"
)

// worthDigits is how many decimals a worth in fiat is shown with.
const worthDigits = 2

// home shows the balances of the merchant, with what they are worth in its preferred fiat.
func home(v *visit) (*room.Page, error) {
	m, err := v.panel.Store.Merchant(v.Context(), v.Merchant)
	if err != nil {
		return nil, err
	}
	held, err := ledger.Balances(v.Context(), v.panel.Store.Q, m.ID)
	if err != nil {
		return nil, err
	}
	cat, err := v.panel.Store.Catalogue(v.Context())
	if err != nil {
		return nil, err
	}
	fiat, rates := cmp.Or(m.PreferredFiat, "USD"), pricing.NewRates(cat.Prices, time.Now())
	worth := func(amount decimal.Decimal, asset string) (decimal.Decimal, bool) {
		return rates.Convert(amount, asset, fiat, worthDigits)
	}
	t := &room.Table{Columns: []room.Column{{Name: "Asset"}, {Name: "Available", Right: true}, {Name: "Locked", Right: true},
		{Name: "Total", Right: true, Wide: true}, {Name: "Value in " + fiat, Right: true}},
		Empty: "No balance yet. It comes with the first payin."}
	available, locked := decimal.Zero, decimal.Zero
	for _, asset := range sorted(held) {
		b := held[asset]
		value := room.Text("no price")
		if sum, known := worth(b.Total(), asset); known {
			value = room.Text(room.Grouped(sum))
		}
		if sum, known := worth(b.Available, asset); known {
			available = available.Add(sum)
		}
		if sum, known := worth(b.Locked, asset); known {
			locked = locked.Add(sum)
		}
		t.Rows = append(t.Rows, []room.Cell{room.Text(asset), room.Text(room.Grouped(b.Available)), room.Text(room.Grouped(b.Locked)),
			room.Text(room.Grouped(b.Total())), value})
	}
	state := room.Pill("active", "good")
	if m.Suspended {
		state = room.Pill("suspended", "bad")
	}
	plots, err := plotsPart(v, held, worth)
	if err != nil {
		return nil, err
	}
	return &room.Page{Title: "Balances", Section: "Balances", Tags: []room.Cell{state}, Parts: []room.Part{
		{Figures: []room.Figure{{Value: room.Grouped(available) + " " + fiat, Label: "available", Href: Prefix},
			{Value: room.Grouped(locked) + " " + fiat, Label: "locked", Href: Prefix}}},
		{Note: "Locked money is held for payouts under way, or has arrived and is not final yet.", Table: t}, plots}}, nil
}

// sorted returns the keys of a map in order.
func sorted[T any](of map[string]T) []string { return slices.Sorted(maps.Keys(of)) }
