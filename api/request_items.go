package api

import (
	"net/mail"
	"strings"
	"unicode"

	"causeway/api/input"
	"causeway/internal/pay"
)

const (
	mostItems       = 50
	longestItem     = 200 // characters of a name
	largestQuantity = 1_000_000
	longestEmail    = 254
)

// RequestItem is an item of a request as it is documented; itemIn is how it is read.
type RequestItem struct {
	Name     string `json:"name" required:"true" maxLength:"200"`
	Quantity *int64 `json:"quantity,omitempty" minimum:"1" maximum:"1000000"`
	Amount   any    `json:"amount,omitempty"`
}

// customerEmail reads customer_email; "" when there is none.
func customerEmail(o input.Object, wrong input.FieldErrors) string {
	text, found := o.Text("customer_email")
	if text = strings.TrimSpace(text); found == input.Wrong || text != "" && !isEmail(text) {
		wrong.Add("customer_email", input.NotText(o, "customer_email", "must be one e-mail address of at most 254 characters"))
	}
	return text
}

// isEmail reports whether a text is one bare address, which can stand in a header of a mail.
func isEmail(text string) bool {
	if len(text) > longestEmail || strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsControl(r) || unicode.IsSpace(r) }) {
		return false
	}
	a, err := mail.ParseAddress(text)
	return err == nil && a.Name == "" && a.Address == text
}

// paidFor reads items: a list of objects with a name, a quantity and the amount of one.
func paidFor(o input.Object, wrong input.FieldErrors) []pay.Item {
	out := []pay.Item{}
	raw := o.Raw("items")
	if len(raw) == 0 || string(raw) == "null" {
		return out
	}
	items, ok := input.ListIn(raw)
	if !ok || len(items) > mostItems {
		wrong.Add("items", "must be a list of at most 50 objects")
		return out
	}
	for _, item := range items {
		one, ok := input.ObjectIn(item)
		if !ok {
			wrong.Add("items", "each must be an object")
			return out
		}
		read, why := itemIn(one)
		if why != "" {
			wrong.Add("items", why)
			return out
		}
		out = append(out, read)
	}
	return out
}

// itemIn reads one item; why says what is wrong with it. Without a quantity it is one.
func itemIn(o input.Object) (out pay.Item, why string) {
	name, named := o.Text("name")
	out.Name = strings.TrimSpace(name)
	if named != input.Given || !input.Within(out.Name, 1, longestItem) || strings.ContainsFunc(out.Name, unicode.IsControl) {
		return out, "each must have a name of 1 to 200 characters on one line"
	}
	quantity, counted := o.Integer("quantity")
	if counted == input.Absent {
		quantity, counted = 1, input.Given
	}
	if out.Quantity = quantity; counted != input.Given || quantity < 1 || quantity > largestQuantity {
		return out, "a quantity must be a whole number from 1 to 1000000"
	}
	switch amount, found := o.Amount("amount"); found {
	case input.Given:
		out.Amount = amount.String()
	case input.Wrong:
		return out, "an amount must be a plain decimal such as 12.5"
	case input.Zero:
		out.Amount = "0"
	}
	return out, ""
}
