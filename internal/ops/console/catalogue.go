package console

import (
	"slices"
	"strconv"
	"strings"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/web/room"
)

// tokens lists the catalogue.
func tokens(v *visit) (*page, error) {
	all, err := v.Tokens(v.Context())
	if err != nil {
		return nil, err
	}
	word, network := strings.ToUpper(v.Ask("q")), v.Ask("network")
	t := &table{Columns: []column{{Name: "Token"}, {Name: "Network"}, {Name: "State"}, {Name: "Smallest payin", Right: true},
		{Name: "Payouts", Right: true}, {Name: "Network fee", Right: true}, {Name: "Contract", Wide: true}},
		Here: v.URL.Path, CSV: query(v.URL.Path, "q", v.Ask("q"), "network", network, "format", "csv"),
		Filter: []field{{Name: "q", Label: "Token", Kind: "text", Value: v.Ask("q")}, v.OnNetwork()}, Empty: "No tokens match."}
	var fit []admin.Token
	for i := range all {
		k := &all[i]
		if word != "" && !strings.Contains(strings.ToUpper(k.Symbol), word) || network != "" && k.Network != network {
			continue
		}
		fit = append(fit, *k)
		most := "no limit"
		if k.MaxWithdrawal.Valid {
			most = grouped(k.MaxWithdrawal.Decimal)
		}
		t.Rows = append(t.Rows, []cell{to(k.Symbol, "tokens/"+k.Symbol+"/"+k.Network), text(k.Network), tokenState(k), text(grouped(k.MinReceipt)),
			text(grouped(k.MinWithdrawal) + " to " + most), money(k.NetworkFee, k.FeeCurrency), copied(k.Contract)})
	}
	t.File = room.SheetOf(fit, `token network state min_receipt max_receipt min_withdrawal max_withdrawal network_fee fee_currency decimals contract`,
		func(k *admin.Token) []string {
			return []string{k.Symbol, k.Network, tokenState(k).Text, k.MinReceipt.String(), plain(k.MaxReceipt), k.MinWithdrawal.String(),
				plain(k.MaxWithdrawal), k.NetworkFee.String(), k.FeeCurrency, strconv.Itoa(k.Decimals), k.Contract}
		})
	return &page{Title: "Tokens", Section: "Tokens", List: t, Parts: []part{{Table: t}}}, nil
}

func tokenState(k *admin.Token) cell {
	switch {
	case !k.Active:
		return pill("off", "bad")
	case !k.Deposits && !k.Withdrawals:
		return pill("no payins, no payouts", "warn")
	case !k.Deposits:
		return pill("no payins", "warn")
	case !k.Withdrawals:
		return pill("no payouts", "warn")
	default:
		return pill("on", "good")
	}
}

// token shows one token on a network, and lets its rules be changed.
func token(v *visit) (*page, error) {
	all, err := v.Tokens(v.Context())
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(k admin.Token) bool {
		return k.Symbol == v.PathValue("symbol") && k.Network == v.PathValue("network")
	})
	if at < 0 {
		return nil, errNoPage
	}
	k := &all[at]
	out := &page{Title: k.Symbol + " on " + k.Network, Section: "Tokens", Up: &link{Text: "Tokens", Href: Prefix + "tokens"}, Tags: []cell{tokenState(k)}}
	out.Parts = []part{{Facts: []fact{
		{Name: "Ledger asset", Cell: text(k.BalanceKey)}, {Name: "Variant", Cell: text(k.Variant)}, {Name: "Contract", Cell: whole(k.Contract)},
		{Name: "Decimals", Cell: cell{Text: number(int64(k.Decimals)), Sub: "the ledger keeps " + number(int64(k.Precision))}},
		{Name: "Smallest payin", Cell: money(k.MinReceipt, k.Symbol)}, {Name: "Largest payin", Cell: moneyOr(k.MaxReceipt, k.Symbol, "no limit")},
		{Name: "Smallest payout", Cell: money(k.MinWithdrawal, k.Symbol)},
		{Name: "Largest payout", Cell: moneyOr(k.MaxWithdrawal, k.Symbol, "no limit")}, {Name: "Network fee", Cell: money(k.NetworkFee, k.FeeCurrency)}}}}
	if v.May(admin.RoleAdmin) {
		out.Parts = append(out.Parts, part{Heading: "Actions", Forms: tokenForms(k)})
	}
	return out, nil
}

