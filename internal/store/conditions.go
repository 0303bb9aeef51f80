package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pg"
)

// Condition is something amiss for as long as it lasts. People are told once when it begins and once when it is over.
type Condition struct {
	Topic    string
	Told     string    // the sentence about it, which names it
	Merchant uuid.UUID // whose people are told as well; uuid.Nil = nobody's
}

// SeeConditions notes the conditions that there are now.
func (s *Store) SeeConditions(ctx context.Context, now []Condition) error {
	n := len(now)
	told, merchants, topics := make([]string, n), make([]uuid.UUID, n), make([]string, n)
	for i, c := range now {
		told[i], merchants[i], topics[i] = c.Told, c.Merchant, c.Topic
	}
	_, err := pg.Exec(ctx, s.Q, "note conditions", `insert into conditions (told, merchant_id, topic)
		select distinct on (told, merchant) told, merchant, topic from unnest($1::text[], $2::uuid[], $3::text[]) as c(told, merchant, topic)
		order by told, merchant
		on conflict (told, merchant_id) do update set seen_at = now()`, told, merchants, topics)
	return err
}

// BegunConditions marks the conditions that have lasted for a time and were not told of, and returns them.
func (s *Store) BegunConditions(ctx context.Context, lasted time.Duration) ([]Condition, error) {
	return s.conditions(ctx, `update conditions set told_at = now() where told_at is null and seen_at - began_at >= $1 * interval '1 second'
		returning topic, told, merchant_id, true`, lasted)
}

// EndedConditions forgets the conditions that were not there for a time, and returns those that were told of.
func (s *Store) EndedConditions(ctx context.Context, gone time.Duration) ([]Condition, error) {
	return s.conditions(ctx, `delete from conditions where seen_at < now() - $1 * interval '1 second'
		returning topic, told, merchant_id, told_at is not null`, gone)
}

func (s *Store) conditions(ctx context.Context, query string, after time.Duration) (out []Condition, err error) {
	err = pg.Rows(ctx, s.Q, "read conditions", func(rows *sql.Rows) error {
		var c Condition
		var counts bool
		if err := rows.Scan(&c.Topic, &c.Told, &c.Merchant, &counts); err != nil {
			return err
		}
		if counts {
			out = append(out, c)
		}
		return nil
	}, query, int64(after.Seconds()))
	return out, err
}

// TellOperators records a message and its job for each operator with a confirmed address who wants to know of the topic.
func (s *Store) TellOperators(ctx context.Context, topic, title, line string) error {
	if _, err := s.Q.NewRaw("select tell_operators(?, ?, ?)", topic, title, line).Exec(ctx); err != nil {
		return fmt.Errorf("tell operators: %w", err)
	}
	return nil
}

// IdleReceiver is a host of a merchant's webhooks that has taken none for a while.
type IdleReceiver struct {
	MerchantID uuid.UUID
	Merchant   string // its name
	Host       string
}

// IdleReceivers lists hosts with a webhook that was tried in vain and is older than a time, the most of a merchant's first.
func (s *Store) IdleReceivers(ctx context.Context, older time.Duration, limit int) ([]IdleReceiver, error) {
	var out []IdleReceiver
	err := s.Q.NewRaw(`select d.merchant_id, m.name as merchant, coalesce(substring(d.url from '^[a-z]+://([^/]+)'), d.url) as host
		from deliveries d join merchants m on m.id = d.merchant_id
		where d.status = 'pending' and d.attempts > 0 and d.created_at < now() - ? * interval '1 second'
		group by 1, 2, 3 order by count(*) desc, 1, 3 limit ?`, int64(older.Seconds()), limit).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("look for receivers that take nothing: %w", err)
	}
	return out, nil
}
