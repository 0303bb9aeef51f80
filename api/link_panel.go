package api

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// Make records the link of a form of the panel. A form with a recorded link returns it. A *pay.Error says why nothing was recorded;
// after any other error it may have been, and the form can be sent again.
func (l *Links) Make(ctx context.Context, f *pay.LinkForm) (*pay.PaymentLink, error) {
	was, err := l.store().PaymentLink(ctx, f.Form)
	switch {
	case err == nil && was.MerchantID != f.Merchant:
		return nil, errOtherForm
	case err == nil:
		return was, nil
	case !errors.Is(err, pay.ErrNotFound):
		return nil, err
	}
	order, err := linkOfForm(f)
	if err != nil {
		return nil, err
	}
	by, err := personCaller(ctx, l.store(), pay.Key{ID: order.KeyID, MerchantID: f.Merchant})
	if err != nil {
		return nil, err
	}
	err = l.record(ctx, by, order, func(ctx context.Context, tx *store.Store) error {
		return tx.AddAudit(ctx, f.Actor, "link.create", "merchant:"+f.Merchant.String(), nil, map[string]any{"merchant_id": f.Merchant, "link_id": order.ID,
			"slug": order.Slug, "label": order.Label, "currency": order.Currency})
	})
	return &order.PaymentLink, err
}

// linkOfForm reads a form as the fields of a link of the API. Nobody is told by webhooks.
func linkOfForm(f *pay.LinkForm) (*linkOrder, error) {
	given := map[string]any{"slug": f.Slug, "label": f.Label, "currency": f.Currency, "description": f.Description, "return_url": f.ReturnURL,
		"cancel_url": f.CancelURL, "colour": f.Colour, "support": f.Support, "offers": f.Offers}
	for name, text := range map[string]string{"amount": f.Amount, "min_amount": f.Least, "max_amount": f.Most} {
		if text != "" {
			given[name] = text
		}
	}
	body, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	o, ok := input.ObjectIn(body)
	if !ok || f.Form == uuid.Nil {
		return nil, errNoRequestBody
	}
	wrong := input.FieldErrors{}
	order := linkFields(o, wrong)
	order.ID, order.MerchantID, order.KeyID = f.Form, f.Merchant, pay.PanelKey(f.Person)
	return order, wrong.Err()
}
