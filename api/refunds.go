package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/webhooks"
)

// Refunds are the operations on what is given back of payins (api-v1 §Refunds).
type Refunds struct {
	Payouts *Payouts
	Pages   func(link string) string // address of a refund's page for its payer; nil when there is none to tell of
}

// Routes are their rows of the route table.
func (r *Refunds) Routes() []Route {
	return []Route{
		{Method: http.MethodPost, Path: "/v1/refund", Scope: pay.ScopePayoutWrite, Idempotent: true, Summary: "Refund a payin, or a part of it",
			Doc: docCreateRefund, Handler: r.create},
		{Method: http.MethodGet, Path: "/v1/refund/:reference", Scope: pay.ScopePayoutRead, Summary: "Read a refund",
			Doc: docCheckRefund, Handler: r.check},
		{Method: http.MethodPost, Path: "/v1/refund/:reference/revoke", Scope: pay.ScopePayoutWrite, Summary: "End the link of a refund",
			Doc: docRevokeRefund, Handler: r.revoke},
		{Method: http.MethodGet, Path: "/v1/payin-refunds/:reference", Scope: pay.ScopePayoutRead, Summary: "Read the refunds of a payin, and what is left",
			Doc: docPayinRefunds, Handler: r.ofPayin},
	}
}

// RefundAnswer is the answer about a refund.
type RefundAnswer struct {
	Message string       `json:"message"`
	Refund  RefundRecord `json:"refund"`
}

// RefundRecord is a refund as its merchant sees it.
type RefundRecord struct {
	InternalReference  uuid.UUID  `json:"internal_reference"`
	ReferenceID        string     `json:"reference_id"`
	Payin              uuid.UUID  `json:"payin"`
	CryptoCurrency     string     `json:"crypto_currency"`
	Network            string     `json:"network"`
	CryptoAmount       string     `json:"crypto_amount"`
	FeeTakenFromAmount string     `json:"feetakenfromamount"`
	Status             string     `json:"status"`
	Payout             *uuid.UUID `json:"payout"`
	Wallet             *string    `json:"wallet"`
	Memo               *string    `json:"memo"`
	Txid               *string    `json:"txid"`
	Description        string     `json:"description,omitempty"`
	WebhookURL         string     `json:"webhook_url"`
	CreatedAt          string     `json:"created_at"`
	ExpiresAt          *string    `json:"expires_at"`
	RefundURL          string     `json:"refund_url,omitempty"`
}

var (
	errNoRefund        = pay.E(pay.NotFound, "record_not_found", "There is no such refund.").With("resource", "refund")
	errNoRefundPayin   = pay.E(pay.NotFound, "record_not_found", "There is no such payin.").With("resource", "deposit")
	errDuplicateRefund = pay.E(pay.Invalid, "duplicate_reference_id", "A refund with this reference_id exists.")
	errRefundEnded     = pay.E(pay.Conflict, "refund_not_open", "The refund has no open link: it was paid or revoked, or has expired.")
)

// create answers POST /v1/refund.
func (r *Refunds) create(c *Call) error {
	if known := (keyState{c.Caller.Remembered}); known.holds() {
		return r.replay(c, known)
	}
	order, err := readRefund(c.Body)
	if err != nil {
		return err
	}
	if err := r.safe(c, order.WebhookURL); err != nil {
		return err
	}
	catalogue, err := r.Payouts.Catalogues.For(c)
	if err != nil {
		return err
	}
	checks := &payoutChecks{caller: c.Caller, catalogue: catalogue, addresses: r.Payouts.Addresses}
	making, err := r.prepare(c.Context(), checks, order)
	if err != nil {
		return notPayable(err)
	}
	if c.IdempotencyKey != "" {
		return r.createOnce(c, making)
	}
	if err := making.record(); err != nil {
		return notPayable(err)
	}
	c.tellIgnored()
	return c.JSON(http.StatusOK, r.created(making))
}

// safe applies the rule for webhook addresses of payouts.
func (r *Refunds) safe(c *Call, address string) error {
	err := r.Payouts.URLs.Check(c.Context(), address, webhooks.ForPayout)
	var refusal *webhooks.URLError
	if !errors.As(err, &refusal) {
		return c.lookedUp(err)
	}
	return input.WrongField("webhook_url", string(refusal.Reason))
}

