package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// Purse is what an account of the platform, or all merchants together, have of one asset.
type Purse struct {
	Account string // as the chart names it; "merchants:available" and "merchants:locked" are sums
	Asset   string
	Amount  decimal.Decimal
}

// Purses answers every account of the platform, and merchants as sums, by asset; exact at one moment.
func (s *Store) Purses(ctx context.Context) ([]Purse, error) {
	var out []Purse
	err := s.Snapshot(ctx, func(tx *Store) error {
		sums, err := tx.sums(ctx)
		if err != nil {
			return err
		}
		return tx.Q.NewRaw(`select a.name as account, m.asset, sum(m.amount) as amount from `+moves+` m join accounts a on a.id = m.account
				where a.merchant_id is null group by 1, 2
			union all select 'merchants:available', asset, sum(available) from balances group by asset
			union all select 'merchants:locked', asset, sum(locked) from balances group by asset
			order by 2, 1`, sums.Pass, sums.Folded).Scan(ctx, &out)
	})
	if err != nil {
		return nil, fmt.Errorf("add up the accounts: %w", err)
	}
	return out, nil
}

// Tally is how many payins or payouts were made in a span of time and are in a status now.
type Tally struct {
	Starts time.Time
	List   string // payins or payouts
	Status string // as the wire names it
	N      int64
}

// Tallies counts all merchants' payins and payouts by day or hour (days of UTC-03:00, as the lists have them) since a time.
func (s *Store) Tallies(ctx context.Context, hours bool, since time.Time) ([]Tally, error) {
	unit := byDay
	if hours {
		unit = byHour
	}
	var out []Tally
	err := s.Q.NewRaw(`select starts, list, status, sum(n) as n from (
			select starts, list, status, n from list_counts where span = ?0 and starts >= ?1
			union all
			select list_bucket(?0, second), list, status, n from list_changes where second >= ?1) x
		group by 1, 2, 3 having sum(n) > 0 order by 1`, string(unit), since).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("count payins and payouts: %w", err)
	}
	return out, nil
}

// Volume is what payins brought, or payouts took, of a token since a time.
type Volume struct {
	List   string // payins or payouts
	Token  string
	N      int64
	Amount decimal.Decimal
	USD    decimal.NullDecimal `bun:"usd"` // null: no price tells
}

// Volumes adds up payins that are completed and payouts that are not refunded, of those made since a time.
func (s *Store) Volumes(ctx context.Context, since time.Time) ([]Volume, error) {
	var out []Volume
	err := s.Q.NewRaw(`with moved as (
			select 'payins' as list, token, count(*) as n, sum(received) as amount from payins where id >= ?0 and status = 'completed' group by token
			union all
			select 'payouts', token, count(*), sum(amount) from payouts where id >= ?0 and status in ('queued', 'signed', 'sent', 'completed') group by token)
		select m.*, m.amount * p.price as usd from moved m left join prices p on p.base = m.token and p.quote = 'USD'
		order by m.list, usd desc nulls last, m.token`, firstIDAt(since)).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("add up volumes: %w", err)
	}
	return out, nil
}

// FailingReceiver is a host that has not taken webhooks.
type FailingReceiver struct {
	Host      string
	Waiting   int64 // deliveries that were tried in vain and go on
	Exhausted int64 // that were given up in the last day
	Oldest    time.Time
	Last      string // what its newest try came to
}

// FailingReceivers lists hosts with deliveries that failed, the worst first.
func (s *Store) FailingReceivers(ctx context.Context, now time.Time, limit int) ([]FailingReceiver, error) {
	out := []FailingReceiver{}
	err := s.Q.NewRaw(`with failing as (
			select id, url, status, created_at from deliveries where status = 'pending' and attempts > 0
			union all
			select id, url, status, created_at from deliveries where id >= ?0 and status = 'exhausted')
		select coalesce(substring(f.url from '^[a-z]+://([^/]+)'), f.url) as host, count(*) filter (where f.status = 'pending') as waiting,
			count(*) filter (where f.status = 'exhausted') as exhausted, min(f.created_at) as oldest,
			(array_agg(case when a.status > 0 then 'HTTP ' || a.status else a.error end order by a.at desc) filter (where a.at is not null))[1] as last
		from failing f
		left join lateral (select at, status, error from delivery_attempts where delivery_id = f.id order by attempt desc limit 1) a on true
		group by 1 order by 2 desc, 3 desc, 1 limit ?1`, firstIDAt(now.Add(-24*time.Hour)), limit).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("look for failing receivers: %w", err)
	}
	return out, nil
}

