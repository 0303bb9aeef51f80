package store

import (
	"context"
	"fmt"
	"time"
)

// JobVitals tells of the jobs of one kind.
type JobVitals struct {
	Kind        string
	Jobs        int64
	Due         int64 // of them, due and not taken
	OldestDueMS int64 // how long the oldest of those has been due; 0 without one
}

// JobVitals returns every kind with a job, by name.
func (s *Store) JobVitals(ctx context.Context) ([]JobVitals, error) {
	var out []JobVitals
	err := s.Q.NewRaw(`select kind, count(*) as jobs, count(*) filter (where run_at <= now()) as due,
			greatest(0, extract(epoch from now() - min(run_at)) * 1000)::bigint as oldest_due_ms
		from jobs group by kind order by kind`).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read the vitals of jobs: %w", err)
	}
	return out, nil
}

// FollowerVitals tells how far one network is followed.
type FollowerVitals struct {
	Network string `json:"network"`
	Head    int64  `json:"head"`    // the network's best block when last asked
	Height  *int64 `json:"height"`  // the last block followed; null before the first
	Deepest *int64 `json:"deepest"` // the lowest block followed and still remembered
	Halted  bool   `json:"halted"`  // until an operator resumes it
	Problem string `json:"problem"` // why it does not advance, or empty
	Rule    string `json:"rule"`    // for crediting transfers and taking them as final, when last asked
	Open    int64  `json:"payouts_open"`
	Held    int64  `json:"payins_held"` // pending, over for a minute, and not failed until the network is followed past that, or the transfers seen there are decided
	AgeMS   int64  `json:"age_ms"`      // since it last reported
}

// Followed is the height of the last block followed, -1 before the first.
func (f *FollowerVitals) Followed() int64 {
	if f.Height == nil {
		return -1
	}
	return *f.Height
}

// Lag is how many blocks are still to be followed.
func (f *FollowerVitals) Lag() int64 {
	if f.Height == nil {
		return 0
	}
	return max(0, f.Head-*f.Height)
}

// FollowerVitals returns every network ever followed.
func (s *Store) FollowerVitals(ctx context.Context) ([]FollowerVitals, error) {
	out := []FollowerVitals{}
	err := s.Q.NewRaw(`select f.network, f.head, b.height, greatest(b.deepest, f.followed_from) as deepest, f.halted, coalesce(f.error, '') as problem, f.rule, coalesce(p.open, 0) as open,
			coalesce(h.held, 0) as held, greatest(0, extract(epoch from now() - f.updated_at) * 1000)::bigint as age_ms
		from followers f
		left join lateral (select max(height) as height, min(height) as deepest from chain_blocks where network = f.network) b on true
		left join (select network, count(*) as open from payouts where wire_status = 'pending' group by network) p using (network)
		left join (select network, count(*) as held from (
				select i.id, g.network from payins i
				left join lateral (select network, status from transfers where payin_id = i.id and status in ('seen', 'dropped') offset 0) t on true
				join followers g on g.network = i.network and (i.expires_at <= g.passed_until) is not true
					or g.network = t.network and (case t.status when 'seen' then now() - interval '1 minute' else i.expires_at end <= g.passed_until) is not true
				where i.status = 'pending' and i.expires_at < now() - interval '1 minute' group by 1, 2) i
			group by network) h using (network)
		order by f.network`).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read the vitals of followers: %w", err)
	}
	return out, nil
}

// WaitVitals tells of deliveries and transfers still to be delivered or decided.
type WaitVitals struct {
	Deliveries       int64 // pending webhooks, retries included
	OldestDeliveryMS int64
	Unclaimed        int64  // transfers the operator has to assign or ignore
	Unpriced         int64  // transfers of the last week, credited and counting for nothing in their payin
	UnpricedPayin    string // of the newest of those
}

// WaitVitals counts pending deliveries, and the transfers for a person to look at.
func (s *Store) WaitVitals(ctx context.Context) (WaitVitals, error) {
	var out WaitVitals
	err := s.Q.NewRaw(`select d.deliveries, d.oldest_delivery_ms,
			(select count(*) from transfers where unclaimed) as unclaimed, u.unpriced, coalesce(u.unpriced_payin, '') as unpriced_payin
		from (select count(*) as deliveries, coalesce(greatest(0, extract(epoch from now() - min(created_at)) * 1000), 0)::bigint as oldest_delivery_ms
			from deliveries where status = 'pending') d,
			(select count(*) as unpriced, (array_agg(payin_id::text order by seen_at desc))[1] as unpriced_payin from transfers
			where unpriced and seen_at > now() - interval '7 days') u`).Scan(ctx, &out)
	if err != nil {
		return out, fmt.Errorf("read the vitals of deliveries: %w", err)
	}
	return out, nil
}

// recently is how far back FirstAttempts looks.
const recently = 5 * time.Minute

// FirstAttempts is the time from the commit of a delivery to the start of its first attempt, over the deliveries of the
// last five minutes with an attempt.
type FirstAttempts struct {
	Count     int64
	MedianMS  int64
	P99MS     int64 `bun:"p99_ms"`
	LongestMS int64
}

// FirstAttempts reads recent deliveries by their ids; these begin with the time (UUIDv7).
func (s *Store) FirstAttempts(ctx context.Context, now time.Time) (FirstAttempts, error) {
	var out FirstAttempts
	err := s.Q.NewRaw(`with waits as (
			select greatest(0, extract(epoch from finished_at - created_at) * 1000 - taken_ms) as ms
			from deliveries where id >= ?0 and attempts = 1 and taken_ms is not null
			union all
			select greatest(0, extract(epoch from a.at - d.created_at) * 1000 - a.duration_ms)
			from deliveries d join failed_attempts a on a.delivery_id = d.id and a.attempt = 1 where d.id >= ?0)
		select count(*) as count, coalesce(percentile_disc(0.5) within group (order by ms), 0)::bigint as median_ms,
			coalesce(percentile_disc(0.99) within group (order by ms), 0)::bigint as p99_ms, coalesce(max(ms), 0)::bigint as longest_ms
		from waits`, FirstIDAt(now.Add(-recently))).Scan(ctx, &out)
	if err != nil {
		return out, fmt.Errorf("read recent first attempts: %w", err)
	}
	return out, nil
}
