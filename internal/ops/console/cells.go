package console

import (
	"strings"
	"time"

	"causeway/internal/ops/admin"
	"causeway/internal/web/room"
)

// The vocabulary of the pages is the room's.
type (
	page   = room.Page
	link   = room.Link
	group  = room.Group
	entry  = room.Entry
	part   = room.Part
	figure = room.Figure
	fact   = room.Fact
	cell   = room.Cell
	table  = room.Table
	column = room.Column
	form   = room.Form
	field  = room.Field
	option = room.Option
	flash  = room.Flash
	chart  = room.Chart
	bar    = room.Bar
	label  = room.Label
)

var (
	text, pill, copied, whole, status      = room.Text, room.Pill, room.Copied, room.Whole, room.Status
	short, cut, cutTo, yesNo, or           = room.Short, room.Cut, room.CutTo, room.YesNo, room.Or
	when, whenOr, moment, momentOr         = room.When, room.WhenOr, room.Moment, room.MomentOr
	money, moneyOr, grouped, number, plain = room.Money, room.MoneyOr, room.Grouped, room.Number, room.Plain
	dollars, query, id, clean              = room.Dollars, room.Query, room.ID, room.Clean
)

// to is a cell with a link below Prefix.
func to(s, path string) cell { return cell{Text: s, Href: Prefix + path} }

func since(t time.Time) string { return admin.Span(time.Since(t).Milliseconds()) + " ago" }

// merchantPocket returns the pocket of a merchant's account of the ledger.
func merchantPocket(account string) (string, bool) {
	rest, ok := strings.CutPrefix(account, "merchant:")
	_, pocket, split := strings.Cut(rest, ":")
	return pocket, ok && split
}
