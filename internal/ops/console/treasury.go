package console

import (
	"cmp"
	"net/url"
	"slices"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/web/room"
	"causeway/ledger"
)

// treasury shows the holdings on each network and their owners.
func treasury(v *visit) (*page, error) {
	b, err := readHoldings(v)
	if err != nil {
		return nil, err
	}
	lost, err := v.LostSpends(v.Context())
	if err != nil {
		return nil, err
	}
	there := &table{Columns: []column{{Name: "Network"}, {Name: "Asset"}, {Name: "On the network", Right: true},
		{Name: "Unclaimed", Right: true}, {Name: "Value", Right: true}},
		Here: v.URL.Path, CSV: v.URL.Path + "?format=csv", Empty: "No network holds any money yet."}
	for _, at := range b.places {
		there.Rows = append(there.Rows, []cell{text(at.network), text(at.asset), text(grouped(at.amount)), text(grouped(at.unclaimed)),
			text(b.worth(at.asset, at.amount))})
	}
	there.File = room.SheetOf(b.places, "network asset amount unclaimed worth_usd", func(at *place) []string {
		worth := ""
		if price, known := b.usd[at.asset]; known {
			worth = at.amount.Mul(price).String()
		}
		return []string{at.network, at.asset, at.amount.String(), at.unclaimed.String(), worth}
	})
	undone, err := undoneSpends(v)
	if err != nil {
		return nil, err
	}
	ours := &table{Columns: []column{{Name: "Asset"}, {Name: "Treasury", Right: true}, {Name: "Fees earned", Right: true},
		{Name: "Network fees, less costs", Right: true}, {Name: "Dust", Right: true}},
		Empty: "The platform has not earned or spent anything yet."}
	for _, a := range b.assets {
		s := b.sums[a]
		ours.Rows = append(ours.Rows, []cell{text(a), text(grouped(s[ledger.Treasury])), text(grouped(s[ledger.Fees])),
			text(grouped(s[ledger.NetworkFees])), text(grouped(s[ledger.Dust]))})
	}
	out := &page{Title: "Treasury", Section: "Treasury", List: there,
		Parts: []part{{Heading: "By network", Table: there}, {Heading: "Platform money", Table: ours}}}
	between, err := moved(v)
	if err != nil {
		return nil, err
	}
	out.Parts = append(append(out.Parts, between...), undone...)
	if len(lost) > 0 {
		t := &table{Columns: []column{{Name: "Network"}, {Name: "Transaction"}, {Name: "Amount", Right: true}, {Name: "To"}, {Name: "Seen"}}}
		for _, u := range lost {
			t.Rows = append(t.Rows, []cell{text(u.Network), copied(u.Txid), money(u.Amount, u.Token), copied(u.Recipient), when(u.SeenAt)})
		}
		out.Parts = append(out.Parts, part{Heading: "Unknown spends of hot wallets", Note: "Use causeway admin wallet assign to say what each one was.",
			Mood: "warn", Table: t})
	}
	if v.May(admin.RoleAdmin) {
		out.Parts = append(out.Parts, part{Heading: "Correction",
			Forms: []form{{Action: Prefix + "treasury/correct", Verb: "Correct treasury", Danger: true,
				Note: "Makes the ledger agree with what a network holds. A positive amount is a gain of the treasury, a negative one a cost. " +
					"Use it only for a difference that reconciliation has found, whose cause you know, and that belongs to no merchant.",
				Confirm: "Correct the treasury by this amount?",
				Fields: []field{{Name: "reference", Kind: "hidden", Value: uuid.Must(uuid.NewV7()).String()}, // sent twice, it corrects once
					{Name: "network", Label: "Network", Kind: "text", Required: true},
					{Name: "asset", Label: "Asset", Kind: "text", Required: true},
					{Name: "amount", Label: "Amount", Kind: "text", Required: true, Hint: "like -1.5"},
					{Name: "although", Label: "Open difference", Kind: "text", Hint: "only if you correct another amount than this"},
					{Name: "reason", Label: "Reason", Kind: "text", Required: true}}}}})
	}
	return out, nil
}

