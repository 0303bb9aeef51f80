package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// Sweepable is a deposit address with an amount of an asset when it was last asked about.
type Sweepable struct {
	Address string // in the spelling of transfers
	Index   uint32
	Shared  bool            // payins with memos share it: Since and Known are not told
	Since   *time.Time      // when the newest transfer there was mined; nil where no block is known
	Known   decimal.Decimal // of the coin: seen there by transfers for its owner, beside payments, and by moves that have ended; of a token nothing
	ByHand  bool            // money came or went by an operator's own tool: Known is not all
	Unfinal decimal.Decimal // of the token: seen there in blocks that may vanish
	Failed  int             // moves from there in the last day that came to nothing
}

// Sweepable returns deposit addresses with at least so much of an asset of a network, the largest amounts first; those with an open
// sweep are left out. Token is the one whose transfers are looked at, and coin the one that pays fees.
func (s *Store) Sweepable(ctx context.Context, network string, family pay.Family, asset, token, coin string, least decimal.Decimal, limit int) ([]Sweepable, error) {
	return s.sweepable(ctx, `h.network = ?0 and h.asset = ?2 and h.amount >= ?4`, network, family, asset, token, coin, least, limit)
}

// SweepableAt is Sweepable for one address, whatever it was known to hold.
func (s *Store) SweepableAt(ctx context.Context, network string, family pay.Family, token, coin, address string) ([]Sweepable, error) {
	return s.sweepable(ctx, `h.network = ?0 and h.address = ?2`, network, family, address, token, coin, decimal.Zero, 1)
}

func (s *Store) sweepable(ctx context.Context, where, network string, family pay.Family, of, token, coin string, least decimal.Decimal, limit int) ([]Sweepable, error) {
	var out []Sweepable
	err := s.Q.NewRaw(`with young as materialized (
			select t.address, sum(t.amount) as unfinal from followers f, lateral (
				select * from transfers o where o.network = ?0 and o.height > f.final and o.open
				union all select * from transfers c where c.network = ?0 and c.height > f.final and not c.open) t
			where f.network = ?0 and t.token = ?3 and t.status <> 'dropped' group by 1),
		by_hand as materialized (select distinct unnest(senders || recipients) as address from moves_by_hand where network = ?0)
		select h.address, a.position as index, a.memo <> '' as shared, t.since, greatest(0, coalesce(t.seen, 0) + coalesce(e.beside, 0) + coin_moved(?0, h.address, ?6)) as known, b.address is not null as by_hand, coalesce(y.unfinal, 0) as unfinal, f.failed
		from (select h.address, max(h.amount) as amount from address_holdings h where `+where+`
				and not exists (select from treasury_moves m where m.network = h.network and m.from_address = h.address and m.kind in ('sweep', 'prepare')
					and m.status in ('planned', 'signed', 'sent'))
			group by h.address order by amount desc, h.address limit ?5) h
			cross join lateral (select position, memo, payin_id, wallet_id from addresses where family = ?1 and match = h.address order by memo limit 1) a
			left join lateral (select max(mined_at) as since, sum(amount) as seen from (
					select t.* from transfers t where t.payin_id = a.payin_id
					union all select t.* from payins p join transfers t on t.payin_id = p.id where p.wallet_id = a.wallet_id) t
				where a.memo = '' and network = ?0 and address = h.address and token = ?3 and height is not null and status <> 'dropped') t on true
			cross join lateral (select sum(amount) as beside from asides where network = ?0 and address = h.address
				and height <= (select final from followers where network = ?0)) e
			left join young y on y.address = h.address
			left join by_hand b on b.address = h.address
			cross join lateral (select count(*) as failed from treasury_moves where network = ?0 and from_address = h.address and token = ?3
				and status in ('failed', 'cancelled') and updated_at > now() - interval '1 day') f
		order by h.amount desc, h.address`, network, family, of, token, least, limit, coin).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read what can be swept on %s: %w", network, err)
	}
	return out, nil
}

// Lent is a deposit address to which the hot wallet has lent.
type Lent struct {
	Address string // in the spelling of transfers
	Index   uint32
}

// Unneeded returns those of some addresses that are deposit addresses, and have no open move from there or to there.
func (s *Store) Unneeded(ctx context.Context, network string, family pay.Family, addresses []string) ([]Lent, error) {
	var out []Lent
	err := s.Q.NewRaw(`select distinct a.match as address, a.position as index from addresses a
		where a.family = ?0 and a.match = any(?1::text[]) and a.memo = '' and not exists (select from treasury_moves m where m.network = ?2
			and m.status in ('planned', 'signed', 'sent') and (m.from_address = a.match or m.to_address = a.match)) order by 1`,
		family, pg.Array(addresses), network).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read whom the hot wallet of %s has lent to: %w", network, err)
	}
	return out, nil
}

// JoblessMoves returns the planned moves of a network without a job that wait for no top-up: an operator or a failure has ended it.
func (s *Store) JoblessMoves(ctx context.Context, network string) (ids []uuid.UUID, err error) {
	err = s.Q.NewRaw(`select m.id from treasury_moves m where m.network = ? and m.status = 'planned'
		and not exists (select from jobs j where j.kind = 'treasury.move' and j.ref = m.id)
		and not exists (select from treasury_moves t where t.after = m.id and t.status in ('planned', 'signed', 'sent')) order by m.id`, network).Scan(ctx, &ids)
	if err != nil {
		return nil, fmt.Errorf("read the moves of %s without a job: %w", network, err)
	}
	return ids, nil
}

