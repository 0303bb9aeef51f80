package api

import (
	"context"
	"slices"
	"strings"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// personCaller reads a merchant with its terms as they are now, as the caller of what a person makes in the panel.
func personCaller(ctx context.Context, s *store.Store, of pay.Key) (*store.Caller, error) {
	m, err := s.Merchant(ctx, of.MerchantID)
	if err != nil {
		return nil, err
	}
	out := &store.Caller{Key: of, Merchant: *m}
	if out.Overrides, err = s.NetworkTerms(ctx, m.ID); err != nil {
		return nil, err
	}
	out.Catalogue, err = s.CatalogueVersion(ctx)
	return out, err
}

// fieldsWrong returns the faults of fields as sentences for a person; "" where an error names none.
func fieldsWrong(e *pay.Error) string {
	faults, ok := e.Details["fields"].(input.FieldErrors)
	if !ok {
		return ""
	}
	var out []string
	for name, fault := range faults {
		out = append(out, strings.ReplaceAll(name, "_", " ")+" "+fault)
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}
