package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// Requests are the operations on payment requests (api-v1 §Payment requests).
type Requests struct {
	Payins *Payins                   // makes the payins that payers choose
	Pages  func(id uuid.UUID) string // address of a request's page for its payer; nil when there is none to tell of
}

// Routes are their rows of the route table.
func (r *Requests) Routes() []Route {
	return []Route{
		{Method: http.MethodPost, Path: "/v1/payment-request", Scope: pay.ScopePayinWrite, Summary: "Ask a payer for an amount",
			Doc: docCreateRequest, Handler: r.create},
		{Method: http.MethodGet, Path: "/v1/payment-request/:reference", Scope: pay.ScopePayinRead, Summary: "Read a payment request",
			Doc: docCheckRequest, Handler: r.check},
	}
}

// RequestAnswer is the answer about a payment request.
type RequestAnswer struct {
	Message string        `json:"message"`
	Data    RequestRecord `json:"payment_request"`
}

// RequestRecord is a payment request as its merchant sees it.
type RequestRecord struct {
	InternalReference uuid.UUID     `json:"internal_reference"`
	ReferenceID       string        `json:"reference_id"`
	Amount            string        `json:"amount"`
	Currency          string        `json:"currency"`
	Description       string        `json:"description,omitempty"`
	Items             []pay.Item    `json:"items"`
	Offers            []pay.Offer   `json:"offers"`
	Status            string        `json:"status"`
	Payins            []ChosenPayin `json:"payins"`
	CustomerInfo      *string       `json:"customer_info"`
	Email             string        `json:"customer_email,omitempty"`
	WebhookURL        string        `json:"webhook_url"`
	ReturnURL         string        `json:"return_url,omitempty"`
	CancelURL         string        `json:"cancel_url,omitempty"`
	Colour            string        `json:"colour,omitempty"`
	Support           string        `json:"support,omitempty"`
	CreatedAt         string        `json:"created_at"`
	ExpiresAt         string        `json:"expires_at"`
	CheckoutURL       string        `json:"checkout_url,omitempty"`
}

// ChosenPayin names a payin that the payer of a request has chosen.
type ChosenPayin struct {
	InternalReference uuid.UUID `json:"internal_reference"`
	ReferenceID       string    `json:"reference_id"`
	CryptoCurrency    string    `json:"crypto_currency"`
	Network           string    `json:"network"`
	Status            string    `json:"status"`
}

var (
	errNoRequest        = pay.E(pay.NotFound, "record_not_found", "There is no such payment request.").With("resource", "payment_request")
	errDuplicateRequest = pay.E(pay.Invalid, "duplicate_reference_id", "A payment request with this reference_id exists.")
)

// create answers POST /v1/payment-request. Nothing is recorded if its payer could choose nothing.
func (r *Requests) create(c *Call) error {
	order, err := readRequest(c.Body)
	if err != nil {
		return err
	}
	if err := r.Payins.safe(c, order.WebhookURL); err != nil {
		return err
	}
	if err := r.Payins.unused(c.Context(), c.Caller.Merchant.ID, order.ReferenceID); err != nil {
		return err
	}
	cat, err := r.Payins.Catalogues.For(c)
	if err != nil {
		return err
	}
	if err := order.known(cat); err != nil {
		return err
	}
	order.ID, order.MerchantID, order.KeyID = uuid.Must(uuid.NewV7()), c.Caller.Merchant.ID, c.Caller.Key.ID
	if _, err := offers(c.Caller, cat, &order.PaymentRequest); err != nil {
		return err
	}
	if err := r.record(order, nil); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, RequestAnswer{"payment_request_created_successfully", r.view(&order.PaymentRequest, nil, pay.RequestOpen)})
}

// record writes the request and what belongs to it, until the outcome is certain. It begins at the database's clock. A request of the same
// id is the work of an earlier try, or of the same form.
func (r *Requests) record(order *requestOrder, also func(ctx context.Context, tx *store.Store) error) error {
	return certainly(r.Payins.Store, func(ctx context.Context) error {
		return r.Payins.Store.InTx(ctx, func(tx *store.Store) error {
			now, err := tx.Now(ctx)
			if err != nil {
				return err
			}
			order.CreatedAt, order.ExpiresAt = now, now.Add(order.lifetime)
			added, err := tx.AddPaymentRequest(ctx, &order.PaymentRequest)
			if err == nil && added && also != nil {
				return also(ctx, tx)
			}
			if err != nil || added {
				return err
			}
			if known, err := tx.PaymentRequest(ctx, order.ID); err == nil && known.MerchantID == order.MerchantID {
				order.PaymentRequest = *known
				return nil
			} else if err != nil && !errors.Is(err, pay.ErrNotFound) {
				return err
			}
			return errDuplicateRequest
		})
	})
}

// check answers GET /v1/payment-request/:reference.
func (r *Requests) check(c *Call) error {
	reference, err := anyReference(c, errNoRequest)
	if err != nil {
		return err
	}
	reference = pay.TrimmedReference(reference)
	id, _ := exactID(reference)
	var record RequestRecord
	err = r.Payins.Store.Snapshot(c.Context(), func(tx *store.Store) error {
		found, err := tx.MerchantPaymentRequest(c.Context(), c.Caller.Merchant.ID, id, reference)
		if err != nil {
			return err
		}
		choices, err := tx.Choices(c.Context(), found.ID)
		if err != nil {
			return err
		}
		now, err := tx.Now(c.Context())
		record = r.view(found, choices, found.Status(choices, now))
		return err
	})
	if errors.Is(err, pay.ErrNotFound) {
		return errNoRequest
	}
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, RequestAnswer{"payment_request_retrieved_success", record})
}

func (r *Requests) view(q *pay.PaymentRequest, choices []pay.Choice, status pay.RequestStatus) RequestRecord {
	out := RequestRecord{InternalReference: q.ID, ReferenceID: q.ReferenceID, Amount: q.Amount.String(), Currency: q.Currency,
		Description: q.Description, Items: q.Items, Offers: q.Offers, Status: string(status), Payins: []ChosenPayin{}, CustomerInfo: q.CustomerInfo, Email: q.Email,
		WebhookURL: q.WebhookURL, ReturnURL: q.ReturnURL, CancelURL: q.CancelURL, Colour: wireColour(q.Colour), Support: q.Support, CreatedAt: wireTime(q.CreatedAt), ExpiresAt: wireTime(q.ExpiresAt)}
	for i := range choices {
		p := &choices[i]
		out.Payins = append(out.Payins, ChosenPayin{p.PayinID, p.Reference, p.Token, p.Network, string(p.Status)})
	}
	if r.Pages != nil {
		out.CheckoutURL = r.Pages(q.ID)
	}
	return out
}
