package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
)

// errOwnAddress refuses an address of this service: the money would only come back to it.
var errOwnAddress = reworded(errWalletFormat, "The wallet is an address of this service. It must be one of the payer.")

// makingRefund is a refund on its way into the books. Draft is its payout, nil for a link.
type makingRefund struct {
	of       *Refunds
	refund   *pay.Refund
	lifetime time.Duration
	second   string // why a second person confirms the payout; empty for none
	promised bool   // it is in the books, and its payer has said where to
	draft    *payoutDraft
	item     *store.PayoutItem
	key      *pay.Key
	keep     func(ctx context.Context, tx *store.Store) error // with the refund, in its transaction; nil for nothing
}

// prepare makes every check that needs no lock. What it finds of the payin is looked at again by record.
func (r *Refunds) prepare(ctx context.Context, checks *payoutChecks, o *refundOrder) (*makingRefund, error) {
	payin, err := r.payinOf(ctx, checks.caller.Merchant.ID, o)
	if err != nil {
		return nil, err
	}
	came, err := r.Payouts.Store.Refundable(ctx, payin.ID)
	if err != nil {
		return nil, err
	}
	if err := o.of(payin, came); err != nil {
		return nil, err
	}
	o.ID, o.KeyID = uuid.Must(uuid.NewV7()), checks.caller.Key.ID
	m := &makingRefund{of: r, refund: &o.Refund, lifetime: o.lifetime, key: &checks.caller.Key}
	if o.wallet == "" {
		return m, promisable(checks, &o.Refund)
	}
	if m.draft, err = r.draft(ctx, checks, &o.Refund, o.wallet, o.memo); err != nil {
		return nil, err
	}
	m.pays()
	return m, nil
}

// payinOf reads the payin of a refund. A program finds none of the panel's.
func (r *Refunds) payinOf(ctx context.Context, merchant uuid.UUID, o *refundOrder) (*pay.Payin, error) {
	if !o.byPerson {
		return payinNamed(ctx, r.Payouts.Store, merchant, o.payin)
	}
	id, err := uuid.Parse(o.payin)
	if err != nil || id == uuid.Nil {
		return nil, errNoRefundPayin
	}
	found, err := r.Payouts.Store.MerchantPayin(ctx, merchant, id, "")
	if errors.Is(err, pay.ErrNotFound) {
		return nil, errNoRefundPayin
	}
	return found, err
}

// promisable makes the checks of a payout that need no address, so that no link is given out that could never be paid.
func promisable(checks *payoutChecks, q *pay.Refund) error {
	d, problem := draftWithout(withdrawalFor(q, "", ""), checks.caller)
	for _, check := range []func(*payoutDraft) *pay.Error{checks.tokenOnNetwork, checks.selectAmount, checks.feesAndLimits} {
		if problem != nil {
			return problem
		}
		problem = check(d)
	}
	switch {
	case problem != nil:
		return problem
	case !d.amount.Equal(q.Amount):
		return errAmountFine
	}
	return nil
}

// withdrawalFor is a refund as it is drafted.
func withdrawalFor(q *pay.Refund, wallet, memo string) *pay.Withdrawal {
	return &pay.Withdrawal{Merchant: q.MerchantID, Network: q.Network, Token: q.Token, Wallet: wallet, Memo: memo, Amount: q.Amount.String(),
		FeesFrom: q.FeeFromAmount}
}

// draft makes every check of the payout of a refund that needs no balance.
func (r *Refunds) draft(ctx context.Context, checks *payoutChecks, q *pay.Refund, wallet, memo string) (*payoutDraft, error) {
	d, problem := draftOf(withdrawalFor(q, wallet, memo), checks.caller)
	if problem != nil {
		return nil, problem
	}
	d.payout.ReferenceID, d.payout.WebhookURL = q.ReferenceID, q.WebhookURL
	checks.run(d)
	switch {
	case d.problem != nil:
		return nil, d.problem
	case memo != "" && !d.token.Memo:
		return nil, errMemoUnused
	case !d.amount.Equal(q.Amount):
		return nil, errAmountFine
	}
	if problem := checks.inBook(&d.payout); problem != nil {
		return nil, problem
	}
	return d, r.notOurs(ctx, d.payout.Network, wallet)
}

