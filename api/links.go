package api

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/store"
)

// Links are the operations on payment links (api-v1 §Payment links).
type Links struct{ Requests *Requests }

// mostUnpaid bounds the unpaid requests of strangers by one link within unpaidWithin: each may take an address.
const (
	mostUnpaid   = 500
	unpaidWithin = time.Hour
	slugBytes    = 10 // of a random slug: 80 bits
)

var (
	errSlugTaken = pay.E(pay.Invalid, "slug_taken", "Another link has this slug.")
	errLinkOver  = pay.E(pay.Invalid, "payment_link_ended", "The link has ended, or is not usable now.")
	errLinkBusy  = pay.E(pay.Invalid, "payment_link_busy", "Too many payers of this link have paid nothing yet.")
	errLinkSum   = pay.E(pay.Invalid, "payment_link_amount", "The link does not take this amount.")
)

// slugForm is what a slug may be: letters and digits, with single dashes between.
var slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// linkOrder is a link with well-formed fields.
type linkOrder struct{ pay.PaymentLink }

// linkFields reads the fields of a link. It has an amount of its own, or leaves the amount to the payer within bounds.
func linkFields(o input.Object, wrong input.FieldErrors) *linkOrder {
	l := &linkOrder{pay.PaymentLink{Slug: slugOf(o, wrong), Label: labelOf(o, wrong), Description: description(o, wrong), Offers: offered(o, wrong),
		Currency: requiredText(o, "currency", wrong), ReturnURL: shopPage(o, "return_url", wrong), CancelURL: shopPage(o, "cancel_url", wrong),
		Amount: cutAmount(o, "amount", wrong), Least: cutAmount(o, "min_amount", wrong), Most: cutAmount(o, "max_amount", wrong)}}
	switch {
	case l.Amount.Valid && (l.Least.Valid || l.Most.Valid):
		wrong.Add("amount", "excludes min_amount and max_amount")
	case l.Least.Valid && l.Most.Valid && l.Most.Decimal.LessThan(l.Least.Decimal):
		wrong.Add("max_amount", "must not be below min_amount")
	}
	return l
}

func cutAmount(o input.Object, name string, wrong input.FieldErrors) decimal.NullDecimal {
	amount := payinAmount(o, name, wrong)
	if amount.Valid {
		if amount.Decimal = pricing.Cut(amount.Decimal, pricing.FiatPlaces); !amount.Decimal.IsPositive() || !amount.Decimal.LessThan(beyond) {
			wrong.Add(name, "is too small or too large")
		}
	}
	return amount
}

func labelOf(o input.Object, wrong input.FieldErrors) string {
	text := strings.TrimSpace(requiredText(o, "label", wrong))
	if !input.Within(text, 1, requestReference) {
		wrong.Add("label", "must be 1 to 250 characters")
	}
	return text
}

// slugOf reads slug; a random one where there is none.
func slugOf(o input.Object, wrong input.FieldErrors) string {
	text, found := o.Text("slug")
	if found == input.Absent || found == input.Given && text == "" {
		random := make([]byte, slugBytes)
		_, _ = rand.Read(random) // it never fails
		return strings.ToLower(base32.StdEncoding.EncodeToString(random))
	}
	const shortest, longest = 3, 60
	if found == input.Wrong || !input.Within(text, shortest, longest) || !slugForm.MatchString(text) {
		wrong.Add("slug", input.NotText(o, "slug", "must be 3 to 60 small letters and digits, with single dashes between"))
	}
	return text
}

// known says what the currency is, and names the networks of offers as we do.
func (l *linkOrder) known(cat *Catalogue) error {
	order := &requestOrder{PaymentRequest: *l.Request(uuid.Nil, decimal.NewFromInt(1))}
	err := order.known(cat)
	l.Offers, l.Currency, l.IsFiat = order.Offers, order.Currency, order.IsFiat
	return err
}

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
		"cancel_url": f.CancelURL, "offers": f.Offers}
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

// record checks a link against the catalogue and writes it with what belongs to it, until the outcome is certain.
func (l *Links) record(ctx context.Context, by *store.Caller, order *linkOrder, also func(ctx context.Context, tx *store.Store) error) error {
	if !receives(by) {
		return errWithdrawable
	}
	cat, err := l.Requests.Payins.Catalogues.Since(ctx, by.Catalogue)
	if err != nil {
		return err
	}
	if err := order.known(cat); err != nil {
		return err
	}
	if order.Amount.Valid {
		if _, err := offers(by, cat, order.Request(uuid.Nil, order.Amount.Decimal)); err != nil {
			return err
		}
	}
	return certainly(l.store(), func(ctx context.Context) error { //nolint:contextcheck // a person who leaves ends nothing half way
		return l.store().InTx(ctx, func(tx *store.Store) error {
			added, err := tx.AddPaymentLink(ctx, &order.PaymentLink)
			if err != nil {
				return err
			}
			if added && also != nil {
				return also(ctx, tx)
			}
			if known, err := tx.PaymentLink(ctx, order.ID); err == nil && known.MerchantID == order.MerchantID {
				order.PaymentLink = *known
				return nil
			}
			return errSlugTaken
		})
	})
}

