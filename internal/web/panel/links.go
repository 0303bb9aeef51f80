package panel

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/web/qr"
	"causeway/internal/web/room"
)

// Links makes payment links.
type Links interface {
	// Make records the link of a form once, with its audit row. A people.Refusal says for certain that nothing was recorded.
	Make(ctx context.Context, f *pay.LinkForm) (*pay.PaymentLink, error)
}

// links lists the payment links of the merchant, newest first.
func links(v *visit) (*room.Page, error) {
	found, err := v.panel.Store.PaymentLinksOf(v.Context(), v.Merchant, room.ID(v.Below()), v.Limit())
	if err != nil {
		return nil, err
	}
	found, rest := room.Fitting(v.Asked, found, func(l *pay.PaymentLink) string { return l.ID.String() })
	rows := make([][]room.Cell, len(found))
	for i := range found {
		l := &found[i]
		made := room.When(l.CreatedAt)
		made.Href = Prefix + "links/" + l.ID.String()
		rows[i] = []room.Cell{made, room.Text(room.Cut(l.Label)), linkAmount(l), linkState(l), room.Copied(v.panel.LinkPage(l.Slug)), room.Text(maker(l.KeyID))}
	}
	t := v.Paged([]room.Column{{Name: "Created"}, {Name: "For"}, {Name: "Amount", Right: true}, {Name: "Status"}, {Name: "Address"}, {Name: "Made by", Wide: true}}, rows, rest)
	t.File = room.SheetOf(found, "created_at_utc slug label amount min_amount max_amount currency made_by ended_at_utc", func(l *pay.PaymentLink) []string {
		return []string{room.Moment(l.CreatedAt), l.Slug, l.Label, room.Plain(l.Amount), room.Plain(l.Least), room.Plain(l.Most), l.Currency, maker(l.KeyID), room.MomentOr(l.EndedAt)}
	})
	t.Empty = "No payment links yet."
	out := &room.Page{Title: "Payment links", Section: "Payment links", List: t, Parts: []room.Part{{Table: t,
		Note: "A link can be used by any number of payers. Each of them makes a payment request of their own."}}}
	if v.May(people.Deposit) {
		out.Parts[0].Links = []room.Link{{Text: "New payment link", Href: Prefix + "links/new"}}
	}
	return out, nil
}

// linkAmount is what a payer of a link pays.
func linkAmount(l *pay.PaymentLink) room.Cell {
	switch {
	case l.Amount.Valid:
		return room.Money(l.Amount.Decimal, l.Currency)
	case l.Least.Valid && l.Most.Valid:
		return room.Text(room.Grouped(l.Least.Decimal) + " to " + room.Money(l.Most.Decimal, l.Currency).Text)
	case l.Least.Valid:
		return room.Text("from " + room.Money(l.Least.Decimal, l.Currency).Text)
	case l.Most.Valid:
		return room.Text("up to " + room.Money(l.Most.Decimal, l.Currency).Text)
	}
	return room.Text("any amount in " + l.Currency)
}

func linkState(l *pay.PaymentLink) room.Cell {
	if l.EndedAt != nil {
		return room.Pill("ended", "idle")
	}
	return room.Pill("works", "good")
}

// newLink asks for what a payment link needs.
func newLink(v *visit) (*room.Page, error) { return linkForm(v, "") }

// linkForm is the form of a payment link as it is typed so far, below the reason for a refusal.
func linkForm(v *visit, why string) (*room.Page, error) {
	out := &room.Page{Title: "New payment link", Section: "Payment links", Up: &room.Link{Text: "Payment links", Href: Prefix + "links"}}
	if !v.May(people.Deposit) {
		out.Parts = []room.Part{{Note: "Your role can view payment links but not make them."}}
		return out, nil
	}
	fields, err := v.askedFields()
	if err != nil {
		return nil, err
	}
	for i := range fields {
		if f := &fields[i]; f.Name == "amount" {
			f.Required, f.Hint = false, "leave it empty to let the payer say it"
		} else if f.Name == "label" {
			f.Hint = "the payers see it"
		}
	}
	fields = append([]room.Field{{Name: "form", Kind: "hidden", Value: uuid.Must(uuid.NewV7()).String()}}, fields...)
	out.Parts = refused(why, room.Part{Note: "Anyone with the address can pay. The payins bear the rate of deposits in the panel.",
		Forms: []room.Form{{Action: Prefix + "links", Verb: "Make the link", Back: Prefix + "links/new", Fields: v.typed(append(fields,
			room.Field{Name: "least", Label: "Least amount of a payer", Kind: "text", Hint: "only without an amount"},
			room.Field{Name: "most", Label: "Greatest amount of a payer", Kind: "text", Hint: "only without an amount"},
			room.Field{Name: "slug", Label: "End of the address", Kind: "text", Hint: "small letters, digits and dashes; leave it empty for a random one"}))}}})
	return out, nil
}

