package pay

// Look is what payers' pages show of a merchant beside the name. Empty fields are not shown.
type Look struct {
	Logo    string `json:"logo,omitempty"`    // the hash of a picture of the merchant
	Colour  string `json:"colour,omitempty"`  // rrggbb
	Support string `json:"support,omitempty"` // an e-mail address, or the address of a page
	Sites   string `json:"-"`                 // origins of pages with these in a frame, with spaces between
}