// undoneSpends shows spends of hot wallets in no block any more, and for each transaction the act to take it off the overview.
func undoneSpends(v *visit) ([]part, error) {
	undone, err := v.Store.UndoneSpends(v.Context())
	if err != nil || len(undone) == 0 {
		return nil, err
	}
	t := &table{Columns: []column{{Name: "Network"}, {Name: "Transaction"}, {Name: "Amount", Right: true}, {Name: "To"}, {Name: "Undone"},
		{Name: "Booked"}, {Name: ""}}}
	offered := map[string]bool{}
	for i := range undone {
		u, booked := &undone[i], "yes"
		if u.Decision == nil {
			booked = "no"
		}
		row := []cell{text(u.Network), copied(u.Txid), money(u.Amount, u.Token), copied(u.Recipient), whenOr(u.UndoneAt, ""), text(booked), {}}
		if key := u.Network + " " + u.Txid; v.May(admin.RoleOperator) && !offered[key] {
			offered[key] = true
			row[6].Forms = []form{{Action: Prefix + "networks/" + url.PathEscape(u.Network) + "/dismiss", Verb: "Dismiss", Quiet: true,
				Fields: []field{{Name: "txid", Kind: "hidden", Value: u.Txid}},
				Confirm: "Remove this transaction from the overview? What was booked stays, and what was not is forgotten. " +
					"Payouts that wait for it continue, so be sure that it can never be mined again."}}
		}
		t.Rows = append(t.Rows, row)
	}
	note := "A reorganisation undid these. Payouts to their recipients may wait for them. " +
		"Follow the runbook, then dismiss them."
	if more := undone[0].All - int64(len(undone)); more > 0 {
		note += " " + number(more) + " more came before these."
	}
	return []part{{Heading: "Spends of hot wallets undone by a reorganisation", Note: note, Mood: "warn", Table: t}}, nil
}

// holdings is the balance of accounts, by asset, with the worth of one unit in dollars.
type holdings struct {
	assets []string
	sums   map[string]map[string]decimal.Decimal // asset -> account
	places []place
	covers []admin.Cover
	usd    map[string]decimal.Decimal
}

type place struct {
	network, asset    string
	amount, unclaimed decimal.Decimal
}

func readHoldings(v *visit) (*holdings, error) {
	purses, err := v.Store.Purses(v.Context())
	if err != nil {
		return nil, err
	}
	cat, err := v.Store.Catalogue(v.Context())
	if err != nil {
		return nil, err
	}
	b := &holdings{covers: admin.Covers(purses), sums: map[string]map[string]decimal.Decimal{}, usd: map[string]decimal.Decimal{}}
	for _, p := range purses {
		if b.sums[p.Asset] == nil {
			b.sums[p.Asset] = map[string]decimal.Decimal{}
		}
		b.sums[p.Asset][p.Account] = p.Amount
	}
	b.assets = sorted(b.sums)
	for _, p := range cat.Prices {
		if p.Quote == "USD" {
			b.usd[p.Base] = p.Price
		}
	}
	for _, n := range sortedNetworks() {
		for _, a := range b.assets {
			if amount := b.sums[a][ledger.Outside(n)].Neg(); !amount.IsZero() {
				b.places = append(b.places, place{n, a, amount, b.sums[a][ledger.Unclaimed(n)]})
			}
		}
	}
	return b, nil
}

// worth returns an amount's worth in dollars, for reading.
func (b *holdings) worth(asset string, amount decimal.Decimal) string {
	price, known := b.usd[asset]
	if !known {
		return "no price"
	}
	return dollars(amount.Mul(price))
}

// byOwed lists the assets by the amount owed to merchants in dollars, most first; then the others by name.
func (b *holdings) byOwed() []admin.Cover {
	out := slices.Clone(b.covers)
	slices.SortStableFunc(out, func(x, y admin.Cover) int {
		return cmp.Or(y.Owed.Mul(b.usd[y.Asset]).Cmp(x.Owed.Mul(b.usd[x.Asset])), y.Owed.Cmp(x.Owed))
	})
	return out
}

func sortedNetworks() []string {
	out := make([]string, len(pay.Networks))
	for i, n := range pay.Networks {
		out[i] = n.Name
	}
	slices.Sort(out)
	return out
}
