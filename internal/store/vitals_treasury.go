package store

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"
)

// TreasuryVitals tells of a token on a network: where its money is by the last whole look, what is on its way, and its rule.
type TreasuryVitals struct {
	Network    string
	Token      string
	Asset      string
	Seen       bool                // a whole look has ended; without one, Hot, Deposits and Cold are not known
	Hot        decimal.Decimal     // of the hot wallet
	Deposits   decimal.Decimal     // of all deposit addresses together
	Cold       decimal.Decimal     // of the cold addresses together
	Staked     decimal.Decimal     // of Hot; it cannot be spent
	Pot        decimal.NullDecimal // coins for payouts, those under way among them; null where no coins are spent whole
	Left       decimal.Decimal     // of coins not worth the fee of spending them when a move was last planned
	LeftCoins  int64
	Mixed      decimal.Decimal // of coins with tokens of others, beside Pot
	MixedCoins int64
	Moving     decimal.Decimal     // of open moves; it is still in Hot or Deposits until a look has seen it arrive
	Ruled      bool                // the treasury has a rule for it
	Floor      decimal.Decimal     // of the rule
	Target     decimal.Decimal     // of the rule
	Ceiling    decimal.NullDecimal // of the rule; null: nothing goes to the cold address by itself
	Paused     bool
}

// Payable is what payouts can be paid from.
func (v *TreasuryVitals) Payable() decimal.Decimal {
	if v.Pot.Valid {
		return v.Pot.Decimal
	}
	return v.Hot.Sub(v.Staked)
}

const openMoves = "status in ('planned', 'signed', 'sent')"

// TreasuryVitals returns every token with money, an open move or a rule, by network and token.
func (s *Store) TreasuryVitals(ctx context.Context) ([]TreasuryVitals, error) {
	var out []TreasuryVitals
	err := s.Q.NewRaw(`with held as (
			select network, asset, bool_or(kind = 'hot') as seen, coalesce(sum(amount) filter (where kind = 'hot'), 0) as hot,
				coalesce(sum(amount) filter (where kind = 'deposits'), 0) as deposits, coalesce(sum(amount) filter (where kind = 'cold'), 0) as cold,
				coalesce(sum(amount) filter (where kind = 'staked'), 0) as staked
			from wallet_holdings group by 1, 2),
		moving as (select network, token, sum(amount) as amount from treasury_moves where `+openMoves+` and kind in ('sweep', 'topup', 'cold') group by 1, 2),
		`+pots+`,
		dust as (select c.network, c.token, sum(c.amount) as amount, count(*) as coins from coins c
			join followers f on f.network = c.network and f.wallet = c.address
			cross join lateral (select coin from move_costs o where o.network = c.network order by at desc limit 1) o
			where c.spent_by is null and c.slot is null and not c.mixed and c.height is not null and c.amount <= ?0 * o.coin group by 1, 2)
		select t.network, t.symbol as token, t.balance_key as asset, coalesce(h.seen, false) as seen, coalesce(h.hot, 0) as hot,
			coalesce(h.deposits, 0) as deposits, coalesce(h.cold, 0) as cold, coalesce(h.staked, 0) as staked, c.amount as pot, coalesce(d.amount, 0) as left, coalesce(d.coins, 0) as left_coins,
			coalesce(c.mixed, 0) as mixed, coalesce(c.mixed_coins, 0) as mixed_coins,
			coalesce(m.amount, 0) as moving, r.network is not null as ruled,
			coalesce(r.hot_floor, 0) as floor, coalesce(r.hot_target, 0) as target, r.hot_ceiling as ceiling, coalesce(r.paused, false) as paused
		from tokens t left join held h on h.network = t.network and h.asset = t.balance_key
			left join pots c on c.network = t.network and c.asset = t.balance_key
			left join dust d on d.network = t.network and d.token = t.symbol
			left join moving m on m.network = t.network and m.token = t.symbol
			left join treasury_rules r on r.network = t.network and r.token = t.symbol
		where h.hot <> 0 or h.deposits <> 0 or h.cold <> 0 or m.amount is not null or r.network is not null
		order by 1, 2`, worthwhile).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read the vitals of the treasury: %w", err)
	}
	return out, nil
}

// MoveVitals tells of the moves of a kind on a network.
type MoveVitals struct {
	Network string
	Kind    string
	Open    int64 // they may still move something
	AgeMS   int64 // of the oldest open one that is in no block; zero without one
	// Failed counts those of the last day without a later move of the same money that is open or done. A loan's end, and a withdrawal of what
	// was staked, has failed as well if it was given up and none was done since.
	Failed int64
	Cost   decimal.Decimal // of all that are final, in the native coin
}

// MoveVitals returns the figures of every kind of move that there ever was, by network.
func (s *Store) MoveVitals(ctx context.Context) ([]MoveVitals, error) {
	var out []MoveVitals
	err := s.Q.NewRaw(`select m.network, m.kind, count(*) filter (where m.`+openMoves+`) as open,
			coalesce(max(extract(epoch from now() - m.created_at) * 1000) filter (where m.`+openMoves+`
				and not exists (select from signed_transactions s where s.payout_id = m.id and s.state = 'mined')), 0)::bigint as age_ms,
			count(*) filter (where m.updated_at > now() - interval '1 day' and (m.status = 'failed'
					or m.status = 'cancelled' and m.by = 'rules' and m.kind in ('undelegate', 'withdraw')) and not exists (
				select from treasury_moves l where l.network = m.network and l.from_address = m.from_address and l.to_address = m.to_address
					and l.token = m.token and l.id > m.id and l.updated_at > now() - interval '1 day'
					and l.status in ('signed', 'sent', 'done', 'planned') and (l.status <> 'planned' or m.status = 'failed'))) as failed,
			coalesce(sum(m.cost), 0) as cost
		from treasury_moves m group by 1, 2 order by 1, 2`).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read the vitals of moves: %w", err)
	}
	return out, nil
}
