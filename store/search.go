package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

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
		word, id, searchedPayouts, limit, "%"+escapeLike(word)+"%").Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return out, nil
}

// escapeLike escapes %, _ and \ for LIKE.
func escapeLike(word string) string {
	out := make([]rune, 0, len(word))
	for _, r := range word {
		if r == '%' || r == '_' || r == '\\' {
			out = append(out, '\\')
		}
		out = append(out, r)
	}
	return string(out)
}
