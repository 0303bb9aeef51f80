package lists

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/pg"
	"causeway/internal/store"
)

// Hit is one result of a search.
type Hit struct {
	Kind  string // payout, payin, transfer, wallet, merchant, delivery or key
	ID    string // of a transfer its payin's, empty without one; of a wallet or key its merchant's
	Title string
	Sub   string
	At    time.Time
}

// searchedPayouts is how many of the newest payouts are searched by their destination, since it has no index.
const searchedPayouts = 100_000

// prefixFrom is how many characters of a reference, address, transaction or key find it; fewer are too many's beginning.
const prefixFrom = 4

// Search finds the things named by a word: an id, a customer, or a merchant's name; a reference of any merchant, an
// address, a transaction or a key by their beginning as well, after exact matches. Each is a range of one index.
func Search(ctx context.Context, s *store.Store, word string, limit int) ([]Hit, error) {
	return reading(ctx, s, func(s *store.Store) ([]Hit, error) { return search(ctx, s, word, limit) })
}

func search(ctx context.Context, s *store.Store, word string, limit int) ([]Hit, error) {
	id, _ := uuid.Parse(word)
	last := word // of the results
	if utf8.RuneCountInString(word) >= prefixFrom {
		last += string(utf8.MaxRune)
	}
	out := []Hit{}
	err := s.Q.NewRaw(`with chains as (select distinct network from tokens),
		outs as (
			select id, false as near from payouts where id = ?1
			union all select p.id, p.reference_id <> ?0 from merchants m cross join lateral (
				select id, reference_id from payouts where merchant_id = m.id and reference_id between ?0 and ?5 order by reference_id limit ?3) p
			union all select t.payout_id, t.txid <> ?0 from chains c cross join lateral (
				select payout_id, txid from signed_transactions where network = c.network and txid between ?0 and ?5 order by txid limit ?3) t
			union all select p.id, p.wallet <> ?0 from (select id, wallet from payouts order by id desc limit ?2) p where p.wallet between ?0 and ?5),
		places as (
			select a.payin_id, a.wallet_id, a.near from unnest(?6::text[]) f(family) cross join lateral (
				select payin_id, wallet_id, false as near from addresses where family = f.family and match in (?0, lower(?0)) order by id desc limit ?3) a
			union all
			select a.payin_id, a.wallet_id, a.match <> w.low from unnest(?6::text[]) f(family) cross join (values (?0, ?5), (lower(?0), lower(?5))) w(low, high)
			cross join lateral (
				select payin_id, wallet_id, match from addresses where family = f.family and match between w.low and w.high order by match, memo, id limit ?3) a),
		moved as (
			select t.* from chains c cross join lateral (
				select * from transfers where network = c.network and txid between ?0 and ?5 order by txid limit ?3) t
			union select * from transfers where id = ?1),
		ins as (
			select id, false as near from payins where id = ?1
			union all select p.id, p.reference_id <> ?0 from merchants m cross join lateral (
				select id, reference_id from payins where merchant_id = m.id and reference_id between ?0 and ?5 order by reference_id limit ?3) p
			union all select payin_id, near from places where payin_id is not null
			union all select payin_id, txid <> ?0 from moved where payin_id is not null),
		held as (
			select id, false as near from wallets where id = ?1
			union all select wallet_id, near from places where wallet_id is not null
			union all select id, false from wallets where status = 'STATUS_ASSIGNED' and customer_info = ?0)
		(select 'payout' as kind, p.id::text as id, trim_scale(p.amount) || ' ' || p.token || ' on ' || p.network as title, p.reference_id || ' · ' || p.status as sub, p.created_at as at
			from (select id, bool_and(near) as near from outs group by id) o, lateral (select * from payouts where id = o.id limit 1) p order by o.near, p.id desc limit ?3)
		union all (select 'payin', p.id::text, trim_scale(p.amount) || ' ' || p.token || ' on ' || p.network, p.reference_id || ' · ' || p.status, p.created_at
			from (select id, bool_and(near) as near from ins group by id) i, lateral (select * from payins where id = i.id limit 1) p order by i.near, p.id desc limit ?3)
		union all (select 'transfer', coalesce(t.payin_id::text, ''), trim_scale(t.amount) || ' ' || t.token || ' on ' || t.network, t.txid || ' · ' || t.status, t.seen_at
			from moved t order by t.txid <> ?0 and t.id <> ?1, t.seen_at desc limit ?3)
		union all (select 'wallet', w.merchant_id::text, w.wallet, w.customer_info || ' · ' || w.family, w.created_at
			from (select id, bool_and(near) as near from held group by id) h, lateral (select * from wallets where id = h.id limit 1) w order by h.near, w.id desc limit ?3)
		union all (select 'delivery', id::text, event, url, created_at from deliveries where id = ?1)
		union all (select 'key', m.id::text, k.id, m.name, k.created_at from keys k join merchants m on m.id = k.merchant_id
			where k.id between ?0 and ?5 order by k.id limit ?3)
		union all (select 'merchant', id::text, name, email, created_at from merchants where id = ?1 or name ilike ?4 order by name limit ?3)`,
		word, id, searchedPayouts, limit, "%"+pg.EscapeLike(word)+"%", last, pg.Array(families())).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return out, nil
}

// families are those of all networks: addresses are kept under them.
func families() (all []string) {
	for _, n := range pay.Networks {
		if !slices.Contains(all, string(n.Family)) {
			all = append(all, string(n.Family))
		}
	}
	return all
}