// Hit is something that a search found.
type Hit struct {
	Kind  string // payout, payin, transfer, wallet, merchant, delivery or key
	ID    string // of a transfer its payin's, empty without one; of a wallet or key its merchant's
	Title string
	Sub   string
	At    time.Time
}

// searchedPayouts is how many of the newest payouts are searched by their destination, which has no index.
const searchedPayouts = 100_000

// Search finds what a word names: an id, a reference of any merchant, an address, a transaction, a customer, or a
// merchant's name.
func (s *Store) Search(ctx context.Context, word string, limit int) ([]Hit, error) {
	id, _ := uuid.Parse(word)
	out := []Hit{}
	err := s.Q.NewRaw(`with chains as (select distinct network from tokens),
		outs as (
			select id from payouts where id = ?1
			union select p.id from merchants m cross join lateral (select id from payouts where merchant_id = m.id and reference_id = ?0) p
			union select t.payout_id from chains c cross join lateral (select payout_id from signed_transactions where network = c.network and txid = ?0) t
			union select p.id from (select id, wallet from payouts order by id desc limit ?2) p where p.wallet = ?0),
		places as (
			select a.payin_id, a.wallet_id from (select distinct family from addresses) f cross join lateral (
				select payin_id, wallet_id from addresses where family = f.family and match in (?0, lower(?0)) order by id desc limit ?3) a),
		moved as (
			select t.* from chains c cross join lateral (select * from transfers where network = c.network and txid = ?0) t
			union select * from transfers where id = ?1),
		ins as (
			select id from payins where id = ?1
			union select p.id from merchants m cross join lateral (select id from payins where merchant_id = m.id and reference_id = ?0) p
			union select payin_id from places where payin_id is not null
			union select payin_id from moved where payin_id is not null),
		held as (
			select id from wallets where id = ?1
			union select wallet_id from places where wallet_id is not null
			union select id from wallets where status = 'STATUS_ASSIGNED' and customer_info = ?0)
		(select 'payout' as kind, p.id::text as id, trim_scale(p.amount) || ' ' || p.token || ' on ' || p.network as title, p.reference_id || ' · ' || p.status as sub, p.created_at as at
			from outs join payouts p using (id) order by p.id desc limit ?3)
		union all (select 'payin', p.id::text, trim_scale(p.amount) || ' ' || p.token || ' on ' || p.network, p.reference_id || ' · ' || p.status, p.created_at
			from ins join payins p using (id) order by p.id desc limit ?3)
		union all (select 'transfer', coalesce(t.payin_id::text, ''), trim_scale(t.amount) || ' ' || t.token || ' on ' || t.network, t.txid || ' · ' || t.status, t.seen_at
			from moved t order by t.seen_at desc limit ?3)
		union all (select 'wallet', w.merchant_id::text, w.wallet, w.customer_info || ' · ' || w.family, w.created_at from held join wallets w using (id) order by w.id desc limit ?3)
		union all (select 'delivery', id::text, event, url, created_at from deliveries where id = ?1)
		union all (select 'key', m.id::text, k.id, m.name, k.created_at from keys k join merchants m on m.id = k.merchant_id where k.id = ?0)
		union all (select 'merchant', id::text, name, email, created_at from merchants where id = ?1 or name ilike ?4 order by name limit ?3)`,
		word, id, searchedPayouts, limit, "%"+likely(word)+"%").Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return out, nil
}
