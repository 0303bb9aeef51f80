package pay

import "cmp"

// Look is what payers' pages show of a merchant beside the name. Empty fields are not shown.
type Look struct {
	Logo    string `json:"logo,omitempty"`    // the hash of a picture of the merchant
	Colour  string `json:"colour,omitempty"`  // rrggbb
	Support string `json:"support,omitempty"` // an e-mail address, or the address of a page
	Sites   string `json:"-"`                 // origins of pages with these in a frame, with spaces between
}

// With is the look with a colour and a support address of one request. Empty ones leave the merchant's.
func (l Look) With(colour, support string) Look {
	l.Colour, l.Support = cmp.Or(colour, l.Colour), cmp.Or(support, l.Support)
	return l
}
