package console

import (
	"strconv"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// merchants lists merchants by name.
func merchants(v *visit) (*page, error) {
	found, err := v.Store.MerchantsAcross(v.Context(), v.Ask("q"), id(v.Below()), v.Limit())
	if err != nil {
		return nil, err
	}
	found, rest := fitting(v, found, func(m *store.MerchantRow) string { return m.ID.String() })
	rows := make([][]cell, len(found))
	for i := range found {
		m := &found[i]
		rows[i] = []cell{to(m.Name, "merchants/"+m.ID.String()), merchantState(m.Suspended, m.APIAccess, m.Verified), text(orText(m.Email, "–")),
			text(number(m.Keys)), text(number(m.Limits)), when(m.CreatedAt), copied(m.ID.String())}
	}
	t := v.Paged([]column{{Name: "Name"}, {Name: "State"}, {Name: "E-mail"}, {Name: "Keys", Right: true}, {Name: "Limits", Right: true},
		{Name: "Created", Wide: true}, {Name: "ID", Wide: true}},
		rows, rest)
	t.File = room.SheetOf(found, "id name state email keys limits created_at_utc", func(m *store.MerchantRow) []string {
		return []string{m.ID.String(), m.Name, merchantState(m.Suspended, m.APIAccess, m.Verified).Text, m.Email, strconv.FormatInt(m.Keys, 10),
			strconv.FormatInt(m.Limits, 10), moment(m.CreatedAt)}
	})
	t.Filter = []field{{Name: "q", Label: "Name, e-mail or ID", Kind: "text", Value: v.Ask("q")}}
	t.Empty = "No merchants match. Create one below, then give it an API key."
	out := &page{Title: "Merchants", Section: "Merchants", List: t, Parts: []part{{Table: t}}}
	if v.May(admin.RoleAdmin) {
		out.Parts = append(out.Parts, part{Heading: "New merchant", Forms: []form{merchantForm()}})
	}
	return out, nil
}

func merchantForm() form {
	return form{Action: Prefix + "merchants/new", Verb: "Create merchant", Note: "The webhook secret is shown once, on the next page.", Fields: []field{
		{Name: "name", Label: "Name", Kind: "text", Required: true}, {Name: "email", Label: "E-mail", Kind: "text"},
		{Name: "fiat", Label: "Preferred fiat", Kind: "text", Hint: "a code like EUR; leave empty for USD"}}}
}

// newMerchant is where a reload of the answer to the form leads.
func newMerchant(*visit) (*page, error) {
	return &page{Title: "New merchant", Section: "Merchants", Up: &link{Text: "Merchants", Href: Prefix + "merchants"},
		Parts: []part{{Forms: []form{merchantForm()}}}}, nil
}

func merchantState(suspended, access, verified bool) cell {
	switch {
	case suspended:
		return pill("suspended", "bad")
	case !access:
		return pill("no API access", "warn")
	case !verified:
		return pill("not verified", "warn")
	default:
		return pill("active", "good")
	}
}

// merchant shows a merchant with balances, keys, limits and terms.
func merchant(v *visit) (*page, error) {
	m, err := v.Merchant(v.Context(), id(v.PathValue("id")))
	if err != nil {
		return nil, err
	}
	limits, err := v.PayoutLimits(v.Context(), m.ID)
	if err != nil {
		return nil, err
	}
	persons, err := peoplePart(v, m)
	if err != nil {
		return nil, err
	}
	of := "?merchant=" + m.ID.String()
	facts := []fact{
		{Name: "ID", Cell: whole(m.ID.String())}, {Name: "E-mail", Cell: text(orText(m.Email, "–"))}, {Name: "Created", Cell: when(m.CreatedAt)},
		{Name: "Preferred fiat", Cell: text(orText(m.PreferredFiat, "USD"))},
		{Name: "Completed by", Cell: text(moneyPercent(m))}, {Name: "Fixed wallets", Cell: text(budget(m.FixedWallets))},
		{Name: "Late payments keep the quote", Cell: text(lateTerms(m))},
	}
	out := &page{Title: m.Name, Section: "Merchants", Up: &link{Text: "Merchants", Href: Prefix + "merchants"},
		Tags: []cell{merchantState(m.Suspended, m.APIAccess, m.Verified)}}
	links := []link{{Text: "Payouts", Href: Prefix + "payouts" + of}, {Text: "Payins", Href: Prefix + "payins" + of}, {Text: "Webhooks", Href: Prefix + "webhooks" + of},
		{Text: "Fixed wallets", Href: Prefix + "wallets" + of}}
	if v.console.Panel != nil {
		links = append(links, link{Text: "What the merchant sees", Href: panelBelow(m.ID)})
	}
	out.Parts = []part{{Facts: facts, Half: true, Tall: true, Links: links}, balancesPart(m), limitsPart(v, m, limits), keysPart(v, m), persons, ratesPart(v, m)}
	if v.May(admin.RoleAdmin) {
		out.Parts = append(out.Parts, merchantActs(m))
	}
	return out, nil
}

func orText(s, none string) string { return or(&s, none) }

func moneyPercent(m *admin.Merchant) string {
	if m.MinimumPayment.Valid {
		return m.MinimumPayment.Decimal.String() + " % of a payin"
	}
	return "100 % of a payin"
}

// lateTerms says until when the quote of a payin holds for late money.
func lateTerms(m *admin.Merchant) string {
	grace, bound := "for ever", "at any price"
	if m.LateGrace != nil {
		grace = "for " + *m.LateGrace
	}
	if m.LateBound.Valid {
		bound = "while the price is within " + m.LateBound.Decimal.String() + " %"
	}
	return grace + ", " + bound
}

func budget(b *admin.WalletBudget) string {
	switch {
	case b == nil:
		return "not enabled"
	case b.Mode == pay.WalletsGlobal && b.Limit != nil:
		return "up to " + strconv.Itoa(*b.Limit)
	default:
		return "per type"
	}
}

func balancesPart(m *admin.Merchant) part {
	t := &table{Columns: []column{{Name: "Asset"}, {Name: "Available", Right: true}, {Name: "Locked", Right: true}},
		Empty: "No balance yet. It comes with the first payin."}
	for _, asset := range sorted(m.Balances) {
		b := m.Balances[asset]
		t.Rows = append(t.Rows, []cell{text(asset), text(grouped(b.Available)), text(grouped(b.Locked))})
	}
	return part{Heading: "Balances", Table: t, Half: true}
}

func limitsPart(v *visit, m *admin.Merchant, limits []store.PayoutLimit) part {
	out := part{Heading: "Payout approval", Half: true,
		Note: "Payouts above a limit wait for approval. Approved payouts do not count towards the limit of an hour or a day. A limit per payout is also the limit per hour, unless another one is set in the same unit."}
	path := Prefix + "merchants/" + m.ID.String()
	t := &table{Columns: []column{{Name: "Limit"}, {Name: "Applies to"}, {Name: ""}},
		Empty: "No limits: payouts are signed without approval. Set a limit in an asset or a fiat currency, and payouts above it wait for approval."}
	for _, l := range limits {
		row := []cell{money(l.Above, l.Unit), text(limitOf(l.Per, l.PerAddress)), {}}
		if v.May(admin.RoleAdmin) {
			f := form{Action: path + "/limits/clear", Verb: "Remove", Quiet: true,
				Fields:  []field{{Name: "unit", Kind: "hidden", Value: l.Unit}, {Name: "per", Kind: "hidden", Value: l.Per}},
				Confirm: "Remove the limit? Payouts that wait only because of it are signed at once."}
			if l.PerAddress {
				f.Fields = append(f.Fields, field{Name: "per_address", Kind: "hidden", Value: "on"})
			}
			row[2] = cell{Forms: []form{f}}
		}
		t.Rows = append(t.Rows, row)
	}
	out.Table = t
	if v.May(admin.RoleAdmin) {
		out.Forms = []form{{Action: path + "/limits", Verb: "Set limit", Fields: []field{
			{Name: "above", Label: "Amount", Kind: "text", Required: true, Hint: "0 means every payout"},
			{Name: "unit", Label: "Asset or fiat", Kind: "text", Required: true, Hint: "like USDT or USD"},
			{Name: "per", Label: "Applies to", Kind: "select", Options: []option{{Value: store.PerPayout, Text: limitOf(store.PerPayout, false)},
				{Value: store.PerHour, Text: limitOf(store.PerHour, false)}, {Value: store.PerDay, Text: limitOf(store.PerDay, false)}}},
			{Name: "per_address", Label: "per address", Kind: "check"}}}}
	}
	return out
}

// limitOf names the payouts a limit adds up.
func limitOf(per string, address bool) string {
	switch {
	case per == store.PerPayout:
		return "one payout"
	case address:
		return "a rolling " + per + ", to one address"
	default:
		return "a rolling " + per
	}
}
