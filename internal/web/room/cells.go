package room

import (
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/web/pages"
)

// Text is a plain cell.
func Text(s string) Cell { return Cell{Text: s} }

// Pill is a word in a colour.
func Pill(s, mood string) Cell { return Cell{Text: s, Mood: mood} }

// Copied is a long text, shown short and copied whole.
func Copied(s string) Cell {
	if s == "" {
		return Text("–")
	}
	return Cell{Text: Short(s), Full: s, Copy: true, Mono: true}
}

// Whole is a long text, shown and copied whole.
func Whole(s string) Cell {
	if s == "" {
		return Text("–")
	}
	return Cell{Text: s, Copy: true, Mono: true}
}

const shownEnds = 8 // characters of a long text on each side

// Short keeps the ends of a long text.
func Short(s string) string {
	runes := []rune(s)
	if len(runes) <= 2*shownEnds+3 {
		return s
	}
	return string(runes[:shownEnds]) + "…" + string(runes[len(runes)-shownEnds:])
}

const cutAt = 80

// Cut keeps the beginning of a long text.
func Cut(s string) string { return CutTo(s, cutAt) }

// CutTo keeps so many characters of a text.
func CutTo(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most]) + "…"
}

// When is a moment, in UTC.
func When(t time.Time) Cell { return Cell{Text: t.UTC().Format("2006-01-02 15:04:05")} }

// WhenOr is When; without a moment it is the text none.
func WhenOr(t *time.Time, none string) Cell {
	if t == nil {
		return Text(none)
	}
	return When(*t)
}

// Money is an amount with its unit; digits stand in groups of three.
func Money(amount decimal.Decimal, unit string) Cell {
	return Cell{Text: Grouped(amount) + " " + unit, Full: amount.String() + " " + unit}
}

// MoneyOr is Money; without an amount it is the text none.
func MoneyOr(amount decimal.NullDecimal, unit, none string) Cell {
	if !amount.Valid {
		return Text(none)
	}
	return Money(amount.Decimal, unit)
}

// Grouped writes an amount with its digits in groups of three.
func Grouped(amount decimal.Decimal) string { return pages.Grouped(amount.String()) }

// Number writes a count with its digits in groups of three.
func Number(n int64) string { return Grouped(decimal.NewFromInt(n)) }

// Dollars rounds an amount to cents, for reading only.
func Dollars(amount decimal.Decimal) string {
	const cents = 2
	return "$" + pages.Grouped(amount.Truncate(cents).StringFixed(cents))
}

// YesNo says yes or no.
func YesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// Moods say how good a status is.
var Moods = map[string]string{
	"completed": "good", "delivered": "good", "final": "good", "credited": "warn", "seen": "warn",
	"pending": "warn", "queued": "warn", "signed": "warn", "sent": "warn", "mined": "warn",
	"failed": "bad", "refunded": "bad", "reversed": "bad", "exhausted": "bad", "rejected": "bad", "reverted": "bad", "dropped": "bad",
	"unclaimed": "warn", "STATUS_ASSIGNED": "good", "STATUS_REVOKED": "idle", "approved": "good", "declined": "bad",
}

// Status is a status as a pill in its mood.
func Status(s string) Cell {
	mood := Moods[s]
	if mood == "" {
		mood = "idle"
	}
	return Pill(strings.ToLower(strings.TrimPrefix(s, "STATUS_")), mood)
}

// Or answers a text, or another where there is none.
func Or(s *string, none string) string {
	if s == nil || *s == "" {
		return none
	}
	return *s
}

// Query writes an address with parameters; empty ones are left out.
func Query(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// ID reads an id from an address. Anything else is the zero id.
func ID(s string) uuid.UUID {
	parsed, _ := uuid.Parse(s)
	return parsed
}