func tokenForms(k *admin.Token) []form {
	path := Prefix + "tokens/" + k.Symbol + "/" + k.Network
	toggle := func(name, what string, on bool) form {
		verb, value := "Turn "+what+" off", "off"
		if !on {
			verb, value = "Turn "+what+" on", "on"
		}
		return form{Action: path, Verb: verb, Quiet: !on, Danger: on, Confirm: verb + " for " + k.Symbol + " on " + k.Network + "?",
			Fields: []field{{Name: "name", Kind: "hidden", Value: name}, {Name: "value", Kind: "hidden", Value: value}}}
	}
	names := []option{}
	for _, name := range []string{"min_receipt", "max_receipt", "min_withdrawal", "max_withdrawal", "network_fee", "fee_currency"} {
		names = append(names, option{Value: name, Text: strings.ReplaceAll(name, "_", " ")})
	}
	return []form{
		toggle("deposits", "payins", k.Deposits), toggle("withdrawals", "payouts", k.Withdrawals), toggle("active", "the token", k.Active),
		{Action: path, Verb: "Set rule", Fields: []field{{Name: "name", Label: "Rule", Kind: "select", Options: names},
			{Name: "value", Label: "Value", Kind: "text", Hint: "a maximum can be unlimited"}}},
	}
}

// prices lists the prices in use, and the last answer of each source.
func prices(v *visit) (*page, error) {
	cat, err := v.Store.Catalogue(v.Context())
	if err != nil {
		return nil, err
	}
	quotes, err := v.Store.Quotes(v.Context(), nil)
	if err != nil {
		return nil, err
	}
	fixed, err := v.Store.HasFixedPrices(v.Context())
	if err != nil {
		return nil, err
	}
	used := &table{Columns: []column{{Name: "Currency"}, {Name: "Price", Right: true}, {Name: "Source"}, {Name: "Updated"}, {Name: ""}}, Here: v.URL.Path,
		CSV:   v.URL.Path + "?format=csv",
		Empty: "There are no prices. Set PRICE_SOURCES, or pin a price below."}
	for _, p := range cat.Prices {
		row := []cell{text("1 " + p.Base), money(p.Price, p.Quote), priceSource(p), {Text: when(p.UpdatedAt).Text, Sub: since(p.UpdatedAt)}, {}}
		if v.May(admin.RoleAdmin) {
			row[4] = cell{Forms: []form{{Action: Prefix + "prices/clear", Verb: "Remove", Quiet: true,
				Confirm: "Remove the price of " + p.Base + " in " + p.Quote + "?",
				Fields:  []field{{Name: "base", Kind: "hidden", Value: p.Base}, {Name: "quote", Kind: "hidden", Value: p.Quote}}}}}
		}
		used.Rows = append(used.Rows, row)
	}
	used.File = room.SheetOf(cat.Prices, "of price in source pinned changed_at_utc", func(p *pay.Price) []string {
		return []string{p.Base, p.Price.String(), p.Quote, p.Source, yesNo(p.Pinned), moment(p.UpdatedAt)}
	})
	said := &table{Columns: []column{{Name: "Pair"}, {Name: "Source"}, {Name: "Price", Right: true}, {Name: "Time"}},
		Empty: silent(fixed)}
	for _, q := range quotes {
		said.Rows = append(said.Rows, []cell{text(q.Base + " in " + q.Quote), text(q.Source), text(grouped(q.Price)),
			{Text: when(q.UpdatedAt).Text, Sub: since(q.UpdatedAt)}})
	}
	out := &page{Title: "Prices", Section: "Prices", List: used, Parts: []part{{Heading: "In use", Table: used}}}
	if v.May(admin.RoleAdmin) {
		out.Parts = append(out.Parts, part{Heading: "Pin a price",
			Forms: []form{{Action: Prefix + "prices", Verb: "Pin price", Note: "Sources do not change a pinned price.",
				Confirm: "Pin this price? All conversions will use it from now on.", Fields: []field{
					{Name: "base", Label: "Currency", Kind: "text", Required: true, Hint: "like BTC"},
					{Name: "price", Label: "Price", Kind: "text", Required: true},
					{Name: "quote", Label: "Priced in", Kind: "text", Required: true, Hint: "like USD"}}}}})
	}
	out.Parts = append(out.Parts, part{Heading: "Prices from sources", Table: said})
	return out, nil
}

// silent says why no source has said anything. With PRICE_SOURCES the fixed table is deleted when any role starts.
func silent(fixed bool) string {
	if fixed {
		return "PRICE_SOURCES is empty, so no live source is asked and the sandbox's fixed prices apply."
	}
	return "No source has answered yet."
}

func priceSource(p pay.Price) cell {
	if p.Pinned {
		return pill("pinned by "+p.Source, "warn")
	}
	return text(p.Source)
}
