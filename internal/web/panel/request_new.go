package panel

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/web/room"
)

// newRequest asks for what a payment request needs.
func newRequest(v *visit) (*room.Page, error) { return requestForm(v, "") }

// requestForm is the form of a payment request as it is typed so far, below the reason for a refusal.
func requestForm(v *visit, why string) (*room.Page, error) {
	out := &room.Page{Title: "New payment request", Section: "Payment requests", Up: &room.Link{Text: "Payment requests", Href: Prefix + "payment-requests"}}
	if !v.May(people.Deposit) {
		out.Parts = []room.Part{{Note: "Your role can view payment requests but not make them."}}
		return out, nil
	}
	fields, err := v.askedFields()
	if err != nil {
		return nil, err
	}
	fields = append([]room.Field{{Name: "form", Kind: "hidden", Value: uuid.Must(uuid.NewV7()).String()}}, fields...)
	fields = v.typed(append(fields, room.Field{Name: "customer", Label: "Customer's e-mail", Kind: "text", Hint: "for you alone; may be empty"}, lifetimeField()))
	rows, typed := itemRows, v.typedItems()
	if v.given("do") == moreRows {
		rows = len(typed) + itemRows
	}
	out.Parts = refused(why, room.Part{Note: "The payer gets a link to a page and chooses there what to pay with. Its payins bear the rate of deposits in the panel. " +
		"Items are shown to the payer, and not added up.",
		Forms: []room.Form{{Action: Prefix + "payment-requests", Verb: "Make the request", Back: Prefix + "payment-requests/new",
			Fields: append(fields, itemFields(typed, rows)...), Other: room.Option{Value: moreRows, Text: "More items"}}}})
	return out, nil
}

// refused is a form below the reason why it was not taken.
func refused(why string, form room.Part) []room.Part {
	if why == "" {
		return []room.Part{form}
	}
	return []room.Part{{Note: why, Mood: "bad"}, form}
}

// typed fills the fields of a form again, as they were sent.
func (v *visit) typed(fields []room.Field) []room.Field {
	if v.Method != http.MethodPost {
		return fields
	}
	for i := range fields {
		f := &fields[i]
		if f.Options == nil {
			f.Value = v.given(f.Name)
		}
		for o := range f.Options {
			f.Options[o].Chosen = slices.Contains(v.PostForm[f.Name], f.Options[o].Value)
		}
	}
	return fields
}

// askedFields are the fields of whatever asks a payer for an amount.
func (v *visit) askedFields() ([]room.Field, error) {
	fiats, offers, err := v.panel.Requests.Currencies(v.Context())
	if err != nil {
		return nil, err
	}
	currency := room.Field{Name: "currency", Label: "Currency", Kind: "select"}
	what := room.Field{Name: "offers", Label: "Tokens and networks", Kind: "checks", Hint: "(choose none for all)"}
	m, err := v.panel.Store.Merchant(v.Context(), v.Merchant)
	if err != nil {
		return nil, err
	}
	for _, code := range fiats {
		currency.Options = append(currency.Options, room.Option{Value: code, Text: code, Chosen: code == cmp.Or(m.PreferredFiat, "USD")})
	}
	for _, o := range offers {
		what.Options = append(what.Options, room.Option{Value: o.Token + "|" + o.Network, Text: o.Token + " on " + o.Network})
		if !slices.ContainsFunc(currency.Options, func(known room.Option) bool { return known.Value == o.Token }) {
			currency.Options = append(currency.Options, room.Option{Value: o.Token, Text: o.Token})
		}
	}
	return []room.Field{{Name: "label", Label: "What it is for", Kind: "text", Required: true, Hint: "the number of an order or invoice; the payer sees it"},
		{Name: "amount", Label: "Amount", Kind: "text", Required: true}, currency,
		{Name: "description", Label: "Description", Kind: "text", Hint: "for the payer; may be empty"}, what,
		{Name: "return_url", Label: "Page after a payment", Kind: "text", Hint: "https://…; may be empty"},
		{Name: "cancel_url", Label: "Page without a payment", Kind: "text", Hint: "https://…; may be empty"},
		{Name: "colour", Label: "Colour of its pages", Kind: "text", Hint: "as #0f766e; empty for that of all payers' pages"},
		{Name: "support", Label: "Where the payer asks", Kind: "text", Hint: "an e-mail address or https://…; empty for that of all payers' pages"}}, nil
}

// lifetime is how long a request may be open, as its form has it.
type lifetime struct {
	value, text string
	lasts       time.Duration
}

// lifetimes are what a form offers.
var lifetimes = []lifetime{{"1h", "an hour", time.Hour}, {"1d", "a day", 24 * time.Hour}, {"3d", "three days", 3 * 24 * time.Hour}, {"7d", "a week", 7 * 24 * time.Hour},
	{"30d", "30 days", 30 * 24 * time.Hour}}

func lifetimeField() room.Field {
	f := room.Field{Name: "lasts", Label: "Open for", Kind: "select"}
	for _, l := range lifetimes {
		f.Options = append(f.Options, room.Option{Value: l.value, Text: l.text, Chosen: l.value == "7d"})
	}
	return f
}

// makeRequest records the request of a form. The same form leads to the same request.
func makeRequest(v *visit) (outcome, error) {
	if v.given("do") == moreRows {
		shown, err := requestForm(v, "")
		return outcome{show: shown}, err
	}
	form := room.ID(v.given("form"))
	at := slices.IndexFunc(lifetimes, func(l lifetime) bool { return l.value == v.given("lasts") })
	if form == uuid.Nil || at < 0 {
		return outcome{}, people.Refusal("this form has expired: begin again")
	}
	asked := v.asked(form)
	asked.Customer, asked.Lifetime, asked.Items = v.given("customer"), lifetimes[at].lasts, filled(v.typedItems())
	q, err := v.panel.Requests.Make(v.Context(), &asked)
	if why, no := refusal(err); no {
		shown, err := requestForm(v, why)
		return outcome{show: shown}, err
	}
	if err != nil {
		return outcome{}, err
	}
	return outcome{said: "The payment request is open. Send its link to the payer.", to: "payment-requests/" + q.ID.String()}, nil
}

// asked reads the fields of askedFields.
func (v *visit) asked(form uuid.UUID) pay.RequestForm {
	return pay.RequestForm{Form: form, Merchant: v.Merchant, Person: v.Person.Email, Actor: people.Actor(v.Person.Email), Label: v.given("label"),
		Amount: v.given("amount"), Currency: v.given("currency"), Description: v.given("description"), ReturnURL: v.given("return_url"),
		CancelURL: v.given("cancel_url"), Colour: v.given("colour"), Support: v.given("support"), Offers: v.offers()}
}

// offers reads the boxes of tokens on networks.
func (v *visit) offers() []pay.Offer {
	out := []pay.Offer{}
	for _, value := range v.PostForm["offers"] {
		token, network, _ := strings.Cut(room.Clean(value), "|")
		out = append(out, pay.Offer{Token: token, Network: network})
	}
	return out
}
