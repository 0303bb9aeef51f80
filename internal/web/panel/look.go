package panel

import (
	"errors"
	"io"
	"net/http"

	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/web/look"
	"causeway/internal/web/room"
)

// lookPage shows how the payers' pages look, with the acts of an owner.
func lookPage(v *visit) (*room.Page, error) {
	shown, err := v.panel.Store.LookOf(v.Context(), v.Merchant)
	if err != nil {
		return nil, err
	}
	kept, err := v.panel.Store.Logos(v.Context(), v.Merchant)
	if err != nil {
		return nil, err
	}
	colour := shown.Colour
	if colour != "" {
		colour = "#" + colour
	}
	out := &room.Page{Title: "Payers' pages", Section: "Payers' pages"}
	first := room.Part{Note: "Payers see this on the pages of your payins, payment requests, payment links and refunds.", Half: true,
		Facts: []room.Fact{{Name: "Logo", Cell: room.Copied(shown.Logo)}, {Name: "Colour", Cell: room.Text(room.Or(&colour, "ours"))},
			{Name: "Support", Cell: room.Whole(shown.Support)}}}
	if v.May(people.Shop) {
		first.Forms = []room.Form{{Action: Prefix + "look", Verb: "Save", Fields: []room.Field{logoField(&shown, kept),
			{Name: "colour", Label: "Colour", Kind: "text", Value: colour, Hint: "as #0f766e; it is made darker or lighter where it could not be read"},
			{Name: "support", Label: "Support", Kind: "text", Value: shown.Support, Hint: "an e-mail address or https://…"}}}}
	}
	sites, err := sitesPart(v)
	if err != nil {
		return nil, err
	}
	receipts, err := receiptsPart(v)
	out.Parts = []room.Part{first, logosPart(v, kept), receipts, sites}
	return out, err
}

// asEverywhere stands for the merchant's own look, in a request or link.
const asEverywhere = "as on all payers' pages"

// colourCell shows the colour of a request or link.
func colourCell(rrggbb string) room.Cell {
	if rrggbb == "" {
		return room.Text(asEverywhere)
	}
	return room.Text("#" + rrggbb)
}

// supportCell shows where the payers of a request or link ask.
func supportCell(address string) room.Cell {
	if address == "" {
		return room.Text(asEverywhere)
	}
	return room.Whole(address)
}

func logoField(shown *pay.Look, kept []string) room.Field {
	f := room.Field{Name: "logo", Label: "Logo", Kind: "select", Options: []room.Option{{Text: "none"}}}
	for _, hash := range kept {
		f.Options = append(f.Options, room.Option{Value: hash, Text: room.Short(hash), Chosen: hash == shown.Logo})
	}
	return f
}

// logosPart lists the pictures that the merchant keeps. A program names one of them for a request by its hash.
func logosPart(v *visit, kept []string) room.Part {
	t := &room.Table{Columns: []room.Column{{Name: "Logo"}, {Name: "Picture"}, {Name: ""}}, Empty: "No logos yet."}
	for _, hash := range kept {
		row := []room.Cell{room.Copied(hash), {Text: "view", Href: v.panel.LogoPath(hash)}, {}}
		if v.May(people.Shop) {
			row[2] = room.Cell{Forms: []room.Form{{Action: Prefix + "look/logo/" + hash + "/remove", Verb: "Remove", Danger: true, Confirm: "Remove this logo? Pages that show it will show none."}}}
		}
		t.Rows = append(t.Rows, row)
	}
	out := room.Part{Heading: "Logos", Half: true, Table: t}
	if v.May(people.Shop) {
		out.Forms = []room.Form{{Action: Prefix + "look/logo", Verb: "Add a logo", File: true, Note: "PNG, JPEG or WebP of at most 64 KiB, 16 to 2048 pixels wide and high.",
			Fields: []room.Field{{Name: "file", Label: "Picture", Kind: "file", Required: true}}}}
	}
	return out
}

// setLook changes how the payers' pages look.
func setLook(v *visit) (outcome, error) {
	return outcome{said: "The payers' pages look so from now on."}, v.admin().SetLook(v.Context(), v.Merchant,
		pay.Look{Logo: v.given("logo"), Colour: v.given("colour"), Support: v.given("support")})
}

// addLogo keeps a picture. It is not shown before it is chosen.
func addLogo(v *visit) (outcome, error) {
	file, _, err := v.FormFile("file")
	if errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart) {
		return outcome{}, people.Refusal("choose a file")
	}
	if err != nil {
		return outcome{}, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, look.LargestLogo+1))
	if err != nil {
		return outcome{}, err
	}
	if _, err := v.admin().AddLogo(v.Context(), v.Merchant, content); err != nil {
		return outcome{}, err
	}
	return outcome{said: "The logo was added. Choose it to show it."}, nil
}

func dropLogo(v *visit) (outcome, error) {
	return outcome{said: "The logo was removed."}, v.admin().DropLogo(v.Context(), v.Merchant, room.Clean(v.PathValue("hash")))
}
