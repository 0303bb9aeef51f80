package api

import (
	"errors"
	"time"

	"causeway/internal/pay"
)

// Faults of a date filter; each operation has its own codes for them.
var (
	errUnreadableFrom = errors.New("date_from is unreadable")
	errUnreadableTo   = errors.New("date_to is unreadable")
	errReversedDates  = errors.New("date_from is after date_to")
)

// dateRange reads date_from and date_to: whole days in UTC-03:00, both inclusive. from is the first moment, until the
// first one after; zero when not given (api-v1 §GET /v1/list-payout).
func dateRange(q query) (from, until time.Time, err error) {
	from, err = day(q("date_from"))
	if err != nil {
		return from, until, errUnreadableFrom
	}
	last, err := day(q("date_to"))
	if err != nil {
		return from, until, errUnreadableTo
	}
	if last.IsZero() {
		return from, until, nil
	}
	if from.After(last) {
		return from, until, errReversedDates
	}
	return from, last.AddDate(0, 0, 1), nil
}

// day reads YYYY-MM-DD; nothing at all is the zero time. There is no year 0.
func day(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.ParseInLocation(time.DateOnly, text, pay.DayZone)
	if err == nil && t.Year() < 1 {
		err = errors.New("there is no year 0")
	}
	return t, err
}

// wireTime writes a moment as responses do, in UTC (api-v1 §General conventions 3).
func wireTime(t time.Time) string { return t.UTC().Format(time.DateTime) }

// wireTimeOrNull is wireTime of a moment, null before it has come.
func wireTimeOrNull(t *time.Time) *string {
	if t == nil {
		return nil
	}
	text := wireTime(*t)
	return &text
}
