package admin

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/store"
)

// RefundPath begins the path of the page on which a payer says where to.
const RefundPath = "/pay/refund/"

const (
	refundLifetime   = 7 * 24 * time.Hour
	longestRefundFor = 500 // characters of the text for the payer
)

// RefundOrder is a refund that an operator promises for a merchant: its payer says where to, by a link.
type RefundOrder struct {
	ID          uuid.UUID // the same one is promised once
	Amount      string    // all, overpaid, or of the token
	Token       string    // that came; empty for the payin's
	FeesFrom    bool      // the fees are taken from the amount
	Description string    // for the payer
}

// PromisedRefund is a refund whose payer has not said where to.
type PromisedRefund struct {
	ID          uuid.UUID       `json:"id"`
	MerchantID  uuid.UUID       `json:"merchant_id"`
	PayinID     uuid.UUID       `json:"payin_id"`
	ReferenceID string          `json:"reference_id"`
	Network     string          `json:"network"`
	Token       string          `json:"token"`
	Amount      decimal.Decimal `json:"amount"`
	FeesFrom    bool            `json:"fees_from_amount"`
	ExpiresAt   time.Time       `json:"expires_at"`
	Link        string          `json:"link,omitempty"` // of the payer's page, for whoever holds SEAL_KEY; it is never audited
}

// PromiseRefund lets the payer of a payin say where a refund goes, at the panel's rates and for seven days. It moves no money: the payout is
// the payer's to ask for, and the API's to record. Never more is promised than arrived. A merchant with a rule about whom its withdrawals
// go to, or who confirms them, makes its refunds itself.
func (a *Admin) PromiseRefund(ctx context.Context, payin string, o RefundOrder) (*PromisedRefund, error) {
	found, err := a.Store.PayinsCalled(ctx, payin, 2)
	if err != nil {
		return nil, err
	}
	of, err := only("payin", payin, found)
	if err != nil {
		return nil, err
	}
	if len([]rune(o.Description)) > longestRefundFor {
		return nil, misread("the text for the payer must be at most %d characters", longestRefundFor)
	}
	out := &PromisedRefund{ID: o.ID, MerchantID: of.MerchantID, PayinID: of.ID, ReferenceID: pay.PanelReference(o.ID, 0), FeesFrom: o.FeesFrom}
	err = a.Change(ctx, store.ActRefundLink, "merchant:"+of.MerchantID.String(), func(tx *store.Store) (before, after any, err error) {
		if err := refundsFor(ctx, tx, of.MerchantID); err != nil {
			return nil, nil, err
		}
		if err := out.decide(ctx, tx, o); err != nil {
			return nil, nil, err
		}
		added, err := tx.AddRefund(ctx, &pay.Refund{ID: out.ID, MerchantID: out.MerchantID, PayinID: out.PayinID, KeyID: pay.OperatorKey(a.Actor),
			ReferenceID: out.ReferenceID, Network: out.Network, Token: out.Token, Amount: out.Amount, FeeFromAmount: out.FeesFrom, Description: o.Description,
			ExpiresAt: &out.ExpiresAt})
		if err == nil && !added {
			err = refuse("this refund was promised already")
		}
		return nil, out, err
	})
	return out, err
}

// refundsFor refuses merchants whose refunds are not an operator's to promise.
func refundsFor(ctx context.Context, tx *store.Store, merchant uuid.UUID) error {
	m, err := tx.Merchant(ctx, merchant)
	if err != nil {
		return err
	}
	book, err := tx.BookRuleOf(ctx, merchant)
	if err != nil {
		return err
	}
	rules, err := tx.SecondRules(ctx, merchant)
	switch {
	case err != nil:
		return err
	case m.Suspended:
		return refuse("the merchant is suspended, and pays nothing")
	case book.BookOnly:
		return refuse("the merchant withdraws to the addresses of its book only, so a payer cannot say where to")
	case len(rules) > 0:
		return refuse("a second person of the merchant confirms its withdrawals: a person of the merchant refunds the payin in the panel")
	}
	return nil
}

// decide says what is promised, and until when, with the payin locked.
func (r *PromisedRefund) decide(ctx context.Context, tx *store.Store, o RefundOrder) error {
	p, err := tx.LockPayin(ctx, r.PayinID)
	if err != nil {
		return err
	}
	all, err := tx.Refundable(ctx, p.ID)
	if err != nil {
		return err
	}
	if r.Token = o.Token; r.Token == "" {
		r.Token = p.Token
	}
	came := pay.CameIn(all, p.Network, r.Token)
	if came == nil {
		return refuse("nothing of %s came for this payin and is final", r.Token)
	}
	r.Network, r.Amount = came.Network, pay.RefundedPart(o.Amount, p, all, came)
	if o.Amount != pay.RefundAll && o.Amount != pay.RefundOverpaid {
		if r.Amount, err = decimal.NewFromString(o.Amount); err != nil {
			return misread("the amount must be all, overpaid, or a plain decimal")
		}
	}
	places, err := precisionOf(ctx, tx, r.Token, r.Network)
	if err != nil {
		return err
	}
	now, err := tx.Now(ctx)
	r.ExpiresAt = now.Add(refundLifetime)
	switch {
	case err != nil:
		return err
	case !r.Amount.IsPositive():
		return refuse("nothing of this is left to refund")
	case !pricing.Cut(r.Amount, places).Equal(r.Amount):
		return refuse("the amount has more than the %d decimals of %s", places, r.Token)
	case r.Amount.GreaterThan(came.Left()):
		return refuse("%s %s may still be refunded of this payin, and no more", came.Left(), r.Token)
	}
	return nil
}

// precisionOf is how many decimals a token has in the ledger.
func precisionOf(ctx context.Context, tx *store.Store, token, network string) (int, error) {
	all, err := tx.Tokens(ctx)
	if err != nil {
		return 0, err
	}
	i := slices.IndexFunc(all, func(t pay.Token) bool { return t.Symbol == token && t.Network == network })
	if i < 0 {
		return 0, refuse("there is no token %s on %s any more", token, network)
	}
	return all[i].Precision, nil
}

// RevokeRefund ends the link of a refund, whoever promised it. The payer can say no more where to.
func (a *Admin) RevokeRefund(ctx context.Context, id uuid.UUID) error {
	q, err := a.Store.Refund(ctx, id)
	if err != nil {
		return named(err, "refund %s", id)
	}
	return a.Change(ctx, store.ActRefundRevoke, "merchant:"+q.MerchantID.String(), func(tx *store.Store) (before, after any, err error) {
		done, err := tx.RevokeRefund(ctx, q.MerchantID, id)
		if err == nil && !done {
			err = refuse("the link has ended, or was used")
		}
		return nil, map[string]any{"merchant_id": q.MerchantID, "refund": id}, err
	})
}
