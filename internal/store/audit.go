package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// AuditRow is one change by an operator: the time, the actor, the action, and the subject before and after, without
// secrets (operator §Admin). The table is append-only, and a chain: each hash covers the row and the hash before it.
type AuditRow struct {
	ID      int64           `json:"id"`
	At      time.Time       `json:"at"`
	Actor   string          `json:"actor"`
	Action  string          `json:"action"`
	Subject string          `json:"subject"`
	Before  json.RawMessage `json:"before"` // null when it was made
	After   json.RawMessage `json:"after"`  // null when it was removed
	Hash    string          `json:"hash"`   // SHA-256 in hex
}

// AddAudit records a change in the same transaction. Before and after are written as JSON; nil is null.
func (s *Store) AddAudit(ctx context.Context, actor, action, subject string, before, after any) error {
	was, err := jsonOrNull(before)
	if err != nil {
		return err
	}
	is, err := jsonOrNull(after)
	if err != nil {
		return err
	}
	_, err = s.Q.NewRaw("insert into audit (actor, action, subject, before, after) values (?, ?, ?, ?::jsonb, ?::jsonb)",
		actor, action, subject, was, is).Exec(ctx)
	if err != nil {
		return fmt.Errorf("write the audit row of %s: %w", action, err)
	}
	return nil
}

func jsonOrNull(v any) (*string, error) {
	if v == nil {
		return nil, nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode audit row: %w", err)
	}
	out := string(text)
	return &out, nil
}

// Audit lists changes, newest first, below an id when it is not zero; of one subject when it is not empty.
func (s *Store) Audit(ctx context.Context, subject string, below int64, limit int) ([]AuditRow, error) {
	out := []AuditRow{}
	err := s.Q.NewRaw(`select id, at, actor, action, subject, before, after, encode(hash, 'hex') as hash from audit
		where (?0 = '' or subject = ?0) and (?1 = 0 or id < ?1) order by id desc limit ?2`, subject, below, limit).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read audit: %w", err)
	}
	return out, nil
}

// LookAction is an operator's look at a page of a merchant's panel, with the merchant as its subject.
const LookAction = "merchant.look"

// What operators do to the refunds of a merchant, with the merchant as the subject.
const (
	ActRefundLink   = "refund.link"
	ActRefundRevoke = "refund.revoke"
)

// AuditOfMerchant lists what people of a merchant did for it, and what its people read of operators, newest first, below an id when it is
// not zero.
func (s *Store) AuditOfMerchant(ctx context.Context, merchant uuid.UUID, below int64, limit int) ([]AuditRow, error) {
	out := []AuditRow{}
	err := s.Q.NewRaw(`select id, at, actor, action, subject, before, after, encode(hash, 'hex') as hash from (
			(select * from audit where actor like 'person:%' and (after->>'merchant_id' = ?0 or subject = 'merchant:' || ?0) and (?1 = 0 or id < ?1)
				order by id desc limit ?2)
			union all
			(select * from audit where action in ('`+LookAction+`', '`+ActRefundLink+`', '`+ActRefundRevoke+`') and subject = 'merchant:' || ?0 and (?1 = 0 or id < ?1)
				order by id desc limit ?2)) a
		order by id desc limit ?2`, merchant.String(), below, limit).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read audit: %w", err)
	}
	return out, nil
}

// AuditHead is the end of the chain.
type AuditHead struct {
	Rows int64  `json:"rows"`
	Last int64  `json:"last"` // id of the newest row; 0 without any
	Hash string `json:"hash"` // of it; a copy kept elsewhere shows later whether any row up to it was changed
}

// AuditBreak is the first row of the chain that was changed after it was written.
type AuditBreak struct {
	ID      int64
	Problem string
}

// VerifyAudit computes every hash again. It returns the first break, nil when there is none.
func (s *Store) VerifyAudit(ctx context.Context) (AuditHead, *AuditBreak, error) {
	var head AuditHead
	var broken []AuditBreak
	err := s.Snapshot(ctx, func(tx *Store) error {
		if err := tx.Q.NewRaw("select id, problem from audit_broken()").Scan(ctx, &broken); err != nil {
			return err
		}
		return tx.Q.NewRaw("select (select count(*) from audit) as rows, id as last, encode(hash, 'hex') as hash from audit_head").Scan(ctx, &head)
	})
	if err != nil {
		return head, nil, fmt.Errorf("verify audit: %w", err)
	}
	if len(broken) > 0 {
		return head, &broken[0], nil
	}
	return head, nil, nil
}

// AuditHash returns the hash of one row, or pay.ErrNotFound.
func (s *Store) AuditHash(ctx context.Context, id int64) (string, error) {
	var hash string
	err := s.Q.NewRaw("select encode(hash, 'hex') from audit where id = ?", id).Scan(ctx, &hash)
	return hash, one(err, "audit row")
}
