package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/pg"
)

// FreeCoin is a coin of a hot wallet that no slot has. It lies at the wallet itself, or at a deposit address.
type FreeCoin struct {
	ID, Token string
	Amount    decimal.Decimal
	Deposit   string // the deposit address, in the spelling of transfers; "" for the hot wallet itself
	Position  int64  // the index of its key
}

// FoundCoin is a coin of a hot wallet in a block.
type FoundCoin struct {
	FreeCoin
	Height int64
	Own    bool // change of ours
	Mixed  bool // tokens of others lie in it too: it is never spent
	Apart  bool // it lies at another form of the address
}

// SpentCoin is a coin spent in a block.
type SpentCoin struct {
	ID, Txid string
	Height   int64
	OwnCoin  // set by SpendCoins
}

// OwnCoin says whose a coin is.
type OwnCoin struct {
	Address string // the hot wallet that may spend it
	Deposit string // the deposit address at which it lies; "" for the hot wallet itself
	Leased  bool   // to a slot
}

// AddCoins keeps coins of a hot wallet. One known before is in a block again, and its lease stays.
func (s *Store) AddCoins(ctx context.Context, network, address string, found []FoundCoin) error {
	if len(found) == 0 {
		return nil
	}
	ids, tokens, amounts := make([]string, len(found)), make([]string, len(found)), make([]string, len(found))
	heights, own := make([]int64, len(found)), make([]bool, len(found))
	deposits, positions := make([]string, len(found)), make([]int64, len(found))
	mixed, apart := make([]bool, len(found)), make([]bool, len(found))
	for i, c := range found {
		ids[i], tokens[i], amounts[i], heights[i], own[i] = c.ID, c.Token, c.Amount.String(), c.Height, c.Own
		deposits[i], positions[i], mixed[i], apart[i] = c.Deposit, c.Position, c.Mixed, c.Apart
	}
	_, err := pg.Exec(ctx, s.Q, "keep coins", `insert into coins (network, address, id, token, amount, height, own, deposit, position, mixed, apart)
		select $1, $2, id, token, amount::numeric, height, own, nullif(deposit, ''), case when deposit <> '' then position end, mixed, apart
		from unnest($3::text[], $4::text[], $5::text[], $6::bigint[], $7::boolean[], $8::text[], $9::bigint[], $10::boolean[], $11::boolean[])
			as c(id, token, amount, height, own, deposit, position, mixed, apart) order by id
		on conflict (network, id) do update set token = excluded.token, amount = excluded.amount, height = excluded.height, own = excluded.own,
			deposit = excluded.deposit, position = excluded.position, mixed = excluded.mixed, apart = excluded.apart,
			moved_at = now()`,
		network, address, ids, tokens, amounts, heights, own, deposits, positions, mixed, apart)
	return err
}

// ApartCoins returns the coins at another form of an address of ours that are unspent after the block at a height, as of the books.
func (s *Store) ApartCoins(ctx context.Context, network string, height int64) (ids []string, err error) {
	err = s.Q.NewRaw("select id from coins where network = ?0 and apart and height <= ?1 and (spent_height is null or spent_height > ?1)", network, height).
		Scan(ctx, &ids)
	if err != nil {
		return nil, fmt.Errorf("read the coins apart of %s: %w", network, err)
	}
	return ids, nil
}

