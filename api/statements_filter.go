package api

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/ledger"
)

// maxStatementDays is the widest range of dates (addendum §10).
const maxStatementDays = 366

// Statement filter refusals (api-v1 §Request-level errors, addendum §10).
var (
	errPagination      = pay.E(pay.Invalid, "invalid_pagination", "page must not be negative, per_page must be from 1 to 100.")
	errDatesReversed   = pay.E(pay.Invalid, "invalid_date_range", "date_from is after date_to.")
	errDatesTooWide    = pay.E(pay.Invalid, "date_range_too_wide", "The range of dates is too wide.").With("max_days", maxStatementDays)
	errFilterAmount    = pay.E(pay.Invalid, "invalid_amount", "min_amount and max_amount must be plain decimals, in this order.")
	errReferenceUnread = pay.E(pay.Invalid, "invalid_reference_id", "The reference "+input.NotEncoded+".")
	errReferenceLong   = pay.E(pay.Invalid, "invalid_reference_id", "reference_id must have at most 255 characters.")
)

func wrongFormat(field, message string) error {
	return pay.E(pay.Invalid, "invalid_format", field+" "+message).With("field", field)
}

// statementFilter is the query of the statements, with the part repeated in meta.
type statementFilter struct {
	ledger.StatementFilter
	applied
	page, perPage int
	bom           bool // a CSV begins with a byte order mark
}

// readStatementFilter reads the query of the statements; an empty parameter counts as absent. Merchant is left to set.
func readStatementFilter(q query, cat *Catalogue, now time.Time) (*statementFilter, error) {
	f := &statementFilter{applied: applied{}}
	return f, firstOf(
		func() error { return f.readPage(q) },
		func() error { return f.readKind(q) },
		func() error { return f.readPlace(q, cat) },
		func() error { return f.readDates(q, now) },
		func() error { return f.readAmounts(q) },
		func() error { return f.readReference(q) },
		func() error { return f.readMark(q) },
	)
}

func (f *statementFilter) readPage(q query) error {
	l := &listing{}
	if l.readPage(q) != nil {
		return errPagination
	}
	f.page, f.perPage = l.Page, l.PerPage
	return nil
}

func (f *statementFilter) readKind(q query) error {
	f.Movement = ledger.Movement(strings.ToUpper(q("type")))
	if f.Movement != "" && !slices.Contains(ledger.Movements, f.Movement) {
		return wrongFormat("type", "is not a type of movement")
	}
	f.Direction = strings.ToLower(q("direction"))
	if f.Direction != "" && f.Direction != "in" && f.Direction != "out" {
		return wrongFormat("direction", "must be in or out")
	}
	f.apply("type", string(f.Movement))
	f.apply("direction", f.Direction)
	return nil
}

func (f *statementFilter) readPlace(q query, cat *Catalogue) error {
	f.Asset, f.Network = q("balance"), q("network")
	if _, known := cat.assets[f.Asset]; f.Asset != "" && !known {
		return wrongFormat("balance", "is not a balance key")
	}
	if _, ok := pay.NetworkNamed(f.Network); f.Network != "" && !ok {
		return wrongFormat("network", "must be a canonical network name")
	}
	f.apply("balance", f.Asset)
	f.apply("network", f.Network)
	return nil
}

// readDates measures a range without an end up to the end of today (addendum §13).
func (f *statementFilter) readDates(q query, now time.Time) error {
	from, until, err := dateRange(q)
	switch {
	case errors.Is(err, errUnreadableFrom):
		return wrongFormat("date_from", "must be a date written YYYY-MM-DD")
	case errors.Is(err, errUnreadableTo):
		return wrongFormat("date_to", "must be a date written YYYY-MM-DD")
	case err != nil:
		return errDatesReversed
	case !from.IsZero() && tooWide(from, until, now):
		return errDatesTooWide
	}
	f.From, f.Until = from, until
	return nil
}

func tooWide(from, until, now time.Time) bool {
	if until.IsZero() {
		year, month, day := now.In(pay.DayZone).Date()
		until = time.Date(year, month, day+1, 0, 0, 0, 0, pay.DayZone)
	}
	return until.After(from.AddDate(0, 0, maxStatementDays))
}

func (f *statementFilter) readAmounts(q query) (err error) {
	if f.MinAmount, err = f.readAmount(q, "min_amount"); err != nil {
		return err
	}
	if f.MaxAmount, err = f.readAmount(q, "max_amount"); err != nil {
		return err
	}
	if f.MinAmount.Valid && f.MaxAmount.Valid && f.MinAmount.Decimal.GreaterThan(f.MaxAmount.Decimal) {
		return errFilterAmount.With("field", "max_amount")
	}
	return nil
}

// readAmount takes zero too: as an edge it is no amount of money.
func (f *statementFilter) readAmount(q query, name string) (out decimal.NullDecimal, err error) {
	text := q(name)
	if text == "" {
		return out, nil
	}
	amount, found := input.AmountIn(text)
	if found == input.Wrong {
		return out, errFilterAmount.With("field", name)
	}
	f.apply(name, text)
	return decimal.NewNullDecimal(amount), nil
}

func (f *statementFilter) readReference(q query) error {
	f.Reference = q("reference_id")
	if !input.Within(f.Reference, 0, longestReference) {
		return errReferenceLong
	}
	f.apply("reference_id", f.Reference)
	return nil
}

// readMark reads bom. It counts for a CSV only.
func (f *statementFilter) readMark(q query) error {
	switch q("bom") {
	case "1", "true":
		f.bom = true
	case "", "0", "false":
	default:
		return wrongFormat("bom", "must be 1 or 0")
	}
	return nil
}
