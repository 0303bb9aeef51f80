package api

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/store"
)

var errRequestLabel = pay.E(pay.Invalid, "invalid_format", "The name must be 1 to 250 characters.")

// Currencies are what a request may ask for, and the tokens with their networks that it may offer, now.
func (r *Requests) Currencies(ctx context.Context) (fiats []string, offers []pay.Offer, err error) {
	version, err := r.Payins.Store.CatalogueVersion(ctx)
	if err != nil {
		return nil, nil, err
	}
	cat, err := r.Payins.Catalogues.Since(ctx, version)
	if err != nil {
		return nil, nil, err
	}
	for i := range cat.Fiats {
		fiats = append(fiats, cat.Fiats[i].Code)
	}
	for i := range cat.Tokens {
		t := &cat.Tokens[i]
		if _, _, err := depositToken(cat, t.Network, t.Symbol); err == nil {
			offers = append(offers, pay.Offer{Token: t.Symbol, Network: t.Network})
		}
	}
	return fiats, offers, nil
}

// Make records the request of a form of the panel, by the checks of POST /v1/payment-request. A form with a recorded request
// returns it. A *pay.Error says why nothing was recorded; after any other error it may have been, and the form can be sent again.
func (r *Requests) Make(ctx context.Context, f *pay.RequestForm) (*pay.PaymentRequest, error) {
	if was, err := r.made(ctx, f); was != nil || err != nil {
		return was, err
	}
	key := pay.Key{ID: pay.PanelKey(f.Person), MerchantID: f.Merchant}
	by, err := personCaller(ctx, r.Payins.Store, key)
	if err != nil {
		return nil, err
	}
	if !receives(by) {
		return nil, errWithdrawable
	}
	cat, err := r.Payins.Catalogues.Since(ctx, by.Catalogue)
	if err != nil {
		return nil, err
	}
	order, err := requestOfForm(f)
	if err != nil {
		return nil, err
	}
	if err := order.known(cat); err != nil {
		return nil, err
	}
	if _, err := offers(by, cat, &order.PaymentRequest); err != nil {
		return nil, err
	}
	err = r.record(order, func(ctx context.Context, tx *store.Store) error { //nolint:contextcheck // a person who leaves ends nothing half way
		return tx.AddAudit(ctx, f.Actor, "request.create", "merchant:"+f.Merchant.String(), nil, map[string]any{"merchant_id": f.Merchant,
			"request_id": order.ID, "label": order.Label, "amount": order.Amount, "currency": order.Currency})
	})
	return &order.PaymentRequest, err
}

// made returns the recorded request of the form, if there is one.
func (r *Requests) made(ctx context.Context, f *pay.RequestForm) (*pay.PaymentRequest, error) {
	was, err := r.Payins.Store.PaymentRequest(ctx, f.Form)
	switch {
	case errors.Is(err, pay.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case was.MerchantID != f.Merchant:
		return nil, errOtherForm
	}
	return was, nil
}

// itemsOfForm makes the list of the API. A quantity without a number stays a text, for the checks to refuse.
func itemsOfForm(typed []pay.AskedItem) []map[string]any {
	out := []map[string]any{}
	for _, t := range typed {
		item := map[string]any{"name": t.Name}
		if n, err := strconv.ParseInt(t.Quantity, 10, 64); err == nil {
			item["quantity"] = n
		} else if t.Quantity != "" {
			item["quantity"] = t.Quantity
		}
		if t.Amount != "" {
			item["amount"] = t.Amount
		}
		out = append(out, item)
	}
	return out
}

// requestOfForm reads a form as the fields of a request of the API. Nobody is told by webhooks.
func requestOfForm(f *pay.RequestForm) (*requestOrder, error) {
	body, err := json.Marshal(map[string]any{"amount": f.Amount, "currency": f.Currency, "description": f.Description, "customer_email": f.Customer,
		"return_url": f.ReturnURL, "cancel_url": f.CancelURL, "colour": f.Colour, "support": f.Support, "items": itemsOfForm(f.Items), "offers": f.Offers, "expires_at": int64(f.Lifetime / time.Second)})
	if err != nil {
		return nil, err
	}
	o, ok := input.ObjectIn(body)
	if !ok {
		return nil, errNoRequestBody
	}
	if f.Form == uuid.Nil || !input.Within(f.Label, 1, requestReference) {
		return nil, errRequestLabel
	}
	wrong := input.FieldErrors{}
	order := requestFields(o, wrong)
	order.ID, order.MerchantID, order.KeyID = f.Form, f.Merchant, pay.PanelKey(f.Person)
	order.Label, order.ReferenceID = f.Label, pay.PanelReference(f.Form, 0)
	return order, wrong.Err()
}