// UnfinalAt returns what has come to an address of a token by transfers in blocks that are not final.
func (s *Store) UnfinalAt(ctx context.Context, network, address, token string) (sum decimal.Decimal, err error) {
	err = s.Q.NewRaw(`select coalesce(sum(amount), 0) from transfers where network = ?0 and address = ?1 and token = ?2 and status <> 'dropped'
		and height > (select final from followers where network = ?0)`, network, address, token).Scan(ctx, &sum)
	return sum, one(err, "what is not final at "+address)
}

// QueuedSum returns what payouts of a token on a network ask for and nothing is signed for, and how many they are.
func (s *Store) QueuedSum(ctx context.Context, network, token string) (sum decimal.Decimal, count int64, err error) {
	err = s.Q.NewRaw(`select coalesce(sum(amount), 0), count(*) from payouts
		where wire_status = 'pending' and network = ? and token = ? and status = 'queued' and not cancelling`, network, token).Scan(ctx, &sum, &count)
	return sum, count, one(err, "queued payouts of "+network)
}

// BusyMoves counts the open moves of a network without those that wait: for lower fees, or for the end of a stop.
func (s *Store) BusyMoves(ctx context.Context, network string) (count int, err error) {
	err = s.Q.NewRaw(`select count(*) from treasury_moves m where network = ? and status in ('planned', 'signed', 'sent') and not (status = 'planned'
		and exists (select from jobs j where j.kind = 'treasury.move' and j.ref = m.id and j.failures > 0))`, network).Scan(ctx, &count)
	return count, one(err, "open moves of "+network)
}

// OpenPayoutSums returns by token what open payouts of a network ask for, with what is on its way to the hot wallet, to the cold
// address or into a stake: none of it is there for a move.
func (s *Store) OpenPayoutSums(ctx context.Context, network string) (map[string]decimal.Decimal, error) {
	var rows []struct {
		Token string
		Sum   decimal.Decimal
	}
	err := s.Q.NewRaw(`select token, sum(amount) as sum from (
			select token, amount from payouts where wire_status = 'pending' and network = ?0
			union all select token, amount from treasury_moves where network = ?0 and (kind = 'sweep' and status in ('signed', 'sent')
				or kind in ('cold', 'stake') and status in ('planned', 'signed', 'sent'))) o group by token`, network).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("add up open payouts of %s: %w", network, err)
	}
	out := make(map[string]decimal.Decimal, len(rows))
	for _, r := range rows {
		out[r.Token] = r.Sum
	}
	return out, nil
}

// ColdAddress is an address of the operator beside the hot wallet.
type ColdAddress struct {
	Network, Address string
	Confirmed        bool // somebody has seen the first amount arrive
	Moved            bool // a move has gone there
}

// ColdAddressAt returns a cold address, or pay.ErrNotFound while what it holds is not in the books.
func (s *Store) ColdAddressAt(ctx context.Context, network, address string) (c ColdAddress, err error) {
	err = s.Q.NewRaw(`select network, address, confirmed_at is not null as confirmed,
			exists (select from treasury_moves m where m.network = c.network and m.to_address = c.address and m.kind = 'cold'
				and m.status in ('planned', 'signed', 'sent', 'done')) as moved
		from cold_addresses c where network = ? and address = ? and height is not null`, network, address).Scan(ctx, &c)
	return c, one(err, "cold address "+address)
}

// NoteMoveCost keeps what a move of the native coin on a network costs now, and one more coin in it if coins are spent whole, and returns the cost that three of ten notes of the last
// week are at or below. Older notes are deleted.
func (s *Store) NoteMoveCost(ctx context.Context, network string, cost decimal.Decimal, coin decimal.NullDecimal) (cheap decimal.Decimal, err error) {
	_, err = s.Q.NewRaw(`with gone as (delete from move_costs where network = ?0 and at < now() - interval '7 days')
		insert into move_costs (network, cost, coin) values (?0, ?1, ?2) on conflict do nothing`, network, cost, coin).Exec(ctx)
	if err != nil {
		return cheap, fmt.Errorf("note what a move costs on %s: %w", network, err)
	}
	return s.CheapMove(ctx, network)
}

// CheapMove returns the cost that three of ten notes of the last week are at or below; zero without a note.
func (s *Store) CheapMove(ctx context.Context, network string) (cheap decimal.Decimal, err error) {
	err = s.Q.NewRaw("select coalesce(percentile_disc(0.3) within group (order by cost), 0) from move_costs where network = ?", network).Scan(ctx, &cheap)
	return cheap, one(err, "costs of moves on "+network)
}

// CancelOldMoves cancels planned moves of the rules with nothing signed after a time, and returns how many there were. A sweep goes with
// its top-up, and waits for a signed one.
func (s *Store) CancelOldMoves(ctx context.Context, network string, after time.Duration) (int64, error) {
	res, err := s.Q.NewRaw(`update treasury_moves m set status = 'cancelled', reason = 'nothing was signed for it in time', updated_at = now()
		where network = ?0 and status = 'planned' and by = ?1 and created_at < now() - ?2 * interval '1 microsecond'
			and not exists (select from treasury_moves t where t.network = ?0 and t.after = m.id and (t.status in ('signed', 'sent')
				or t.status = 'planned' and t.created_at >= now() - ?2 * interval '1 microsecond'))`,
		network, pay.ByRules, after.Microseconds()).Exec(ctx)
	if err != nil {
		return 0, fmt.Errorf("cancel old moves of %s: %w", network, err)
	}
	return res.RowsAffected()
}
