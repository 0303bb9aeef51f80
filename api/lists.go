package api

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"causeway/internal/lists"
	"causeway/internal/pay"
)

// List filter refusals (api-v1 §Request-level errors).
var (
	errPageNumber    = pay.E(pay.Invalid, "invalid_page_number", "page must not be negative.")
	errPerPage       = pay.E(pay.Invalid, "invalid_per_page_limit", "per_page must be from 1 to 100.")
	errStatusFilter  = pay.E(pay.Invalid, "invalid_status_filter", "status is not one of those that can be listed.")
	errNetworkFilter = pay.E(pay.Invalid, "invalid_network_filter", "network must be a canonical network name.")
	errDateFrom      = pay.E(pay.Invalid, "invalid_date_from", "date_from must be a date written YYYY-MM-DD.")
	errDateTo        = pay.E(pay.Invalid, "invalid_date_to", "date_to must be a date written YYYY-MM-DD, not before date_from.")
)

// listing is the query of a list operation, with the part repeated in the answer's meta.
type listing struct {
	lists.Filter
	applied
}

// applied are the filters repeated in the answer's meta, by their names in the query.
type applied map[string]string

func (a applied) apply(name, value string) {
	if value != "" {
		a[name] = value
	}
}

// listMeta is the meta object of the lists (api-v1 §List envelopes).
type listMeta struct {
	CurrentPage int               `json:"current_page"`
	PerPage     int               `json:"per_page"`
	Total       int               `json:"total"`
	TotalPages  int               `json:"total_pages"`
	Filters     map[string]string `json:"filters"`
}

// query answers the first value of a query parameter, "" when there is none: Call.Query.
type query func(name string) string

// readListing reads the query of list-payout or list-payin (api-v1 §GET /v1/list-payout). statuses maps each public
// status filter to those of the table. An empty parameter counts as absent. Merchant is left to set.
func readListing(q query, statuses map[string][]string) (*listing, error) {
	l := &listing{applied: applied{}}
	err := firstOf(
		func() error { return l.readPage(q) },
		func() error { return l.readStatus(q, statuses) },
		func() error { return l.readNetwork(q) },
		func() error { return l.readDates(q) },
	)
	l.Token, l.Reference = q("crypto_currency"), q("reference_id")
	l.apply("crypto_currency", l.Token)
	l.apply("reference_id", l.Reference)
	return l, err
}

// firstOf runs steps until one fails.
func firstOf(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (l *listing) readPage(q query) error {
	page, ok := pageParameter(q("page"), 1)
	if !ok {
		return errPageNumber
	}
	size, ok := pageParameter(q("per_page"), 50)
	if !ok || size > 100 {
		return errPerPage
	}
	l.Page, l.PerPage = page, size
	return nil
}

// pageParameter reads a whole number. 0 and anything but a number mean the default, a negative one is refused. Numbers
// beyond any page are brought down to a countable one.
func pageParameter(text string, byDefault int) (int, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || text[0] == '+' || n == 0 {
		return byDefault, true
	}
	return int(min(n, math.MaxInt32)), n > 0
}

func (l *listing) readStatus(q query, statuses map[string][]string) error {
	asked := strings.ToLower(q("status"))
	if asked == "" {
		return nil
	}
	found, ok := statuses[asked]
	if !ok {
		return errStatusFilter
	}
	l.Statuses = found
	l.apply("status", asked)
	return nil
}

func (l *listing) readNetwork(q query) error {
	l.Network = q("network")
	if l.Network == "" {
		return nil
	}
	if _, ok := pay.NetworkNamed(l.Network); !ok {
		return errNetworkFilter
	}
	l.apply("network", l.Network)
	return nil
}

func (l *listing) readDates(q query) error {
	from, until, err := dateRange(q)
	switch {
	case errors.Is(err, errUnreadableFrom):
		return errDateFrom
	case err != nil:
		return errDateTo
	}
	l.From, l.Until = from, until
	return nil
}

// meta describes the page of total items.
func (l *listing) meta(total int) listMeta {
	return listMeta{l.Page, l.PerPage, total, pages(total, l.PerPage), l.applied}
}

func pages(total, size int) int { return (total + size - 1) / size }
