package panel

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/web/qr"
	"causeway/internal/web/room"
)

// Requests makes payment requests.
type Requests interface {
	// Currencies returns the fiat currencies that a request may ask for, and the tokens with their networks that it may offer.
	Currencies(ctx context.Context) (fiats []string, offers []pay.Offer, err error)
	// Make records the request of a form once, with its audit row. A people.Refusal says for certain that nothing was recorded.
	Make(ctx context.Context, f *pay.RequestForm) (*pay.PaymentRequest, error)
}

// paymentRequests lists the payment requests of the merchant, newest first.
func paymentRequests(v *visit) (*room.Page, error) {
	found, err := v.panel.Store.PaymentRequestsOf(v.Context(), v.Merchant, room.ID(v.Below()), v.Limit())
	if err != nil {
		return nil, err
	}
	found, rest := room.Fitting(v.Asked, found, func(q *pay.PaymentRequest) string { return q.ID.String() })
	ids := make([]uuid.UUID, len(found))
	for i := range found {
		ids[i] = found[i].ID
	}
	choices, err := v.panel.Store.ChoicesOf(v.Context(), ids...)
	if err != nil {
		return nil, err
	}
	now, err := v.panel.Store.Now(v.Context())
	if err != nil {
		return nil, err
	}
	rows := make([][]room.Cell, len(found))
	for i := range found {
		q := &found[i]
		made := room.When(q.CreatedAt)
		made.Href = Prefix + "payment-requests/" + q.ID.String()
		rows[i] = []room.Cell{made, room.Money(q.Amount, q.Currency), room.Text(room.Cut(q.Called())), requestState(q, choices[q.ID], now),
			room.Text(maker(q.KeyID)), room.When(q.ExpiresAt)}
	}
	t := v.Paged([]room.Column{{Name: "Created"}, {Name: "Amount", Right: true}, {Name: "For"}, {Name: "Status"}, {Name: "Made by", Wide: true},
		{Name: "Expires", Wide: true}}, rows, rest)
	t.File = room.SheetOf(found, "internal_reference created_at_utc reference_id label amount currency status made_by customer_email expires_at_utc",
		func(q *pay.PaymentRequest) []string {
			return []string{q.ID.String(), room.Moment(q.CreatedAt), q.ReferenceID, q.Label, q.Amount.String(), q.Currency,
				string(q.Status(choices[q.ID], now)), maker(q.KeyID), q.Email, room.Moment(q.ExpiresAt)}
		})
	t.Empty = "No payment requests yet."
	out := &room.Page{Title: "Payment requests", Section: "Payment requests", List: t, Parts: []room.Part{{Table: t}}}
	if v.May(people.Deposit) {
		out.Parts[0].Links = []room.Link{{Text: "New payment request", Href: Prefix + "payment-requests/new"}}
	}
	return out, nil
}

// requestState is where a request stands.
func requestState(q *pay.PaymentRequest, choices []pay.Choice, now time.Time) room.Cell {
	status := q.Status(choices, now)
	moods := map[pay.RequestStatus]string{pay.RequestOpen: "warn", pay.RequestPending: "warn", pay.RequestPaid: "good", pay.RequestExpired: "idle"}
	return room.Pill(string(status), moods[status])
}

// maker names whoever made something: a person, or the key of a program.
func maker(key string) string {
	if email, person := pay.OfPanel(key); person {
		return email
	}
	return "key " + key
}

// paymentRequest reads a request of the merchant; pay.ErrNotFound when it is another's.
func (v *visit) paymentRequest(id uuid.UUID) (*pay.PaymentRequest, error) {
	q, err := v.panel.Store.PaymentRequest(v.Context(), id)
	if err == nil && q.MerchantID != v.Merchant {
		err = pay.ErrNotFound
	}
	return q, err
}