// notOurs refuses an address that this service has given out, or has its own money at.
func (r *Refunds) notOurs(ctx context.Context, network, wallet string) error {
	n, known := pay.NetworkNamed(network)
	if !known {
		return errNetworkOff
	}
	ours, err := r.Payouts.Store.IsOurs(ctx, n.Family, r.Payouts.Addresses.Match(network, wallet))
	if err == nil && ours {
		err = errOwnAddress
	}
	return err
}

// pays makes the item of the draft.
func (m *makingRefund) pays() {
	item := m.draft.record(m.key, m.of.Payouts.Seals)
	m.item = &item
}

// record writes the refund, with its payout where it has one, until the outcome is certain.
func (m *makingRefund) record() error {
	if err := untilCertain(m.of.Payouts.Store, m.try); err != nil {
		var refused *pay.Error
		if errors.As(err, &refused) {
			return err
		}
		return errRefundUnknown.Because(err)
	}
	if m.item != nil {
		m.of.Payouts.Recorder.bell.ring([]uuid.UUID{m.item.Payout.ID})
	}
	return nil
}

// try is one try. Unsure means that an earlier one may have been committed: a refund with our id is its work. The payin is locked before
// anything is decided, and before any balance is.
func (m *makingRefund) try(ctx context.Context, unsure bool) error {
	return m.of.Payouts.Store.InTx(ctx, func(tx *store.Store) error {
		if unsure {
			if known, err := tx.Refund(ctx, m.refund.ID); err == nil && m.isOf(known) {
				*m.refund = *known
				return nil
			} else if err != nil && !errors.Is(err, pay.ErrNotFound) {
				return err
			}
		}
		if err := m.decide(ctx, tx); err != nil || m.keep == nil {
			return err
		}
		return m.keep(ctx, tx)
	})
}

// isOf reports whether a refund in the books is the one being made.
func (m *makingRefund) isOf(known *pay.Refund) bool {
	return m.item == nil || known.PayoutID != nil && *known.PayoutID == m.item.Payout.ID
}

func (m *makingRefund) decide(ctx context.Context, tx *store.Store) error {
	q := m.refund
	if _, err := tx.LockPayin(ctx, q.PayinID); err != nil {
		return err
	}
	came, err := tx.Refundable(ctx, q.PayinID)
	if err != nil {
		return err
	}
	left := cameOn(came, q.Network, q.Token)
	if left == nil {
		return errRefundNothing
	}
	if m.promised {
		return m.keepPromise(ctx, tx, left)
	}
	now, err := tx.Now(ctx)
	if err := cmp.Or(err, within(left, q.Amount)); err != nil {
		return err
	}
	q.CreatedAt = now
	if m.item == nil {
		until := now.Add(m.lifetime)
		q.ExpiresAt = &until
	} else {
		q.PayoutID = &m.item.Payout.ID
	}
	added, err := tx.AddRefund(ctx, q)
	if err == nil && !added {
		err = errDuplicateRefund
	}
	if err != nil || m.item == nil {
		return err
	}
	return m.pay(ctx, tx)
}

// keepPromise pays a refund of which the link counts already. More than arrived is never paid, whatever became of the payin since.
func (m *makingRefund) keepPromise(ctx context.Context, tx *store.Store, came *pay.Refundable) error {
	if came.Refunded.GreaterThan(came.Arrived) {
		return errRefundExceeds
	}
	kept, err := tx.PayRefund(ctx, m.refund.ID, m.item.Payout.ID)
	if err == nil && !kept {
		err = errRefundEnded
	}
	if err != nil {
		return err
	}
	return m.pay(ctx, tx)
}

// cameOn returns what came in a token on exactly this network.
func cameOn(all []pay.Refundable, network, token string) *pay.Refundable {
	if found := pay.CameIn(all, network, token); found != nil && found.Network == network {
		return found
	}
	return nil
}

