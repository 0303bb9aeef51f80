package api

import (
	"causeway/api/input"
	"causeway/internal/web/look"
)

// colourOf reads the colour of a request's pages as rrggbb; "" when there is none.
func colourOf(o input.Object, wrong input.FieldErrors) string {
	text, found := o.Text("colour")
	if found == input.Absent || found == input.Given && text == "" {
		return ""
	}
	colour, ok := look.ReadColour(text)
	if found == input.Wrong || !ok {
		wrong.Add("colour", input.NotText(o, "colour", "must be written as #rrggbb"))
	}
	return colour.String()
}

// supportOf reads where a payer of a request asks; "" when there is nothing.
func supportOf(o input.Object, wrong input.FieldErrors) string {
	text, found := o.Text("support")
	if found == input.Wrong || found == input.Given && !look.IsSupport(text) {
		wrong.Add("support", input.NotText(o, "support", "must be an e-mail address, or the address of a page that begins with https://"))
	}
	return text
}

// wireColour is a colour as answers have it.
func wireColour(rrggbb string) string {
	if rrggbb == "" {
		return ""
	}
	return "#" + rrggbb
}
