package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// ErrNoIndexLeft says that every derivation index was handed out or skipped.
var ErrNoIndexLeft = errors.New("no derivation index is left")

// NextAddressIndex hands out a derivation index; it is never handed out again.
func (s *Store) NextAddressIndex(ctx context.Context) (int64, error) {
	var index int64
	err := s.Q.NewRaw("select nextval('address_index')").Scan(ctx, &index)
	switch {
	case sqlState(err) == "2200H":
		return 0, ErrNoIndexLeft
	case err != nil:
		return 0, fmt.Errorf("next address index: %w", err)
	}
	return index, nil
}

// SkipAddressIndexes leaves out the next n derivation indexes, or all the rest if fewer are left. They stay skipped
// when the transaction is rolled back.
func (s *Store) SkipAddressIndexes(ctx context.Context, n int64) error {
	_, err := s.Q.NewRaw("select setval('address_index', least(last_value + ?, ?)) from address_index", n, math.MaxInt32).Exec(ctx)
	if err != nil {
		return fmt.Errorf("skip address indexes: %w", err)
	}
	return nil
}

// addAddress records an address of ours.
func (s *Store) addAddress(ctx context.Context, a *pay.Address) error {
	if _, err := s.Q.NewInsert().Model(a).Returning("id").Exec(ctx, &a.ID); err != nil {
		return fmt.Errorf("add address: %w", err)
	}
	return nil
}

// Place is where a transfer can go: the spelling used to look up an address, and the memo where there is one.
type Place struct{ Match, Memo string }

// AddressesAt returns our addresses of a family at the given places or, without their memo, at their addresses. Where a
// memo was used again, the newest has it.
func (s *Store) AddressesAt(ctx context.Context, family pay.Family, places []Place) (map[Place]*pay.Address, error) {
	wanted := make(map[Place]bool, len(places))
	for _, p := range places {
		wanted[p], wanted[Place{Match: p.Match}] = true, true
	}
	var matches, memos []string
	for p := range wanted {
		matches, memos = append(matches, p.Match), append(memos, p.Memo)
	}
	out := make(map[Place]*pay.Address, len(wanted))
	err := pg.Rows(ctx, s.Q, "match addresses", func(rows *sql.Rows) error {
		a := new(pay.Address)
		var merchant *uuid.UUID
		var network *string
		var after *int
		if err := rows.Scan(&a.ID, &a.Family, &a.Match, &a.Address, &a.Memo, &a.Position, &a.PayinID, &a.WalletID, &merchant, &network, &after); err != nil {
			return err
		}
		if merchant != nil {
			a.Asks = &pay.PayinTerms{MerchantID: *merchant, Network: *network, CreditAfter: pay.CreditDepth(*after)}
		}
		out[Place{a.Match, a.Memo}] = a
		return nil
	}, `select (d.at).id, (d.at).family, (d.at).match, (d.at).address, (d.at).memo, (d.at).position, (d.at).payin_id, (d.at).wallet_id,
		d.merchant, d.network, d.credit_after from addresses_at($1, $2, $3) d`,
		string(family), matches, memos)
	return out, err
}

// AskedAddresses returns the addresses of a family for which its nodes are asked: those of payins made since a time, and all of fixed
// wallets. The one that payins with memos share is none of them: its connector asks for it anyway.
func (s *Store) AskedAddresses(ctx context.Context, family pay.Family, since time.Time) (out []string, err error) {
	err = pg.Rows(ctx, s.Q, "read addresses to ask for", func(rows *sql.Rows) error {
		var match string
		err := rows.Scan(&match)
		out = append(out, match)
		return err
	}, `select match from addresses where family = $1 and payin_id >= $2 and memo = ''
		union all select match from addresses where family = $1 and wallet_id is not null`, string(family), FirstIDAt(since))
	return out, err
}

// NewestAddresses returns the addresses of a family that were given out last: that of the newest payin, and that of the newest fixed wallet.
// Payins made at the same time may have numbers some places above.
func (s *Store) NewestAddresses(ctx context.Context, family pay.Family) (out []string, err error) {
	err = pg.Rows(ctx, s.Q, "read the newest addresses", func(rows *sql.Rows) error {
		var match string
		err := rows.Scan(&match)
		out = append(out, match)
		return err
	}, `(select match from addresses where family = $1 and payin_id is not null order by payin_id desc limit 1)
		union all (select match from addresses where family = $1 and wallet_id is not null order by wallet_id desc limit 1)`, string(family))
	return out, err
}