// pay lets the database decide about the payout. A refusal is an error: nothing of the transaction stays.
func (m *makingRefund) pay(ctx context.Context, tx *store.Store) error {
	outcomes, err := tx.RecordPayouts(ctx, []store.PayoutItem{*m.item})
	if err != nil {
		return err
	}
	return m.refused(&outcomes[0])
}

// refused is the refusal of the database, nil for none.
func (m *makingRefund) refused(o *store.PayoutOutcome) error {
	switch o.Outcome {
	case outcomeCreated:
		return nil
	case outcomeInsufficient:
		return errInsufficient
	case outcomeUncounted:
		return errDailyUncounted
	case outcomeDaily:
		if m.draft.unvalued() {
			return errNoPrice
		}
		return errDailyLimit
	}
	return errDuplicate
}

// answer is the answer about a refund that was recorded just now.
func (m *makingRefund) answer() RefundAnswer {
	var p *pay.Payout
	if m.item != nil {
		p = m.item.Payout
		p.Status = pay.PayoutQueued
	}
	return RefundAnswer{"refund_created_successfully", refundRecord(m.refund, p, m.refund.CreatedAt)}
}

// payoutRefusals are the refusals of a payout, whose codes stand in results of POST /v1/payout alone.
var payoutRefusals = []*pay.Error{errNetworkOff, errTokenOff, errTokenNetwork, errTokenInactive, errMemoMissing, errMemoUnused, errMemoText, errAmountFine,
	errWalletFormat, errLimits, errNoPrice, errInsufficient, errDailyLimit, errDuplicate, ledger.ErrFeesExceedAmount}

// notPayable makes the answer of a refusal of the payout, with its code as the reason. What may be possible later is service_unavailable.
func notPayable(err error) error {
	var refused *pay.Error
	if !errors.As(err, &refused) {
		return err
	}
	if refused.Kind == pay.Unavailable && whenOf(http.StatusServiceUnavailable, refused.Code) == "" {
		return reworded(errService, refused.Message).Because(err)
	}
	if !slices.ContainsFunc(payoutRefusals, func(e *pay.Error) bool { return e.Code == refused.Code }) {
		return err
	}
	message := refused.Message
	if least := refused.Details["min_withdrawal"]; least != nil {
		message += fmt.Sprintf(" The least is %v, the most %v.", least, refused.Details["max_withdrawal"])
	}
	return reworded(errNotPayable, message).With("reason", refused.Code)
}

// createOnce records the refund under the request's Idempotency-Key. The answer is kept with it, but for the link. A refusal frees the
// key.
func (r *Refunds) createOnce(c *Call, m *makingRefund) error {
	claim, won, err := r.Payouts.claim(c)
	if err != nil {
		return err
	}
	if !won {
		kept, err := r.Payouts.Store.KeptAnswer(c.Context(), claim.Merchant, claim.Key)
		if err != nil {
			return err
		}
		return r.replay(c, keyState{kept})
	}
	m.keep = func(ctx context.Context, tx *store.Store) error {
		body, err := encode(m.answer())
		if err != nil {
			return err
		}
		kept, err := tx.KeepAnswer(ctx, claim, http.StatusOK, body)
		if err == nil && !kept {
			err = errKeyRuns
		}
		return err
	}
	if err := m.record(); err != nil {
		r.Payouts.release(c, claim)
		return notPayable(err)
	}
	return c.JSON(http.StatusOK, r.created(m))
}

// replay answers with the kept answer. The link of a refund is in no table, so it is put in again.
func (r *Refunds) replay(c *Call, known keyState) error {
	var was RefundAnswer
	if known.Remembered == nil || known.Status == nil || json.Unmarshal(known.Body, &was) != nil || was.Refund.InternalReference == uuid.Nil {
		return known.replay(c, r.Payouts.Store)
	}
	q := pay.Refund{ID: was.Refund.InternalReference}
	if was.Refund.ExpiresAt != nil {
		q.ExpiresAt = new(time.Time)
	}
	was.Refund.RefundURL = r.address(&q, pay.RefundStatus(was.Refund.Status))
	body, err := encode(was)
	if err != nil {
		return err
	}
	with := *known.Remembered
	with.Body = body
	return keyState{&with}.replay(c, r.Payouts.Store)
}