// OwnCoins returns those of the coins that are ours, of a former hot wallet too, by id.
func (s *Store) OwnCoins(ctx context.Context, network string, ids []string) (map[string]OwnCoin, error) {
	out := map[string]OwnCoin{}
	for some := range slices.Chunk(ids, lookedUpTogether) {
		err := pg.Rows(ctx, s.Q, "look up coins", func(rows *sql.Rows) error {
			var id string
			var c OwnCoin
			if err := rows.Scan(&id, &c.Address, &c.Deposit, &c.Leased); err != nil {
				return err
			}
			out[id] = c
			return nil
		}, `select c.id, c.address, coalesce(c.deposit, ''), c.slot is not null from unnest($2::text[]) as s(id),
			lateral (select * from coins c where c.network = $1 and c.id = s.id limit 1) c`, network, some)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// lookedUpTogether is how many coins one statement looks up: a step may have read millions.
const lookedUpTogether = 50_000

// SpendCoins notes the ends of coins, and returns those among them that are ours, of a former hot wallet too.
func (s *Store) SpendCoins(ctx context.Context, network string, spent []SpentCoin) (ours []SpentCoin, err error) {
	if len(spent) == 0 {
		return nil, nil
	}
	ids, txids, heights := make([]string, len(spent)), make([]string, len(spent)), make([]int64, len(spent))
	for i, c := range spent {
		ids[i], txids[i], heights[i] = c.ID, c.Txid, c.Height
	}
	err = s.Q.NewRaw(`update coins c set spent_by = s.txid, spent_height = s.height, moved_at = now()
		from unnest(?::text[], ?::text[], ?::bigint[]) as s(id, txid, height)
		where c.network = ? and c.id = s.id
		returning c.id, s.txid, s.height, c.address, coalesce(c.deposit, '') as deposit, c.slot is not null as leased`,
		pg.Array(ids), pg.Array(txids), pg.Array(heights), network).Scan(ctx, &ours)
	if err != nil {
		return nil, fmt.Errorf("note spent coins: %w", err)
	}
	return ours, nil
}

// freeColumns are the columns of a FreeCoin.
const freeColumns = "id, token, amount, coalesce(deposit, '') as deposit, coalesce(position, 0) as position"

// HoldCoins returns the free coins of a hot wallet, the largest first. It locks the row of the wallet's slots: nobody else leases a coin
// of it until the transaction ends.
func (s *Store) HoldCoins(ctx context.Context, network, address string) ([]FreeCoin, error) {
	if _, err := s.Q.NewRaw("select from signing_nonces where network = ? and address = ? for update", network, address).Exec(ctx); err != nil {
		return nil, fmt.Errorf("hold the coins of %s: %w", address, err)
	}
	var out []FreeCoin
	err := s.Q.NewRaw("select "+freeColumns+" from free_coins(?, ?)", network, address).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read the free coins of %s: %w", address, err)
	}
	return out, nil
}

// LeaseCoins gives free coins to a slot, behind those it has, all or none: false when one of them is not free. The caller holds the
// row of the slots.
func (s *Store) LeaseCoins(ctx context.Context, network string, slot int64, behind int, ids []string) (bool, error) {
	res, err := s.Q.NewRaw(`update coins set slot = ?, place = ? + l.place from unnest(?::text[]) with ordinality as l(coin, place)
		where network = ? and id = l.coin and slot is null and spent_by is null`, slot, behind-1, pg.Array(ids), network).Exec(ctx)
	if err != nil {
		return false, fmt.Errorf("lease coins: %w", err)
	}
	leased, err := res.RowsAffected()
	return leased == int64(len(ids)), err
}

// FreeCoins ends the leases of slots that have a final transaction, of the coins not spent by it.
func (s *Store) FreeCoins(ctx context.Context, network, address string, slots []int64) error {
	_, err := s.Q.NewRaw("update coins set slot = null, place = null where network = ? and address = ? and slot = any(?) and spent_by is null", network, address,
		pg.Array(slots)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("free coins: %w", err)
	}
	return nil
}

// ChangeLeased returns the transactions with change now leased, but for the first coins of dead slots. Nothing else may be signed
// for their slot then.
func (s *Store) ChangeLeased(ctx context.Context, network string, txids []string) (leased []string, err error) {
	err = s.Q.NewRaw(`select t.txid from unnest(?::text[]) as t(txid) where exists (
		select from coins c where c.network = ? and c.id between t.txid || ':' and t.txid || ';' and c.slot is not null
			and not (c.place = 0 and c.height is null
				and exists (select from signed_transactions d where d.network = c.network and d.state = 'expired' and d.address = c.address and d.nonce = c.slot)
				and not exists (select from signed_transactions b where b.network = c.network and b.address = c.address and b.nonce = c.slot and b.open)))`, pg.Array(txids), network).Scan(ctx, &leased)
	if err != nil {
		return nil, fmt.Errorf("look for leased change: %w", err)
	}
	return leased, nil
}

// CoinsOf returns the coins leased to a slot, the first one first. Of the others it leaves out those spent, and those in no block.
func (s *Store) CoinsOf(ctx context.Context, network, address string, slot int64) ([]FreeCoin, error) {
	var out []FreeCoin
	err := s.Q.NewRaw("select "+freeColumns+" from coins where network = ? and address = ? and slot = ? and (spent_by is null and height is not null or place = 0) order by place", network, address, slot).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read the coins of a slot: %w", err)
	}
	return out, nil
}

