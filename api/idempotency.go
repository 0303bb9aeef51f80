package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"net/http"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
)

const (
	keyHeld  = 15 * time.Minute // an unanswered claim is free afterwards (api-v1 §Limits)
	keyKept  = 24 * time.Hour   // so long an answer is replayed
	keyLimit = 5 * time.Second  // for giving a key back
)

// Headers of answers about Idempotency-Keys (api-v1 §Limits).
const (
	replayedHeader = "Idempotency-Replayed"
	ignoredHeader  = "Idempotency-Key-Ignored"
	differsHeader  = "Idempotency-Body-Differs"
)

var errKeyRuns = pay.E(pay.Conflict, "idempotency_key_in_progress", "A request with this Idempotency-Key is still running.")

// keyState is the state of an Idempotency-Key.
type keyState struct{ *store.Remembered }

// holds reports whether a key stops its request: an earlier one is answered and kept, or runs.
func (k keyState) holds() bool {
	switch {
	case k.Remembered == nil:
		return false
	case k.Status != nil:
		return k.Age < keyKept
	default:
		return k.Age < keyHeld
	}
}

// replay answers with the kept answer, byte for byte, or that the first request still runs. An answer to another body is
// marked.
func (k keyState) replay(c *Call, found confirmer) error {
	if k.Remembered == nil || k.Status == nil {
		return errKeyRuns
	}
	if err := found.Confirm(c.Context()); err != nil {
		return err
	}
	c.Header().Set(replayedHeader, "true")
	if sum := sha256.Sum256(c.Body); len(k.Sum) > 0 && !bytes.Equal(sum[:], k.Sum) {
		c.Header().Set(differsHeader, "true")
	}
	return c.Raw(*k.Status, k.Body)
}

// tellIgnored marks an ignored Idempotency-Key in the answer's headers.
func (c *Call) tellIgnored() {
	if c.keyTooLong {
		c.Header().Set(ignoredHeader, "too-long")
	}
}

// createOnce creates the batch under the request's Idempotency-Key. The answer is stored in the transaction of the
// payouts; when no payout was attempted, and after a 500, the key is free again (api-v1 §Limits).
func (p *Payouts) createOnce(c *Call, batch *payoutBatch) error {
	claim, won, err := p.claim(c)
	if err != nil {
		return err
	}
	if !won {
		kept, err := p.Store.KeptAnswer(c.Context(), claim.Merchant, claim.Key)
		if err != nil {
			return err
		}
		return keyState{kept}.replay(c, p.Store)
	}
	status, body, err := p.answerOnce(c, batch, claim)
	if err != nil {
		return err
	}
	return c.Raw(status, body)
}

// answerOnce answers for a claim. Unless the answer was kept the key is free again before the client hears of it.
func (p *Payouts) answerOnce(c *Call, batch *payoutBatch, claim store.Claim) (status int, body []byte, err error) {
	kept := false
	defer func() {
		if !kept {
			p.release(c, claim)
		}
	}()
	if err := p.enough(c.Context(), batch); err != nil {
		return 0, nil, err
	}
	status, body, err = p.recordOnce(c, batch, claim)
	kept = err == nil && status < http.StatusInternalServerError
	return status, body, err
}

// claim does not end with the client, and not with a lost connection: an unknown claim would hold the key for its full
// time.
func (p *Payouts) claim(c *Call) (claim store.Claim, won bool, err error) {
	sum := sha256.Sum256(c.Body)
	claim = store.Claim{Merchant: c.Caller.Merchant.ID, Key: c.IdempotencyKey, ID: uuid.Must(uuid.NewV7()), Sum: sum[:]}
	err = untilCertain(p.Store, func(ctx context.Context, _ bool) (err error) {
		won, err = p.Store.ClaimKey(ctx, claim, keyHeld, keyKept)
		return err
	})
	if err != nil {
		p.release(c, claim)
	}
	return claim, won, err
}

func (p *Payouts) release(c *Call, claim store.Claim) {
	ctx, cancel := c.Lasting(keyLimit)
	defer cancel()
	if err := p.Store.ReleaseKey(ctx, claim); err != nil {
		c.Log().WithError(err).Warn("an idempotency key stays claimed until its time is up")
	}
}

// recordOnce records the items and keeps the answer with them.
func (p *Payouts) recordOnce(c *Call, batch *payoutBatch, claim store.Claim) (status int, body []byte, err error) {
	once := onceOnly{payouts: p, batch: batch, claim: claim, items: batch.records(p.Seals)}
	err = untilCertain(p.Store, once.try)
	if err == nil {
		p.Recorder.ring(once.items, once.outcomes)
	}
	if store.IsRolledBack(err) {
		return p.recordApart(c, batch, claim)
	}
	if err != nil && !refusedForCertain(err) {
		body, err = encode(batch.failed(c, nil, err))
		return http.StatusInternalServerError, body, err
	}
	return once.status, once.body, err
}

// recordApart records a batch refused by the database as a whole: the items are decided one by one, and their answer is
// kept afterwards.
func (p *Payouts) recordApart(c *Call, batch *payoutBatch, claim store.Claim) (status int, body []byte, err error) {
	status, answer, err := p.record(c, batch)
	if err != nil {
		return 0, nil, err
	}
	if body, err = encode(answer); err != nil || status >= http.StatusInternalServerError {
		return status, body, err
	}
	ctx, cancel := c.Lasting(keyLimit)
	defer cancel()
	if _, err := p.Store.KeepAnswer(ctx, claim, status, body); err != nil {
		c.Log().WithError(err).Warn("an answer could not be kept under its idempotency key")
	}
	return status, body, nil
}

// onceOnly is one batch, one claim and, at the end, one answer.
type onceOnly struct {
	payouts  *Payouts
	batch    *payoutBatch
	claim    store.Claim
	items    []store.PayoutItem
	outcomes []store.PayoutOutcome
	status   int
	body     []byte
}

// try decides the items and keeps the answer in one transaction. If an earlier try may have been committed, its kept
// answer counts.
func (o *onceOnly) try(ctx context.Context, unsure bool) error {
	return o.payouts.Store.InTx(ctx, func(tx *store.Store) error {
		if unsure {
			kept, err := tx.KeptAnswer(ctx, o.claim.Merchant, o.claim.Key)
			if err != nil {
				return err
			}
			if kept != nil {
				o.status, o.body = *kept.Status, kept.Body
				return nil
			}
		}
		return o.decide(ctx, tx)
	})
}

func (o *onceOnly) decide(ctx context.Context, tx *store.Store) (err error) {
	o.outcomes = nil
	if len(o.items) > 0 {
		if o.outcomes, err = tx.RecordPayouts(ctx, o.items); err != nil {
			return err
		}
	}
	answer, err := o.batch.answer(o.outcomes)
	if err != nil {
		return err
	}
	if o.body, err = encode(answer); err != nil {
		return err
	}
	o.status = answer.status()
	kept, err := tx.KeepAnswer(ctx, o.claim, o.status, o.body)
	if err == nil && !kept {
		err = errKeyRuns
	}
	return err
}