// makeLink records the link of a form. The same form leads to the same link.
func makeLink(v *visit) (outcome, error) {
	form := room.ID(v.given("form"))
	if form == uuid.Nil {
		return outcome{}, people.Refusal("this form has expired: begin again")
	}
	l, err := v.panel.Links.Make(v.Context(), &pay.LinkForm{RequestForm: v.asked(form), Slug: v.given("slug"), Least: v.given("least"), Most: v.given("most")})
	if why, no := refusal(err); no {
		shown, err := linkForm(v, why)
		return outcome{show: shown}, err
	}
	if err != nil {
		return outcome{}, err
	}
	return outcome{said: "The payment link works.", to: "links/" + l.ID.String()}, nil
}

// paymentLink reads a link of the merchant; pay.ErrNotFound when it is another's.
func (v *visit) paymentLink() (*pay.PaymentLink, error) {
	l, err := v.panel.Store.PaymentLink(v.Context(), room.ID(v.PathValue("id")))
	if err == nil && l.MerchantID != v.Merchant {
		err = pay.ErrNotFound
	}
	return l, err
}

// linkPage shows a link of the merchant.
func linkPage(v *visit) (*room.Page, error) {
	l, err := v.paymentLink()
	if err != nil {
		return nil, err
	}
	out := &room.Page{Title: l.Label, Section: "Payment links", Up: &room.Link{Text: "Payment links", Href: Prefix + "links"}, Tags: []room.Cell{linkState(l)}}
	if l.EndedAt == nil {
		link, err := linkPart(v.panel.LinkPage(l.Slug), "Print the code, or send the address to whoever is to pay.")
		if err != nil {
			return nil, err
		}
		link.Links = []room.Link{{Text: "Download the code (SVG)", Href: Prefix + "links/" + l.ID.String() + "/code.svg"}}
		out.Parts = append(out.Parts, link)
	}
	out.Parts = append(out.Parts, room.Part{Facts: []room.Fact{
		{Name: "Amount", Cell: linkAmount(l)},
		{Name: "Description", Cell: room.Text(room.Or(&l.Description, "–"))},
		{Name: "Can be paid with", Cell: room.Text(offersText(l.Offers))},
		{Name: "Page after a payment", Cell: room.Whole(l.ReturnURL)},
		{Name: "Page without a payment", Cell: room.Whole(l.CancelURL)},
		{Name: "Colour of its pages", Cell: colourCell(l.Colour)},
		{Name: "Where the payer asks", Cell: supportCell(l.Support)},
		{Name: "Made by", Cell: room.Text(maker(l.KeyID))},
		{Name: "Created", Cell: room.When(l.CreatedAt)},
		{Name: "Ended", Cell: room.WhenOr(l.EndedAt, "–")},
	}})
	if v.May(people.Deposit) && l.EndedAt == nil {
		out.Parts = append(out.Parts, room.Part{Forms: []room.Form{{Action: Prefix + "links/" + l.ID.String() + "/end", Verb: "End the link", Danger: true,
			Confirm: "End this link? Its address will never work again.", Note: "What payers have chosen before can still be paid until it expires."}}})
	}
	return out, nil
}

// endLink ends a link for good. Requests that payers have made by it go on.
func endLink(v *visit) (outcome, error) {
	l, err := v.paymentLink()
	if err != nil {
		return outcome{}, err
	}
	return outcome{said: "The link was ended."}, v.admin().EndLink(v.Context(), v.Merchant, l.ID)
}

// linkCode answers the QR code of a link as a picture to keep.
func (p *Panel) linkCode(w http.ResponseWriter, whole *http.Request) {
	r, cancel := bounded(whole)
	defer cancel()
	v, ok := p.enter(w, r)
	if !ok {
		return
	}
	l, err := v.paymentLink() //nolint:contextcheck // a visit has the context of its request
	if err != nil {
		p.failed(w, r, err)
		return
	}
	drawn, err := qr.Make(p.LinkPage(l.Slug))
	if err != nil {
		p.failed(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Content-Disposition", `attachment; filename="`+l.Slug+`.svg"`)
	_, _ = fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[1]d" shape-rendering="crispEdges"><rect width="%[1]d" height="%[1]d" fill="#fff"/><path d="%[2]s"/></svg>`,
		drawn.Size, drawn.Path) // the reader has gone
}
