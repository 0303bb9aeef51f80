package console

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"causeway/internal/lists"
	"causeway/internal/store"
)

// mostMerged is how many merchants a part of a name may mean: their lists are merged.
const mostMerged = 20

// ofMerchant is a filter by merchants.
func (v *visit) ofMerchant() field { return v.Written("merchant", "Merchant name or ID") }

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
	out := append([]field{v.Choice("status", "Status", statuses...), v.OnNetwork(), v.Spelt("token", "Token", slices.Compact(symbols))}, v.Days()...)
	return append(out, v.Written("reference", "Reference starts with"), v.Written("customer", "Customer"), v.ofMerchant()), nil
}

// filter reads the filters of a list across merchants. Unknown names have no rows; v.Wrong says which input cannot be read.
func (v *visit) filter() (lists.AcrossFilter, error) {
	f := lists.AcrossFilter{Network: v.Ask("network"), Token: v.Ask("token"), Reference: v.Ask("reference"), Customer: v.Ask("customer"),
		Before: id(v.Below()), Limit: v.Limit()}
	if status := v.Ask("status"); status != "" {
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
	if from, until, err = store.Days(v.Ask("from"), v.Ask("until")); err != nil {
		v.Wrong, merchants = err.Error()+".", nobody
	}
	return from, until, merchants, nil
}

// nobody has no rows.
var nobody = []uuid.UUID{uuid.Max}

// merchantsAsked returns the merchants in the filter, by an id or a part of the name; nil for all without the parameter.
func (v *visit) merchantsAsked() ([]uuid.UUID, error) {
	word := v.Ask("merchant")
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
		v.Wrong = fmt.Sprintf("More than %d merchants match “%s”. Enter more of the name, or an ID.", mostMerged, word)
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
