package console

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// mostMerged is how many merchants a part of a name may mean: their lists are merged.
const mostMerged = 20

// choice is a filter of a few values.
func (v *visit) choice(name, label string, values ...string) field {
	f := field{Name: name, Label: label, Kind: "select", Options: []option{{Value: "", Text: "any"}}}
	for _, value := range values {
		f.Options = append(f.Options, option{Value: value, Text: strings.ToLower(strings.TrimPrefix(value, "STATUS_")), Chosen: v.ask(name) == value})
	}
	return f
}

// spelt is a choice of names in their own spelling.
func (v *visit) spelt(name, label string, values []string) field {
	f := v.choice(name, label, values...)
	for i := range f.Options[1:] {
		f.Options[i+1].Text = f.Options[i+1].Value
	}
	return f
}

// networks is a filter by network.
func (v *visit) networks() field {
	names := make([]string, len(pay.Networks))
	for i, n := range pay.Networks {
		names[i] = n.Name
	}
	return v.spelt("network", "Network", names)
}

// written is a filter by a typed text.
func (v *visit) written(name, label string) field {
	return field{Name: name, Label: label, Kind: "text", Value: v.ask(name)}
}

// days are the filters by the first and the last day.
func (v *visit) days() []field {
	return []field{{Name: "from", Label: "From (UTC)", Kind: "date", Value: v.ask("from")},
		{Name: "until", Label: "Until", Kind: "date", Value: v.ask("until")}}
}

// ofMerchant is a filter by merchants.
func (v *visit) ofMerchant() field { return v.written("merchant", "Merchant name or ID") }

// moneyFilter are the filters of payins and payouts.
func (v *visit) moneyFilter(statuses []string) ([]field, error) {
	tokens, err := v.Store.Tokens(v.Context())
	if err != nil {
		return nil, err
	}
	symbols := make([]string, len(tokens))
	for i := range tokens {
		symbols[i] = tokens[i].Symbol
	}
	slices.Sort(symbols)
	out := append([]field{v.choice("status", "Status", statuses...), v.networks(), v.spelt("token", "Token", slices.Compact(symbols))}, v.days()...)
	return append(out, v.written("reference", "Reference starts with"), v.written("customer", "Customer"), v.ofMerchant()), nil
}

// filter reads the filters of a list across merchants. Unknown names have no rows; v.wrong says which input cannot be read.
func (v *visit) filter() (lists.AcrossFilter, error) {
	f := lists.AcrossFilter{Network: v.ask("network"), Token: v.ask("token"), Reference: v.ask("reference"), Customer: v.ask("customer"),
		Before: id(v.below()), Limit: v.limit()}
	if status := v.ask("status"); status != "" {
		f.Statuses = []string{status}
	}
	var err error
	f.From, f.Until, f.Merchants, err = v.asked()
	return f, err
}

// asked reads the filters common to every list across merchants: its days and its merchants.
func (v *visit) asked() (from, until time.Time, merchants []uuid.UUID, err error) {
	if merchants, err = v.merchantsAsked(); err != nil {
		return from, until, nil, err
	}
	if from, until, err = store.Days(v.ask("from"), v.ask("until")); err != nil {
		v.wrong, merchants = err.Error()+".", nobody
	}
	return from, until, merchants, nil
}

// nobody has no rows.
var nobody = []uuid.UUID{uuid.Max}

// merchantsAsked returns the merchants in the filter, by an id or a part of the name; nil for all without the parameter.
func (v *visit) merchantsAsked() ([]uuid.UUID, error) {
	word := v.ask("merchant")
	if word == "" {
		return nil, nil
	}
	if m := id(word); m != uuid.Nil {
		return []uuid.UUID{m}, nil
	}
	found, err := v.Store.MerchantsAcross(v.Context(), word, uuid.Nil, mostMerged+1)
	switch {
	case err != nil:
		return nil, err
	case len(found) > mostMerged:
		v.wrong = fmt.Sprintf("More than %d merchants match “%s”. Enter more of the name, or an ID.", mostMerged, word)
		return nobody, nil
	case len(found) == 0:
		return nobody, nil
	}
	out := make([]uuid.UUID, len(found))
	for i := range found {
		out[i] = found[i].ID
	}
	return out, nil
}

// listPart is a list on its page, with the problem of its filter.
func (v *visit) listPart(t *table) part { return part{Table: t, Note: v.wrong, Mood: "warn"} }
