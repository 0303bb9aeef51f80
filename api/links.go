package api

import (
	"errors"
	"net/http"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// Links are the operations on payment links (api-v1 §Payment links).
type Links struct {
	Requests *Requests                // makes the requests of payers
	Pages    func(slug string) string // address of a link's page; nil when there is none to tell of
}

// Routes are their rows of the route table.
func (l *Links) Routes() []Route {
	return []Route{
		{Method: http.MethodPost, Path: "/v1/payment-link", Scope: pay.ScopePayinWrite, Summary: "Make a link for any number of payers",
			Doc: docCreateLink, Handler: l.create},
		{Method: http.MethodGet, Path: "/v1/payment-links", Scope: pay.ScopePayinRead, Summary: "List payment links, newest first",
			Doc: docListLinks, Handler: l.list},
		{Method: http.MethodGet, Path: "/v1/payment-link/:reference", Scope: pay.ScopePayinRead, Summary: "Read a payment link",
			Doc: docCheckLink, Handler: l.check},
		{Method: http.MethodPost, Path: "/v1/payment-link/:reference/end", Scope: pay.ScopePayinWrite, Summary: "End a payment link for good",
			Doc: docEndLink, Handler: l.end},
	}
}

// LinkAnswer is the answer about a payment link.
type LinkAnswer struct {
	Message string     `json:"message"`
	Link    LinkRecord `json:"payment_link"`
}

// LinkList is the answer to GET /v1/payment-links.
type LinkList struct {
	Message string       `json:"message"`
	Links   []LinkRecord `json:"payment_links"`
	Meta    listMeta     `json:"meta"`
}

// LinkRecord is a payment link as its merchant sees it. Without an amount the payer says it, within the bounds.
type LinkRecord struct {
	InternalReference uuid.UUID   `json:"internal_reference"`
	Slug              string      `json:"slug"`
	Label             string      `json:"label"`
	Description       string      `json:"description,omitempty"`
	Currency          string      `json:"currency"`
	Amount            *string     `json:"amount"`
	MinAmount         *string     `json:"min_amount"`
	MaxAmount         *string     `json:"max_amount"`
	Offers            []pay.Offer `json:"offers"`
	Status            string      `json:"status"`
	WebhookURL        string      `json:"webhook_url"`
	ReturnURL         string      `json:"return_url,omitempty"`
	CancelURL         string      `json:"cancel_url,omitempty"`
	Colour            string      `json:"colour,omitempty"`
	Support           string      `json:"support,omitempty"`
	CreatedAt         string      `json:"created_at"`
	EndedAt           *string     `json:"ended_at"`
	CheckoutURL       string      `json:"checkout_url,omitempty"`
}

var errNoLink = pay.E(pay.NotFound, "record_not_found", "There is no such payment link.").With("resource", "payment_link")

// create answers POST /v1/payment-link. Nothing is recorded if its payers could choose nothing.
func (l *Links) create(c *Call) error {
	order, err := readLink(c.Body)
	if err != nil {
		return err
	}
	if err := l.Requests.Payins.safe(c, order.WebhookURL); err != nil {
		return err
	}
	order.ID, order.MerchantID, order.KeyID = uuid.Must(uuid.NewV7()), c.Caller.Merchant.ID, c.Caller.Key.ID
	if err := l.record(c.Context(), c.Caller, order, nil); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, LinkAnswer{"payment_link_created_successfully", l.view(&order.PaymentLink)})
}

// check answers GET /v1/payment-link/:reference.
func (l *Links) check(c *Call) error {
	link, err := l.named(c)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, LinkAnswer{"payment_link_retrieved_success", l.view(link)})
}

// end answers POST /v1/payment-link/:reference/end. A link that has ended before is answered as it stands.
func (l *Links) end(c *Call) error {
	link, err := l.named(c)
	if err != nil {
		return err
	}
	if _, err := l.store().EndPaymentLink(c.Context(), c.Caller.Merchant.ID, link.ID); err != nil {
		return err
	}
	if link, err = l.store().PaymentLink(c.Context(), link.ID); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, LinkAnswer{"payment_link_ended_success", l.view(link)})
}

// linkStatuses are the status filters of a list.
var linkStatuses = map[string][]string{string(pay.LinkOpen): {string(pay.LinkOpen)}, string(pay.LinkEnded): {string(pay.LinkEnded)}}

// list answers GET /v1/payment-links.
func (l *Links) list(c *Call) error {
	asked := &listing{applied: applied{}}
	err := firstOf(
		func() error { return asked.readPage(c.Query) },
		func() error { return asked.readStatus(c.Query, linkStatuses) },
	)
	if err != nil {
		return err
	}
	f := lists.LinkFilter{Merchant: c.Caller.Merchant.ID, Page: asked.Page, PerPage: asked.PerPage}
	if asked.Statuses != nil {
		f.Status = pay.LinkStatus(asked.Statuses[0])
	}
	found, total, err := lists.Links(c.Context(), l.store(), f)
	if err != nil {
		return err
	}
	out := LinkList{"payment_links_retrieved_success", make([]LinkRecord, len(found)), asked.meta(total)}
	for i := range found {
		out.Links[i] = l.view(&found[i])
	}
	return c.JSON(http.StatusOK, out)
}

// named reads the link named by the path: by its internal reference, or else by its slug. Those of the panel are not the API's.
func (l *Links) named(c *Call) (*pay.PaymentLink, error) {
	reference, err := anyReference(c, errNoLink)
	if err != nil {
		return nil, err
	}
	id, _ := exactID(reference)
	link, err := l.store().MerchantPaymentLink(c.Context(), c.Caller.Merchant.ID, id, reference)
	if errors.Is(err, pay.ErrNotFound) {
		return nil, errNoLink
	}
	return link, err
}

func (l *Links) store() *store.Store { return l.Requests.Payins.Store }

func (l *Links) view(q *pay.PaymentLink) LinkRecord {
	out := LinkRecord{InternalReference: q.ID, Slug: q.Slug, Label: q.Label, Description: q.Description, Currency: q.Currency, Amount: sumOrNull(q.Amount),
		MinAmount: sumOrNull(q.Least), MaxAmount: sumOrNull(q.Most), Offers: q.Offers, Status: string(q.Status()), WebhookURL: q.WebhookURL,
		ReturnURL: q.ReturnURL, CancelURL: q.CancelURL, Colour: wireColour(q.Colour), Support: q.Support, CreatedAt: wireTime(q.CreatedAt), EndedAt: wireTimeOrNull(q.EndedAt)}
	if l.Pages != nil && q.EndedAt == nil {
		out.CheckoutURL = l.Pages(q.Slug)
	}
	return out
}

func sumOrNull(amount decimal.NullDecimal) *string {
	if !amount.Valid {
		return nil
	}
	text := amount.Decimal.String()
	return &text
}