// SharedAddresses returns the given spellings of our addresses with memos: one such address serves many, and the memo
// tells them apart.
func (s *Store) SharedAddresses(ctx context.Context, family pay.Family, matches []string) (map[string]bool, error) {
	var rows []string
	err := s.Q.NewRaw(`select p.match from (select distinct match from unnest(?::text[]) as u(match)) p
		where exists (select from addresses a where a.family = ? and a.match = p.match and a.memo <> '')`, pg.Array(matches), family).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("match shared addresses: %w", err)
	}
	out := make(map[string]bool, len(rows))
	for _, match := range rows {
		out[match] = true
	}
	return out, nil
}

// Owner is the merchant of an address: it has the payin or the fixed wallet of the address.
type Owner struct {
	MerchantID uuid.UUID `json:"merchant_id"`
	Merchant   string    `json:"merchant"` // its name
}

// OwnersOf returns the owners of addresses, by the id of the address. An address without an owner is missing.
func (s *Store) OwnersOf(ctx context.Context, addresses []*pay.Address) (map[int64]*Owner, error) {
	ids := make([]int64, len(addresses))
	for i, a := range addresses {
		ids[i] = a.ID
	}
	var rows []struct {
		Address int64
		Owner
	}
	err := s.Q.NewRaw(`select a.id as address, m.id as merchant_id, m.name as merchant from addresses a
			left join payins p on p.id = a.payin_id left join wallets w on w.id = a.wallet_id
			join merchants m on m.id = coalesce(p.merchant_id, w.merchant_id)
		where a.id = any(?::bigint[])`, pg.Array(ids)).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read whose addresses are: %w", err)
	}
	out := make(map[int64]*Owner, len(rows))
	for i := range rows {
		out[rows[i].Address] = &rows[i].Owner
	}
	return out, nil
}

// RecentAddresses returns our addresses on a network with a transfer that is not final, with an open move of the treasury, or with
// something found, moved or spent since a time, after the given one, in order.
func (s *Store) RecentAddresses(ctx context.Context, network string, since time.Time, after string, limit int) ([]string, error) {
	var out []string
	err := s.Q.NewRaw(`select distinct address from (
			select address from transfers where id >= ?1 and network = ?0 and status <> 'treasury'
			union all select address from transfers where open and network = ?0
			union all select address from quiet_holdings where network = ?0 and found_at >= ?2
			union all select a from treasury_moves, unnest(array[from_address, to_address]) a where network = ?0 and updated_at >= ?2
			union all select a from treasury_moves, unnest(array[from_address, to_address]) a where network = ?0 and status in ('planned', 'signed', 'sent')
			union all select a from moves_by_hand, unnest(senders || recipients) a where network = ?0 and seen_at >= ?2
			union all select address from asides where network = ?0 and seen_at >= ?2
			union all select deposit from coins where network = ?0 and moved_at >= ?2 and deposit is not null
			union all select a from moves_by_hand, unnest(senders || recipients) a where network = ?0 and cost is null) r
		where address > ?3 order by address limit ?4`, network, FirstIDAt(since), since, after, limit).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read recent addresses: %w", err)
	}
	return out, nil
}

// UsedAddresses returns our addresses on a network with any transfer, quiet holding, aside or move by hand to them, after the given one,
// in order.
func (s *Store) UsedAddresses(ctx context.Context, network, after string, limit int) ([]string, error) {
	var out []string
	err := s.Q.NewRaw(`(select distinct address from transfers where network = ?0 and address > ?1 and status <> 'treasury' order by address limit ?2)
		union (select distinct address from quiet_holdings where network = ?0 and address > ?1 order by address limit ?2)
		union (select distinct a from moves_by_hand, unnest(recipients) a where network = ?0 and recipients <> '{}' and a > ?1 order by a limit ?2)
		union (select distinct address from asides where network = ?0 and address > ?1 order by address limit ?2)
		order by address limit ?2`, network, after, limit).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read used addresses: %w", err)
	}
	return out, nil
}
