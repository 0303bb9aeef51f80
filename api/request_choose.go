package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// mostChoices bounds the payins of one request: each takes an address.
const mostChoices = 50

var (
	errNothingOffered = pay.E(pay.Invalid, "no_token_offered", "None of the tokens and networks can be paid with now.")
	errNotOffered     = pay.E(pay.Invalid, "token_not_offered", "The request does not offer this token on this network.")
	errRequestOver    = pay.E(pay.Invalid, "payment_request_expired", "The request has expired, or too much was chosen for it.")
)

// Offered returns a payment request as its payer sees it, or pay.ErrNotFound.
func (r *Requests) Offered(ctx context.Context, id uuid.UUID) (*pay.Offered, error) {
	q, by, err := r.of(ctx, id)
	if err != nil {
		return nil, err
	}
	choices, now, err := r.choices(ctx, r.Payins.Store, id)
	if err != nil {
		return nil, err
	}
	look, err := r.Payins.Store.LookOf(ctx, q.MerchantID)
	if err != nil {
		return nil, err
	}
	out := &pay.Offered{Request: q, Merchant: by.Merchant.Name, Look: look.With(q.Colour, q.Support), Status: q.Status(choices, now)}
	if i := slices.IndexFunc(choices, func(c pay.Choice) bool { return c.Touched || c.Status == pay.PayinCompleted }); i >= 0 {
		out.Paying = choices[i].PayinID
	}
	if out.Status != pay.RequestOpen || !receives(by) {
		return out, nil
	}
	cat, err := r.Payins.Catalogues.Since(ctx, by.Catalogue)
	if err != nil {
		return nil, err
	}
	if out.Tokens, err = offers(by, cat, q); errors.Is(err, errNothingOffered) {
		err = nil
	}
	return out, err
}

// Choose returns the payin of a request in a token on a network: one that was chosen before and is still open, the one with money in
// whatever token, or a new one. Lang is the language of the payer's page. A *pay.Error says why there is none.
func (r *Requests) Choose(ctx context.Context, id uuid.UUID, o pay.Offer, lang string) (uuid.UUID, error) {
	q, by, err := r.of(ctx, id)
	if err != nil {
		return uuid.Nil, err
	}
	choices, now, err := r.choices(ctx, r.Payins.Store, id)
	if err != nil {
		return uuid.Nil, err
	}
	if payin, err := chosen(q, choices, o, now); payin != uuid.Nil || err != nil {
		return payin, err
	}
	if !receives(by) {
		return uuid.Nil, errRequestOver
	}
	cat, err := r.Payins.Catalogues.Since(ctx, by.Catalogue)
	if err != nil {
		return uuid.Nil, err
	}
	if !isOffered(q, o) {
		return uuid.Nil, errNotOffered
	}
	payin, address, err := r.draft(ctx, by, cat, q, o)
	if err != nil {
		return uuid.Nil, err
	}
	return r.add(q, payin, address, o, lang) //nolint:contextcheck // a payer who leaves ends nothing half way
}

// of reads a request with the terms of the key that made it.
func (r *Requests) of(ctx context.Context, id uuid.UUID) (*pay.PaymentRequest, *store.Caller, error) {
	q, err := r.Payins.Store.PaymentRequest(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	by, err := r.maker(ctx, q.KeyID, q.MerchantID)
	if err != nil {
		return nil, nil, fmt.Errorf("key of payment request %s: %w", id, err)
	}
	return q, by, nil
}

// maker reads the terms of whoever made something: of a key, or of a person in the panel.
func (r *Requests) maker(ctx context.Context, key string, merchant uuid.UUID) (*store.Caller, error) {
	if _, panel := pay.OfPanel(key); panel {
		return personCaller(ctx, r.Payins.Store, pay.Key{ID: key, MerchantID: merchant})
	}
	by, err := r.Payins.Store.Callers(ctx, []store.Ask{{KeyID: key}})
	if err == nil && by[0] == nil {
		err = pay.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return by[0], nil
}

// receives reports whether a merchant takes payins now. The key may have been replaced since, or the person removed: the request stays.
// A merchant without access to the API takes those of the panel.
func receives(by *store.Caller) bool {
	_, panel := pay.OfPanel(by.Key.ID)
	return !by.Merchant.Suspended && (by.Merchant.APIAccess || panel) && by.Merchant.Verified
}

func (r *Requests) choices(ctx context.Context, s *store.Store, id uuid.UUID) ([]pay.Choice, time.Time, error) {
	now, err := s.Now(ctx)
	if err != nil {
		return nil, now, err
	}
	choices, err := s.Choices(ctx, id)
	return choices, now, err
}

// chosen returns the payin that a choice leads to without a new one: money that came to the first address counts.
func chosen(q *pay.PaymentRequest, choices []pay.Choice, o pay.Offer, now time.Time) (uuid.UUID, error) {
	for i := range choices {
		c := &choices[i]
		if c.Touched || c.Status == pay.PayinCompleted || c.Offer == o && c.Status == pay.PayinPending && now.Before(c.ExpiresAt) {
			return c.PayinID, nil
		}
	}
	if !now.Before(q.ExpiresAt) || len(choices) >= mostChoices {
		return uuid.Nil, errRequestOver
	}
	return uuid.Nil, nil
}

// draft prices the payin of a choice, and gets it an address.
func (r *Requests) draft(ctx context.Context, by *store.Caller, cat *Catalogue, q *pay.PaymentRequest, o pay.Offer) (*pay.Payin, *pay.Address, error) {
	return r.Payins.drafted(ctx, by, cat, orderOf(q, o, q.ReferenceID))
}

// freshMemo is a memo of nine digits, which fits each network: a destination tag is below 2^32.
func freshMemo() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(900_000_000))
	if err != nil {
		return "", fmt.Errorf("draw a memo: %w", err)
	}
	return fmt.Sprint(n.Int64() + 100_000_000), nil
}

