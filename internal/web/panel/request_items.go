package panel

import (
	"strconv"

	"causeway/internal/pay"
	"causeway/internal/web/room"
)

// The form of a payment request has a few rows for items, and gets as many again when asked.
const (
	itemRows     = 3
	mostItemRows = 50
)

// moreRows is the value of the button for more rows.
const moreRows = "more-rows"

// typedItems reads the rows of a form, the empty ones too.
func (v *visit) typedItems() []pay.AskedItem {
	names, quantities, amounts := v.PostForm["item_name"], v.PostForm["item_quantity"], v.PostForm["item_amount"]
	at := func(list []string, i int) string {
		if i < len(list) {
			return room.Clean(list[i])
		}
		return ""
	}
	out := make([]pay.AskedItem, min(max(len(names), len(quantities), len(amounts)), mostItemRows+1))
	for i := range out {
		out[i] = pay.AskedItem{Name: at(names, i), Quantity: at(quantities, i), Amount: at(amounts, i)}
	}
	return out
}

// filled leaves empty rows out.
func filled(rows []pay.AskedItem) (out []pay.AskedItem) {
	for _, r := range rows {
		if r != (pay.AskedItem{}) {
			out = append(out, r)
		}
	}
	return out
}

// itemFields are rows of a form: those typed, and empty ones up to a number.
func itemFields(typed []pay.AskedItem, rows int) []room.Field {
	rows = min(max(rows, len(typed)), mostItemRows)
	out := make([]room.Field, rows)
	for i := range out {
		var t pay.AskedItem
		if i < len(typed) {
			t = typed[i]
		}
		out[i] = room.Field{Kind: "row", Label: "Item " + strconv.Itoa(i+1), Row: []room.Field{
			{Name: "item_name", Label: "Name", Kind: "text", Value: t.Name},
			{Name: "item_quantity", Label: "Quantity", Kind: "text", Value: t.Quantity, Hint: "empty is 1"},
			{Name: "item_amount", Label: "Amount of one", Kind: "text", Value: t.Amount, Hint: "may be empty"}}}
	}
	return out
}
