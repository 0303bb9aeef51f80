package store

import (
	"context"
	"fmt"
	"time"
)

// TakeSamples notes the samples of this minute, once, by whichever process is first, and forgets samples older than a
// week. Samples by network or kind of job are left out where they are zero; the empty label has the worst of all, or
// the sum.
//
//	lag     blocks still to be followed, by network
//	due     jobs due and not taken, by kind
//	waits   how long the oldest of those has been due, in milliseconds
//	volume  sums of transfers (payins) and of payouts requested in the minute before, in cents of USD at the prices in use, up to
//	        1e14: anybody may pay any amount on a simulated network, and the sums of a week must still add up
func (s *Store) TakeSamples(ctx context.Context, now time.Time) error {
	minute := now.UTC().Truncate(time.Minute)
	_, err := s.Q.NewRaw(`with old as (delete from samples where at < ?0::timestamptz - interval '7 days'),
		lags as (
			select f.network as label, f.head - max(b.height) as value from followers f join chain_blocks b using (network) group by f.network, f.head),
		work as (
			select kind as label, count(*) as due, (extract(epoch from ?0::timestamptz - min(run_at)) * 1000)::bigint as waits from jobs where run_at < ?0 group by kind),
		found as (
			select 'lag' as name, label, value from lags where value > 0
			union all select 'lag', '', greatest(0, max(value)) from lags
			union all select 'due', label, due from work
			union all select 'due', '', coalesce(sum(due), 0) from work
			union all select 'waits', label, waits from work
			union all select 'waits', '', coalesce(max(waits), 0) from work
			union all select 'volume', 'payins', least(coalesce(sum(t.amount * p.price), 0) * 100, 1e14) from transfers t join prices p on p.base = t.token and p.quote = 'USD'
				where t.id >= ?1 and t.id < ?2 and t.status in ('seen', 'credited', 'final')
			union all select 'volume', 'payouts', least(coalesce(sum(o.amount * p.price), 0) * 100, 1e14) from payouts o join prices p on p.base = o.token and p.quote = 'USD'
				where o.id >= ?1 and o.id < ?2)
		insert into samples (at, name, label, value) select ?0::timestamptz, name, label, value from found
			where not exists (select from samples where at = ?0)
		on conflict do nothing`, minute, FirstIDAt(minute.Add(-time.Minute)), FirstIDAt(minute)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("take samples: %w", err)
	}
	return nil
}

// Sampled sums up the samples of one name, and of a volume one label, over a span of time.
type Sampled struct {
	Name  string
	Line  string // payins or payouts, of a volume
	At    time.Time
	Most  int64
	Total int64
	Worst string // the network or kind with most; empty when none had any
}

// Samples returns the samples since a time, by spans of a length.
func (s *Store) Samples(ctx context.Context, since time.Time, span time.Duration) ([]Sampled, error) {
	var out []Sampled
	err := s.Q.NewRaw(`select name, case name when 'volume' then label else '' end as line, date_bin(?1 * interval '1 second', at, ?0::timestamptz) as at,
			max(value) as most, sum(value) as total, coalesce((array_agg(label order by value desc) filter (where label <> ''))[1], '') as worst
		from samples where at >= ?0 group by 1, 2, 3 order by 1, 2, 3`, since, int64(span/time.Second)).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read samples: %w", err)
	}
	return out, nil
}