// certainly tries until the outcome is certain. A *pay.Error says that nothing was recorded.
func certainly(s *store.Store, try func(ctx context.Context) error) error {
	err := untilCertain(s, func(ctx context.Context, _ bool) error { return try(ctx) })
	var refusal *pay.Error
	if err == nil || errors.As(err, &refusal) {
		return err
	}
	return errNotRecorded.Because(err)
}

func (l *Links) store() *store.Store { return l.Requests.Payins.Store }

// of reads a link with the terms of its maker.
func (l *Links) of(ctx context.Context, slug string) (*pay.PaymentLink, *store.Caller, error) {
	link, err := l.store().PaymentLinkCalled(ctx, slug)
	if err != nil {
		return nil, nil, err
	}
	by, err := l.Requests.maker(ctx, link.KeyID, link.MerchantID)
	if err != nil {
		return nil, nil, fmt.Errorf("key of payment link %s: %w", slug, err)
	}
	return link, by, nil
}

// Offered returns a link as its payer sees it, with what the amount comes to; null is the link's own. Pay.ErrNotFound is no link.
func (l *Links) Offered(ctx context.Context, slug string, amount decimal.NullDecimal) (*pay.OfferedLink, error) {
	link, by, err := l.of(ctx, slug)
	if err != nil {
		return nil, err
	}
	look, err := l.store().LookOf(ctx, link.MerchantID)
	if err != nil {
		return nil, err
	}
	out := &pay.OfferedLink{Link: link, Merchant: by.Merchant.Name, Look: look, Open: link.EndedAt == nil && receives(by)}
	if !amount.Valid {
		amount = link.Amount
	}
	if !out.Open || !amount.Valid || !link.Takes(amount.Decimal) {
		return out, nil
	}
	cat, err := l.Requests.Payins.Catalogues.Since(ctx, by.Catalogue)
	if err != nil {
		return nil, err
	}
	if out.Tokens, err = offers(by, cat, link.Request(uuid.Nil, amount.Decimal)); errors.Is(err, errNothingOffered) {
		err = nil
	}
	return out, err
}

// Take makes a payment request of one payer, and its payin in a token. Before is the last request of this payer, or uuid.Nil: while
// nothing was paid for it and it asks for the same, it is used again. A *pay.Error says why there is none.
func (l *Links) Take(ctx context.Context, slug string, amount decimal.Decimal, o pay.Offer, before uuid.UUID) (request, payin uuid.UUID, err error) {
	link, by, err := l.of(ctx, slug)
	if err != nil {
		return uuid.Nil, uuid.Nil, err
	}
	if link.EndedAt != nil || !receives(by) {
		return uuid.Nil, uuid.Nil, errLinkOver
	}
	if amount = pricing.Cut(amount, pricing.FiatPlaces); !link.Takes(amount) {
		return uuid.Nil, uuid.Nil, errLinkSum
	}
	again, err := l.again(ctx, link, amount, before)
	if err != nil {
		return uuid.Nil, uuid.Nil, err
	}
	if request = before; !again {
		if request, err = l.begin(link, amount); err != nil { //nolint:contextcheck // a payer who leaves ends nothing half way
			return uuid.Nil, uuid.Nil, err
		}
	}
	payin, err = l.Requests.Choose(ctx, request, o)
	return request, payin, err
}

// again reports whether a payer goes on with their last request.
func (l *Links) again(ctx context.Context, link *pay.PaymentLink, amount decimal.Decimal, before uuid.UUID) (bool, error) {
	if before == uuid.Nil {
		return false, nil
	}
	q, err := l.store().PaymentRequest(ctx, before)
	if errors.Is(err, pay.ErrNotFound) || err == nil && (q.LinkID == nil || *q.LinkID != link.ID || !q.Amount.Equal(amount)) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	choices, now, err := l.Requests.choices(ctx, l.store(), before)
	return err == nil && q.Status(choices, now) == pay.RequestOpen, err
}

// begin records the request of one payer, unless the link has ended or has too many unpaid ones.
func (l *Links) begin(link *pay.PaymentLink, amount decimal.Decimal) (uuid.UUID, error) {
	q := link.Request(uuid.Must(uuid.NewV7()), amount)
	return q.ID, certainly(l.store(), func(ctx context.Context) error {
		return l.store().InTx(ctx, func(tx *store.Store) error {
			works, err := tx.LockPaymentLink(ctx, link.ID)
			if err != nil {
				return err
			}
			if _, err := tx.PaymentRequest(ctx, q.ID); !errors.Is(err, pay.ErrNotFound) {
				return err // an earlier try has recorded it
			}
			unpaid, err := tx.UnpaidOfLink(ctx, link.ID, unpaidWithin)
			switch {
			case err != nil:
				return err
			case !works:
				return errLinkOver
			case unpaid >= mostUnpaid:
				return errLinkBusy
			}
			now, err := tx.Now(ctx)
			if err != nil {
				return err
			}
			q.CreatedAt, q.ExpiresAt = now, now.Add(pay.LinkLifetime)
			added, err := tx.AddPaymentRequest(ctx, q)
			if err == nil && !added {
				err = errDuplicatePayin
			}
			return err
		})
	})
}
