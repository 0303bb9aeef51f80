package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// InboxSize is how many received webhooks the inbox of dev keeps (operator §dev).
const InboxSize = 500

// Received is a webhook taken by the inbox of dev.
type Received struct {
	ID         int64
	Name       string            // the last part of the address it was sent to
	Delivery   string            // its id, the same on every attempt (addendum §2)
	Headers    map[string]string // several values of one header are joined by a comma
	Body       []byte            // as received
	Verified   bool              // its signature was good when it arrived
	Again      bool              // an earlier one had the same delivery id
	ReceivedAt time.Time
}

// Receive keeps a webhook and forgets the oldest beyond InboxSize. The caller sees it only once it is durable.
func (s *Store) Receive(ctx context.Context, r Received) error {
	headers, err := json.Marshal(r.Headers)
	if err != nil {
		return fmt.Errorf("write headers: %w", err)
	}
	return s.InTx(ctx, func(tx *Store) error {
		_, err := tx.Q.NewRaw("insert into inbox (name, delivery, headers, body, verified) values (?, ?, ?::jsonb, ?, ?)",
			r.Name, r.Delivery, string(headers), r.Body, r.Verified).Exec(ctx)
		if err != nil {
			return fmt.Errorf("keep in the inbox: %w", err)
		}
		_, err = tx.Q.NewRaw("delete from inbox where id <= (select id from inbox order by id desc offset ? limit 1)", InboxSize).Exec(ctx)
		if err != nil {
			return fmt.Errorf("forget the oldest of the inbox: %w", err)
		}
		return nil
	})
}

// Inbox returns the webhooks received after an id, at most the newest limit of them, oldest first; an empty name means
// every name.
func (s *Store) Inbox(ctx context.Context, name string, after int64, limit int) ([]Received, error) {
	var rows []struct {
		Received `bun:",extend"`
		Written  []byte
	}
	err := s.Q.NewRaw(`select id, name, delivery, headers as written, body, verified, received_at,
			delivery <> '' and exists (select from inbox e where e.delivery = i.delivery and e.id < i.id) as again
		from inbox i where id > ?0 and (?1 = '' or name = ?1) order by id desc limit ?2`, after, name, limit).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read the inbox: %w", err)
	}
	out := make([]Received, len(rows))
	for i, r := range rows {
		out[i] = r.Received
		if err := json.Unmarshal(r.Written, &out[i].Headers); err != nil {
			return nil, fmt.Errorf("read headers of %d: %w", r.ID, err)
		}
	}
	slices.Reverse(out)
	return out, nil
}
