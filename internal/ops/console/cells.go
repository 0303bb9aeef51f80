package console

import (
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/ops/admin"
	"causeway/internal/web/pages"
)

// text is a plain cell.
func text(s string) cell { return cell{Text: s} }

// to is a cell with a link below Prefix.
func to(s, path string) cell { return cell{Text: s, Href: Prefix + path} }

// pill is a word in a colour.
func pill(s, mood string) cell { return cell{Text: s, Mood: mood} }

// copied is a long text, shown short and copied whole.
func copied(s string) cell {
	if s == "" {
		return text("–")
	}
	return cell{Text: short(s), Full: s, Copy: true, Mono: true}
}

// whole is a long text, shown and copied whole.
func whole(s string) cell {
	if s == "" {
		return text("–")
	}
	return cell{Text: s, Copy: true, Mono: true}
}

const shownEnds = 8 // characters of a long text on each side

func short(s string) string {
	runes := []rune(s)
	if len(runes) <= 2*shownEnds+3 {
		return s
	}
	return string(runes[:shownEnds]) + "…" + string(runes[len(runes)-shownEnds:])
}

const cutAt = 80

func cut(s string) string { return cutTo(s, cutAt) }

func cutTo(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most]) + "…"
}

// when is a moment, in UTC.
func when(t time.Time) cell { return cell{Text: t.UTC().Format("2006-01-02 15:04:05")} }

func whenOr(t *time.Time, none string) cell {
	if t == nil {
		return text(none)
	}
	return when(*t)
}

// money is an amount with its unit; digits stand in groups of three.
func money(amount decimal.Decimal, unit string) cell {
	return cell{Text: grouped(amount) + " " + unit, Full: amount.String() + " " + unit}
}

func moneyOr(amount decimal.NullDecimal, unit, none string) cell {
	if !amount.Valid {
		return text(none)
	}
	return money(amount.Decimal, unit)
}

func grouped(amount decimal.Decimal) string { return pages.Grouped(amount.String()) }

func number(n int64) string { return grouped(decimal.NewFromInt(n)) }

// dollars rounds an amount to cents, for reading only.
func dollars(amount decimal.Decimal) string {
	const cents = 2
	return "$" + pages.Grouped(amount.Truncate(cents).StringFixed(cents))
}

func since(t time.Time) string { return admin.Span(time.Since(t).Milliseconds()) + " ago" }

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// moods say how good a status is.
var moods = map[string]string{
	"completed": "good", "delivered": "good", "final": "good", "credited": "warn", "seen": "warn",
	"pending": "warn", "queued": "warn", "signed": "warn", "sent": "warn", "mined": "warn",
	"failed": "bad", "refunded": "bad", "reversed": "bad", "exhausted": "bad", "rejected": "bad", "reverted": "bad", "dropped": "bad",
	"unclaimed": "warn", "STATUS_ASSIGNED": "good", "STATUS_REVOKED": "idle", "approved": "good", "declined": "bad",
}

func status(s string) cell {
	mood := moods[s]
	if mood == "" {
		mood = "idle"
	}
	return pill(strings.ToLower(strings.TrimPrefix(s, "STATUS_")), mood)
}

// or answers a text, or another where there is none.
func or(s *string, none string) string {
	if s == nil || *s == "" {
		return none
	}
	return *s
}

// query writes an address with parameters; empty ones are left out.
func query(path string, pairs ...string) string {
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

// id reads an id from an address. Anything else is the zero id.
func id(s string) uuid.UUID {
	parsed, _ := uuid.Parse(s)
	return parsed
}

// merchantPocket returns the pocket of a merchant's account of the ledger.
func merchantPocket(account string) (string, bool) {
	rest, ok := strings.CutPrefix(account, "merchant:")
	_, pocket, split := strings.Cut(rest, ":")
	return pocket, ok && split
}