// add records the payin of a choice, unless another choice came first.
func (r *Requests) add(q *pay.PaymentRequest, payin *pay.Payin, address *pay.Address, o pay.Offer, lang string) (uuid.UUID, error) {
	id := payin.ID
	err := untilCertain(r.Payins.Store, func(ctx context.Context, unsure bool) error {
		return r.Payins.Store.InTx(ctx, func(tx *store.Store) error {
			until, err := tx.LockPaymentRequest(ctx, q.ID)
			if err != nil {
				return err
			}
			q.ExpiresAt = until // it may have been ended meanwhile
			choices, now, err := r.choices(ctx, tx, q.ID)
			if err != nil {
				return err
			}
			if id = payin.ID; unsure && slices.ContainsFunc(choices, func(c pay.Choice) bool { return c.PayinID == id }) {
				return nil
			}
			if before, err := chosen(q, choices, o, now); before != uuid.Nil || err != nil {
				id = before
				return err
			}
			if payin.ReferenceID, err = freeReference(ctx, tx, q, len(choices)); err != nil {
				return err
			}
			if err := addPayin(ctx, tx, payin, address, defaultLifetime*time.Second, false); err != nil {
				return err
			}
			return tx.AddChoice(ctx, q.ID, payin.ID, lang)
		})
	})
	var refusal *pay.Error
	if err != nil && !errors.As(err, &refusal) {
		err = errNotRecorded.Because(err)
	}
	return id, err
}

// freeReference is the reference of the next payin of a request: the request's own for the first one, then with a number behind it. One
// that the merchant has used for another payin since is passed over.
func freeReference(ctx context.Context, tx *store.Store, q *pay.PaymentRequest, before int) (string, error) {
	for place := before + 1; ; place++ {
		reference := q.ReferenceID
		if place > 1 {
			reference = fmt.Sprintf("%s~%d", q.ReferenceID, place)
		}
		switch _, err := tx.MerchantPayin(ctx, q.MerchantID, uuid.Nil, reference); {
		case errors.Is(err, pay.ErrNotFound):
			return reference, nil
		case err != nil:
			return "", err
		}
	}
}

// offers are the tokens that a request can be paid with now, each with what the amount comes to. Those out of their limits, or without a
// price, are left out.
func offers(by *store.Caller, cat *Catalogue, q *pay.PaymentRequest) ([]pay.OfferedToken, error) {
	var out []pay.OfferedToken
	for i := range cat.Tokens {
		t := &cat.Tokens[i]
		o := pay.Offer{Token: t.Symbol, Network: t.Network}
		if !isOffered(q, o) {
			continue
		}
		n, t, err := depositToken(cat, o.Network, o.Token)
		if err != nil {
			continue
		}
		if p, _, err := pricedPayin(by, cat, orderOf(q, o, q.ReferenceID), n, t); err == nil {
			out = append(out, pay.OfferedToken{Offer: o, Contract: t.Contract, Amount: p.Amount})
		}
	}
	if len(out) == 0 {
		return nil, errNothingOffered
	}
	slices.SortStableFunc(out, func(a, b pay.OfferedToken) int {
		return cmp.Or(cmp.Compare(a.Token, b.Token), cmp.Compare(a.Network, b.Network))
	})
	return out, nil
}

// isOffered reports whether a request offers a token on a network. A request in a token is paid in this token.
func isOffered(q *pay.PaymentRequest, o pay.Offer) bool {
	if !q.IsFiat && o.Token != q.Currency {
		return false
	}
	return len(q.Offers) == 0 || slices.Contains(q.Offers, o)
}