// created is the answer to a refund that was just recorded.
func (r *Refunds) created(m *makingRefund) RefundAnswer {
	answer := m.answer()
	answer.Refund.RefundURL = r.address(m.refund, pay.RefundStatus(answer.Refund.Status))
	return answer
}

// check answers GET /v1/refund/:reference.
func (r *Refunds) check(c *Call) error {
	record, err := r.named(c)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, RefundAnswer{"refund_retrieved_success", *record})
}

// revoke answers POST /v1/refund/:reference/revoke. A link that was revoked before is answered as it stands.
func (r *Refunds) revoke(c *Call) error {
	record, err := r.named(c)
	if err != nil {
		return err
	}
	if record.Status != string(pay.RefundRevoked) {
		done, err := r.Payouts.Store.RevokeRefund(c.Context(), c.Caller.Merchant.ID, record.InternalReference)
		if err != nil {
			return err
		}
		if !done {
			return errRefundEnded
		}
		record.Status, record.RefundURL = string(pay.RefundRevoked), ""
	}
	return c.JSON(http.StatusOK, RefundAnswer{"refund_revoked_success", *record})
}

// named reads the refund named by the path: by its internal reference, or else by the account's. Those of the panel are not the API's.
func (r *Refunds) named(c *Call) (*RefundRecord, error) {
	reference, err := anyReference(c, errNoRefund)
	if err != nil {
		return nil, err
	}
	reference = pay.TrimmedReference(reference)
	id, _ := exactID(reference)
	var record *RefundRecord
	err = r.Payouts.Store.Snapshot(c.Context(), func(tx *store.Store) error {
		found, err := tx.MerchantRefund(c.Context(), c.Caller.Merchant.ID, id, reference)
		if err != nil {
			return err
		}
		if _, panel := pay.OfPanel(found.KeyID); panel {
			return pay.ErrNotFound
		}
		records, err := r.records(c, tx, []pay.Refund{*found})
		if err == nil {
			record = &records[0]
		}
		return err
	})
	if errors.Is(err, pay.ErrNotFound) {
		return nil, errNoRefund
	}
	return record, err
}

// records are refunds as the caller may see them. Only who may pay out sees where a payer says where to.
func (r *Refunds) records(c *Call, tx *store.Store, refunds []pay.Refund) ([]RefundRecord, error) {
	payouts, now, err := paidBy(c.Context(), tx, refunds)
	if err != nil {
		return nil, err
	}
	out := make([]RefundRecord, len(refunds))
	for i := range refunds {
		q := &refunds[i]
		out[i] = refundRecord(q, payoutOf(q, payouts), now)
		if slices.Contains(c.Caller.Key.Scopes, pay.ScopePayoutWrite) {
			out[i].RefundURL = r.address(q, pay.RefundStatus(out[i].Status))
		}
	}
	return out, nil
}

// paidBy reads the payouts of refunds, and the moment by which their links are open.
func paidBy(ctx context.Context, tx *store.Store, refunds []pay.Refund) (map[uuid.UUID]*pay.Payout, time.Time, error) {
	now, err := tx.Now(ctx)
	if err != nil {
		return nil, now, err
	}
	var ids []uuid.UUID
	for i := range refunds {
		if refunds[i].PayoutID != nil {
			ids = append(ids, *refunds[i].PayoutID)
		}
	}
	payouts, err := tx.PayoutsOf(ctx, ids)
	return payouts, now, err
}

func payoutOf(q *pay.Refund, payouts map[uuid.UUID]*pay.Payout) *pay.Payout {
	if q.PayoutID == nil {
		return nil
	}
	return payouts[*q.PayoutID]
}

func refundRecord(q *pay.Refund, p *pay.Payout, now time.Time) RefundRecord {
	out := RefundRecord{InternalReference: q.ID, ReferenceID: q.ReferenceID, Payin: q.PayinID, CryptoCurrency: q.Token, Network: q.Network,
		CryptoAmount: q.Amount.String(), FeeTakenFromAmount: "0", Status: string(q.Status(p, now)), Payout: q.PayoutID,
		Description: q.Description, WebhookURL: q.WebhookURL, CreatedAt: wireTime(q.CreatedAt)}
	if q.FeeFromAmount {
		out.FeeTakenFromAmount = "1"
	}
	if q.ExpiresAt != nil {
		until := wireTime(*q.ExpiresAt)
		out.ExpiresAt = &until
	}
	if p != nil {
		out.Wallet, out.Memo, out.Txid = &p.Wallet, p.Memo, p.Txid
	}
	return out
}