// GoneCoins returns the coins leased to a slot that are in no block, for so long at least, without the first one.
func (s *Store) GoneCoins(ctx context.Context, network, address string, slot int64, since time.Duration) ([]FreeCoin, error) {
	var out []FreeCoin
	err := s.Q.NewRaw("select "+freeColumns+" from coins where network = ? and address = ? and slot = ? and spent_by is null and height is null "+
		"and place > 0 and moved_at <= now() - ? * interval '1 microsecond' order by place", network, address, slot, since.Microseconds()).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read the gone coins of a slot: %w", err)
	}
	return out, nil
}

// UndoCoins takes back what blocks above a height have found and spent. Leases stay, and so do stops for foreign transactions.
func (s *Store) UndoCoins(ctx context.Context, network string, above int64) error {
	for _, statement := range []string{
		"update coins set spent_by = null, spent_height = null, moved_at = now() where network = ? and spent_height > ? and spent_by is not null",
		"update coins set height = null, moved_at = now() where network = ? and height > ?",
		"update foreign_spends set height = null where network = ? and height > ?",
	} {
		if _, err := s.Q.NewRaw(statement, network, above).Exec(ctx); err != nil {
			return fmt.Errorf("undo coins: %w", err)
		}
	}
	return nil
}

// AddForeign keeps a transaction of a hot wallet unknown to the books, with its height; nil while it is in no block. From now on nothing
// is signed with the wallet, until a person has resumed it.
func (s *Store) AddForeign(ctx context.Context, network, address string, found ...ForeignSpend) error {
	for _, f := range found {
		_, err := s.Q.NewRaw(`insert into foreign_spends (network, address, txid, height) values (?, ?, ?, ?)
			on conflict (network, txid) do update set height = excluded.height`, network, address, f.Txid, f.Height).Exec(ctx)
		if err != nil {
			return fmt.Errorf("keep a foreign transaction: %w", err)
		}
	}
	return nil
}

// ForeignSpend is a transaction of a hot wallet unknown to the books.
type ForeignSpend struct {
	Txid   string
	Height *int64 // of its block; nil while it is in none any more
}

// Foreign returns the transactions of a hot wallet that stop it.
func (s *Store) Foreign(ctx context.Context, network, address string) ([]ForeignSpend, error) {
	var all []ForeignSpend
	err := s.Q.NewRaw("select txid, height from foreign_spends where network = ? and address = ? and resumed_at is null order by txid", network, address).Scan(ctx, &all)
	if err != nil {
		return nil, fmt.Errorf("read foreign transactions: %w", err)
	}
	return all, nil
}

// ForeignOrigin reports whether followed blocks have a transaction of a hot wallet unknown to the books.
func (s *Store) ForeignOrigin(ctx context.Context, network, address, txid string) (sent bool, err error) {
	err = s.Q.NewRaw("select exists (select from foreign_spends where network = ? and address = ? and txid = ? and height is not null)", network, address,
		txid).Scan(ctx, &sent)
	if err != nil {
		return false, fmt.Errorf("look up foreign transaction %s: %w", txid, err)
	}
	return sent, nil
}

