package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pg"
)

// perKey is how many requests of a key are kept.
const perKey = 500

// LoggedRequest is a request of the API as the log keeps it.
type LoggedRequest struct {
	KeyID     string
	At        time.Time // when it arrived
	Method    string
	Path      string // of the route, with the names of its parameters
	Status    int    // of the answer; 499: the client hung up before
	Code      string // of the error; empty = none
	RequestID string
	Took      time.Duration `bun:"-"`
	TookMS    int64         // the same, as it is read
	Address   string        // of the client
}

// LogRequests writes requests in one statement. Of each key the last ones stay: a new one takes the place of the oldest. Keys are locked
// in order, so that processes do not wait for each other in a circle.
func (s *Store) LogRequests(ctx context.Context, all []LoggedRequest) error {
	kept := lastOfEach(all)
	n := len(kept)
	keys, at, methods, paths, statuses := make([]string, n), make([]time.Time, n), make([]string, n), make([]string, n), make([]int32, n)
	codes, ids, took, addresses := make([]string, n), make([]string, n), make([]int32, n), make([]string, n)
	for i, r := range kept {
		keys[i], at[i], methods[i], paths[i], statuses[i] = r.KeyID, r.At, r.Method, r.Path, int32(r.Status)               //nolint:gosec // three digits
		codes[i], ids[i], took[i], addresses[i] = r.Code, r.RequestID, int32(min(r.Took.Milliseconds(), 1<<30)), r.Address //nolint:gosec // bounded
	}
	_, err := pg.Exec(ctx, s.Q, "log requests", `with r as materialized (
			select *, row_number() over (partition by key_id order by place) as turn
			from unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::int[], $6::text[], $7::text[], $8::int[], $9::text[])
				with ordinality as r(key_id, at, method, path, status, code, request_id, took_ms, address, place)),
		heads as (insert into request_log_heads as h (key_id, next) select key_id, count(*) from r group by key_id order by key_id
			on conflict (key_id) do update set next = h.next + excluded.next returning key_id, next),
		sizes as (select key_id, count(*) as n from r group by key_id)
		insert into request_log (key_id, slot, at, method, path, status, code, request_id, took_ms, address)
		select r.key_id, (h.next - s.n + r.turn - 1) % $10, r.at, r.method, r.path, r.status, r.code, r.request_id, r.took_ms, r.address
		from r join heads h using (key_id) join sizes s using (key_id) order by r.key_id, r.turn
		on conflict (key_id, slot) do update set at = excluded.at, method = excluded.method, path = excluded.path, status = excluded.status,
			code = excluded.code, request_id = excluded.request_id, took_ms = excluded.took_ms, address = excluded.address`,
		keys, at, methods, paths, statuses, codes, ids, took, addresses, perKey)
	return err
}

// lastOfEach leaves out all requests of a key but the last that are kept: two of one place cannot be written in one statement.
func lastOfEach(all []LoggedRequest) []LoggedRequest {
	left := map[string]int{}
	for i := range all {
		left[all[i].KeyID]++
	}
	kept := make([]LoggedRequest, 0, len(all))
	for i := range all {
		if left[all[i].KeyID] <= perKey {
			kept = append(kept, all[i])
		}
		left[all[i].KeyID]--
	}
	return kept
}

// RequestFilter selects requests of one merchant; empty fields do not filter.
type RequestFilter struct {
	Merchant uuid.UUID
	Key      string
	Status   int    // of three digits, or of one: 4 is every 4xx
	Code     string // of the error
}

// LoggedRequests lists the last requests of the keys of a merchant, the newest first.
func (s *Store) LoggedRequests(ctx context.Context, f RequestFilter, limit int) ([]LoggedRequest, error) {
	var out []LoggedRequest
	q := s.Q.NewSelect().TableExpr("request_log as r").Join("join keys as k on k.id = r.key_id").Where("k.merchant_id = ?", f.Merchant).
		Where("r.at > now() - interval '7 days'").
		ColumnExpr("r.key_id, r.at, r.method, r.path, r.status, r.code, r.request_id, r.took_ms, r.address").OrderExpr("r.at desc, r.key_id, r.slot desc").Limit(int64(limit))
	if f.Key != "" {
		q = q.Where("r.key_id = ?", f.Key)
	}
	switch {
	case f.Status >= 100:
		q = q.Where("r.status = ?", f.Status)
	case f.Status > 0:
		q = q.Where("r.status / 100 = ?", f.Status)
	}
	if f.Code != "" {
		q = q.Where("r.code = ?", f.Code)
	}
	if err := q.Scan(ctx, &out); err != nil {
		return nil, fmt.Errorf("read logged requests: %w", err)
	}
	return out, nil
}
