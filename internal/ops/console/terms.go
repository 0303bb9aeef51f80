package console

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/internal/ops/admin"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func rate(d decimal.Decimal) cell { return text(d.String() + " %") }

// ratesPart shows a merchant's rates, and their differences on a network.
func ratesPart(v *visit, m *admin.Merchant) part {
	r := m.Rates
	t := &table{Columns: []column{{Name: "Network"}, {Name: "Payment", Right: true}, {Name: "Receipt", Right: true}, {Name: "Deposit", Right: true},
		{Name: "Withdrawal", Right: true}, {Name: "Pays network fees on"}}}
	t.Rows = append(t.Rows, []cell{text("every network"), rate(r.PaymentRate), rate(r.ReceiptRate), rate(r.DepositRate), rate(r.WithdrawalRate),
		text(payer(r.PaysPaymentNetworkFee, r.PaysReceiptNetworkFee, r.PaysDepositNetworkFee, r.PaysWithdrawalNetworkFee))})
	for _, network := range sorted(m.NetworkRates) {
		o := m.NetworkRates[network]
		t.Rows = append(t.Rows, []cell{text(network), override(o.PaymentRate), override(o.ReceiptRate), override(o.DepositRate),
			override(o.WithdrawalRate), text("see the command")})
	}
	out := part{Heading: "Rates", Table: t}
	if v.May(admin.RoleAdmin) {
		path := Prefix + "merchants/" + m.ID.String() + "/rates"
		out.Forms = []form{{Action: path, Verb: "Set rate", Fields: []field{
			{Name: "name", Label: "Rate", Kind: "select", Options: rateNames()},
			{Name: "value", Label: "Percent, or on or off", Kind: "text", Required: true},
			{Name: "network", Label: "Network", Kind: "text", Hint: "leave empty for every network; the value inherit removes a network's own rate"}}}}
	}
	return out
}

func rateNames() []option {
	var out []option
	for _, name := range admin.RateFields() {
		out = append(out, option{Value: name, Text: strings.ReplaceAll(name, "_", " ")})
	}
	return out
}

func override(d decimal.NullDecimal) cell {
	if !d.Valid {
		return pill("inherits", "idle")
	}
	return rate(d.Decimal)
}

// payer names the kinds of movements with a network fee paid by the merchant.
func payer(payment, receipt, deposit, withdrawal bool) string {
	var out []string
	for _, k := range []struct {
		name string
		pays bool
	}{{"payouts", payment}, {"payins", receipt}, {"deposits", deposit}, {"withdrawals", withdrawal}} {
		if k.pays {
			out = append(out, k.name)
		}
	}
	return cmp.Or(strings.Join(out, ", "), "none")
}

// merchantActs are the switches of a merchant.
func merchantActs(m *admin.Merchant) part {
	path := Prefix + "merchants/" + m.ID.String() + "/set"
	toggle := func(name, value, verb, note string, danger bool) form {
		return form{Action: path, Verb: verb, Note: note, Danger: danger, Quiet: !danger, Confirm: verb + ": " + m.Name + "?",
			Fields: []field{{Name: name, Kind: "hidden", Value: value}}}
	}
	out := part{Heading: "Actions"}
	if m.Suspended {
		out.Forms = append(out.Forms, toggle("suspended", "false", "Resume", "The keys work again, and payouts that waited for this continue.", false))
	} else {
		out.Forms = append(out.Forms, toggle("suspended", "true", "Suspend",
			"All keys are refused, and payouts that are not signed yet wait for approval. Everything else that was accepted continues.", true))
	}
	if m.APIAccess {
		out.Forms = append(out.Forms, toggle("api_access", "false", "Remove API access", "", true))
	} else {
		out.Forms = append(out.Forms, toggle("api_access", "true", "Give API access", "", false))
	}
	if m.PaymentUpdated {
		out.Forms = append(out.Forms, toggle("payment_updated", "false", "Stop payment_updated", "Webhooks for partial, late and final payments.", false))
	} else {
		out.Forms = append(out.Forms, toggle("payment_updated", "true", "Send payment_updated", "Webhooks for partial, late and final payments.", false))
	}
	grace, bound := "", ""
	if m.LateGrace != nil {
		grace = *m.LateGrace
	}
	if m.LateBound.Valid {
		bound = m.LateBound.Decimal.String()
	}
	out.Forms = append(out.Forms, form{Action: Prefix + "merchants/" + m.ID.String() + "/late", Verb: "Set late payment rules",
		Note: "How long a payin keeps its quote after it expires, such as 24h, and by how many percent the price may move. Leave empty for no limit.",
		Fields: []field{{Name: "late_grace", Label: "Time after expiry", Kind: "text", Value: grace},
			{Name: "late_bound", Label: "Price may move by (%)", Kind: "text", Value: bound}}})
	out.Forms = append(out.Forms, form{Action: Prefix + "merchants/" + m.ID.String() + "/wallets", Verb: "Set wallet limit",
		Note:   "How many fixed wallets the merchant can create. Leave empty to allow no new ones; existing wallets keep receiving.",
		Fields: []field{{Name: "limit", Label: "Fixed wallets", Kind: "text"}}})
	return out
}

// rates lists the rates of every merchant.
func rates(v *visit) (*page, error) {
	found, err := v.Store.MerchantsAcross(v.Context(), v.Ask("q"), id(v.Below()), v.Limit())
	if err != nil {
		return nil, err
	}
	found, rest := fitting(v, found, func(m *store.MerchantRow) string { return m.ID.String() })
	rows := make([][]cell, len(found))
	for i := range found {
		m := &found[i]
		rows[i] = []cell{to(m.Name, "merchants/"+m.ID.String()), rate(m.PaymentRate), rate(m.ReceiptRate), rate(m.DepositRate),
			rate(m.WithdrawalRate),
			text(payer(m.PaysPaymentNetworkFee, m.PaysReceiptNetworkFee, m.PaysDepositNetworkFee, m.PaysWithdrawalNetworkFee))}
	}
	t := v.Paged([]column{{Name: "Merchant"}, {Name: "Payment", Right: true}, {Name: "Receipt", Right: true}, {Name: "Deposit", Right: true},
		{Name: "Withdrawal", Right: true}, {Name: "Pays network fees on"}},
		rows, rest)
	t.File = room.SheetOf(found, "merchant_id merchant payment_rate receipt_rate deposit_rate withdrawal_rate pays_network_fees_of",
		func(m *store.MerchantRow) []string {
			return []string{m.ID.String(), m.Name, m.PaymentRate.String(), m.ReceiptRate.String(), m.DepositRate.String(), m.WithdrawalRate.String(),
				payer(m.PaysPaymentNetworkFee, m.PaysReceiptNetworkFee, m.PaysDepositNetworkFee, m.PaysWithdrawalNetworkFee)}
		})
	t.Filter = []field{{Name: "q", Label: "Merchant", Kind: "text", Value: v.Ask("q")}}
	t.Empty = "No merchants match."
	return &page{Title: "Rates", Section: "Rates", List: t,
		Parts: []part{{Note: "Rates are in percent. Change them on a merchant's page, which also shows the rates of single networks.", Table: t}}}, nil
}
