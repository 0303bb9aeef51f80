package room

import (
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// Sheet is a list as its CSV has it: columns of its own with plain values, for programs to read. A number is a decimal without
// groups or unit, a moment is in UTC in a column ending with _utc, and an absent value is empty.
type Sheet struct {
	Columns []string
	Lines   [][]string
}

// SheetOf writes a line for each row; columns stand apart by spaces.
func SheetOf[T any](rows []T, columns string, line func(*T) []string) *Sheet {
	out := &Sheet{strings.Fields(columns), make([][]string, len(rows))}
	for i := range rows {
		out.Lines[i] = line(&rows[i])
	}
	return out
}

// Plain writes an amount for a program; without an amount it is empty.
func Plain(d decimal.NullDecimal) string {
	if !d.Valid {
		return ""
	}
	return d.Decimal.String()
}

// Moment writes a moment in UTC.
func Moment(t time.Time) string { return When(t).Text }

// MomentOr is Moment; without a moment it is empty.
func MomentOr(t *time.Time) string { return WhenOr(t, "").Text }
