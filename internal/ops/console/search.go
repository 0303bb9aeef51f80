package console

import (
	"causeway/internal/lists"
)

// search finds everything named by a word, and goes there when it is one thing.
func search(v *visit) (*page, error) {
	word := v.Ask("q")
	out := &page{Title: "Search"}
	if word == "" {
		out.Parts = []part{{Note: "Search for an ID, a reference, an address, a transaction, a customer, a key ID or a merchant's name."}}
		return out, nil
	}
	const most = 20
	found, err := lists.Search(v.Context(), v.Store, word, most)
	if err != nil {
		return nil, err
	}
	t := &table{Columns: []column{{Name: "Type"}, {Name: "Match"}, {Name: "Time"}},
		Empty: "No results for “" + word +
			"”. Enter at least the first four characters of a reference, address, transaction or key. Only the newest 100 000 payouts are found by address."}
	for _, h := range found {
		t.Rows = append(t.Rows, []cell{pill(h.Kind, "idle"), {Text: h.Title, Sub: h.Sub, Href: hitAt(&h)}, when(h.At)})
	}
	out.Title = "Search for " + word
	out.Parts = []part{{Table: t}}
	return out, nil
}

// hitAt returns the page of a hit.
func hitAt(h *lists.Hit) string {
	switch h.Kind {
	case "payout", "payin":
		return Prefix + h.Kind + "s/" + h.ID
	case "delivery":
		return Prefix + "webhooks/" + h.ID
	case "merchant", "key":
		return Prefix + "merchants/" + h.ID
	case "transfer":
		if h.ID != "" {
			return Prefix + "payins/" + h.ID
		}
		return Prefix + "unclaimed"
	default:
		return query(Prefix+"wallets", "merchant", h.ID)
	}
}