// SlotsSpent returns the slots of a hot wallet whose first coin a transaction in a block has spent: no transaction of theirs can be mined
// any more.
func (s *Store) SlotsSpent(ctx context.Context, network, address, txid string) ([]int64, error) {
	var slots []int64
	err := s.Q.NewRaw("select distinct slot from coins where network = ? and address = ? and spent_by = ? and place = 0 order by slot", network, address,
		txid).Scan(ctx, &slots)
	if err != nil {
		return nil, fmt.Errorf("look up the slots spent by %s: %w", txid, err)
	}
	return slots, nil
}

// ResumeForeign notes that a person has looked at foreign transactions of a hot wallet.
func (s *Store) ResumeForeign(ctx context.Context, network, address string, txids []string) error {
	_, err := s.Q.NewRaw("update foreign_spends set resumed_at = now() where network = ? and address = ? and txid = any(?) and resumed_at is null",
		network, address, pg.Array(txids)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("resume from foreign transactions: %w", err)
	}
	return nil
}

// SeeSent notes our transactions in followed blocks as mined there, whatever a node says of them. Dead ones are among them: the
// death was none. It returns the txids of these.
func (s *Store) SeeSent(ctx context.Context, network string, moves []SignedMove) (undead []string, err error) {
	if len(moves) == 0 {
		return nil, nil
	}
	txids, heights, blocks := make([]string, len(moves)), make([]*int64, len(moves)), make([]string, len(moves))
	for i, m := range moves {
		txids[i], heights[i], blocks[i] = m.Txid, m.Height, m.Block.String()
	}
	err = s.Q.NewRaw(`with these as materialized (
			select t.network, t.txid, t.place, t.state, m.height, m.block from signed_transactions t
			join unnest(?1::text[], ?2::bigint[], ?3::uuid[]) as m(txid, height, block) on m.txid = t.txid
			where t.network = ?0 and t.state in ('signed', 'sent', 'rejected', 'expired') order by t.txid, t.place for update of t),
		seen as (update signed_transactions t set state = 'mined', height = these.height, block = these.block, sent_at = coalesce(t.sent_at, now())
			from these where t.network = these.network and t.txid = these.txid and t.place = these.place)
		select distinct txid from these where state in ('rejected', 'expired')`, network, pg.Array(txids), pg.Array(heights), pg.Array(blocks)).Scan(ctx, &undead)
	if err != nil {
		return nil, fmt.Errorf("note transactions in blocks: %w", err)
	}
	return undead, nil
}

// SignedBefore keeps what an earlier state of the books may have signed from being signed again, where a chain keeps no count of a
// wallet's transactions. In another run of the books than before, nothing is signed until the network's clock is above the answer of
// clear: all that was signed is in a followed block then, or dead. Where coins exclude, its final height takes the place of the clock.
// clear gets the greatest height and the latest clock known. SignedBefore reports whether it may be signed now.
func (s *Store) SignedBefore(ctx context.Context, network string, kind SigningKind, clear func(head, clock int64) (int64, error)) (may bool, err error) {
	var same bool
	var head, clock int64
	err = s.Q.NewRaw("select run = books_run(), books_sure(f, ?1) is true, head, coalesce(clock, 0) from followers f where network = ?0", network, kind).Scan(ctx, &same, &may, &head, &clock)
	if err = one(err, "follower of "+network); err != nil || same {
		return may, err
	}
	after, err := clear(head, clock)
	if err != nil {
		return false, err
	}
	_, err = s.Q.NewRaw("update followers set run = books_run(), clear_after = greatest(clear_after, ?) where network = ?", after, network).Exec(ctx)
	if err != nil {
		return false, fmt.Errorf("note the run of the books: %w", err)
	}
	return false, nil
}