// requestPage shows a request of the merchant with its link and its payins.
func requestPage(v *visit) (*room.Page, error) {
	q, err := v.paymentRequest(room.ID(v.PathValue("id")))
	if err != nil {
		return nil, err
	}
	choices, err := v.panel.Store.Choices(v.Context(), q.ID)
	if err != nil {
		return nil, err
	}
	now, err := v.panel.Store.Now(v.Context())
	if err != nil {
		return nil, err
	}
	out := &room.Page{Title: "Request for " + room.Money(q.Amount, q.Currency).Text, Section: "Payment requests",
		Up: &room.Link{Text: "Payment requests", Href: Prefix + "payment-requests"}, Tags: []room.Cell{requestState(q, choices, now)}}
	status := q.Status(choices, now)
	if status == pay.RequestOpen || status == pay.RequestPending {
		link, err := linkPart(v.panel.RequestPage(q.ID), "Send this link to the payer, or let them scan it.")
		if err != nil {
			return nil, err
		}
		out.Parts = append(out.Parts, link)
	}
	out.Parts = append(out.Parts, room.Part{Facts: requestFacts(q)}, itemsPart(q), chosenPart(choices))
	if v.May(people.Deposit) && now.Before(q.ExpiresAt) {
		out.Parts = append(out.Parts, room.Part{Forms: []room.Form{{Action: Prefix + "payment-requests/" + q.ID.String() + "/end", Verb: "End the request", Danger: true,
			Confirm: "End this request? Nothing more can be chosen for it.", Note: "What was chosen before can still be paid until it expires."}}})
	}
	return out, nil
}

// linkPart shows the address of a payer's page, and its QR code.
func linkPart(address, note string) (room.Part, error) {
	drawn, err := qr.Make(address)
	return room.Part{Heading: "Link", Half: true, Note: note, Code: drawn, Facts: []room.Fact{{Name: "Address", Cell: room.Whole(address)}}}, err
}

func requestFacts(q *pay.PaymentRequest) []room.Fact {
	return []room.Fact{
		{Name: "For", Cell: room.Text(q.Called())},
		{Name: "Description", Cell: room.Text(room.Or(&q.Description, "–"))},
		{Name: "Customer's e-mail", Cell: room.Whole(q.Email)},
		{Name: "Customer", Cell: room.Text(room.Or(q.CustomerInfo, "–"))},
		{Name: "Can be paid with", Cell: room.Text(offersText(q.Offers))},
		{Name: "Page after a payment", Cell: room.Whole(q.ReturnURL)},
		{Name: "Page without a payment", Cell: room.Whole(q.CancelURL)},
		{Name: "Colour of its pages", Cell: colourCell(q.Colour)},
		{Name: "Where the payer asks", Cell: supportCell(q.Support)},
		{Name: "Made by", Cell: room.Text(maker(q.KeyID))},
		{Name: "Reference", Cell: room.Whole(q.ReferenceID)},
		{Name: "Internal reference", Cell: room.Whole(q.ID.String())},
		{Name: "Created", Cell: room.When(q.CreatedAt)},
		{Name: "Expires", Cell: room.When(q.ExpiresAt)},
	}
}

// offersText names what can be chosen.
func offersText(offers []pay.Offer) string {
	if len(offers) == 0 {
		return "everything"
	}
	names := make([]string, len(offers))
	for i, o := range offers {
		names[i] = o.Token + " on " + o.Network
	}
	return strings.Join(names, ", ")
}

func itemsPart(q *pay.PaymentRequest) room.Part {
	if len(q.Items) == 0 {
		return room.Part{}
	}
	t := &room.Table{Columns: []room.Column{{Name: "Item"}, {Name: "Quantity", Right: true}, {Name: "Amount of one", Right: true}}}
	for _, i := range q.Items {
		amount := "–"
		if i.Amount != "" {
			amount = i.Amount + " " + q.Currency
		}
		t.Rows = append(t.Rows, []room.Cell{room.Text(i.Name), room.Text(room.Number(i.Quantity)), room.Text(amount)})
	}
	return room.Part{Heading: "Items", Table: t}
}

// chosenPart lists the payins that were chosen for a request.
func chosenPart(choices []pay.Choice) room.Part {
	t := &room.Table{Columns: []room.Column{{Name: "Payin"}, {Name: "Token"}, {Name: "Network"}, {Name: "Status"}}, Empty: "Nothing was chosen yet."}
	for i := range choices {
		c := &choices[i]
		t.Rows = append(t.Rows, []room.Cell{{Text: room.Short(c.PayinID.String()), Full: c.PayinID.String(), Href: Prefix + "payins/" + c.PayinID.String()},
			room.Text(c.Token), room.Text(c.Network), room.Status(string(c.Status))})
	}
	return room.Part{Heading: "Payins", Table: t}
}

// endRequest ends the choices of a request. Payins that were chosen go on.
func endRequest(v *visit) (outcome, error) {
	q, err := v.paymentRequest(room.ID(v.PathValue("id")))
	if err != nil {
		return outcome{}, err
	}
	return outcome{said: "The request was ended."}, v.admin().EndRequest(v.Context(), v.Merchant, q.ID)
}
