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

const (
	// askedDays is how far back to ask about payins that wait for coin, since none is open for more than a day.
	askedDays = 8
	// walkScan is how many payins or wallets one piece of a round looks through.
	walkScan = 1000
)

// Walk is how far a round has come through the addresses with nothing seen at them.
type Walk struct {
	After   uuid.UUID `json:"after"`   // the last payin or wallet looked at
	Wallets bool      `json:"wallets"` // the payins are done
	Rests   bool      `json:"-"`       // the last round has ended less than an hour ago
	Ended   bool      `json:"-"`       // the round has ended just now
}

// QuietHolding is money at an address of ours beyond the transfers seen there. Comparing its network with the books
// counts it.
type QuietHolding struct {
	Network, Address, Asset string
	Owner                   string // for people: the payin or fixed wallet of the address
}

// Awaiting is an address of an open payin.
type Awaiting struct {
	Address string
	Owner   string
	Seen    decimal.Decimal // of transfers of the coin to the payin
}

// movedHere is the moves by hand to the deposit address a on the network ?0, and what came there beside payments.
const movedHere = `select from moves_by_hand h where h.network = ?0 and h.recipients <> '{}' and a.match = any(h.recipients)
	union all select from asides s where s.network = ?0 and s.address = a.match`

// AwaitingCoin returns the addresses of open payins of a network older than below, at most so many and the newest first, with the
// sums seen of a coin up to a height. An address with memos is never among them, and neither is one with a move under way, or with coin by hand from addresses of ours. uuid.Nil begins with the newest payin.
// The last payin read is returned for the next call, and uuid.Nil after the oldest.
func (s *Store) AwaitingCoin(ctx context.Context, network, coin string, height int64, below uuid.UUID, limit int) (out []Awaiting, last uuid.UUID, err error) {
	var rows []struct {
		ID uuid.UUID
		Awaiting
	}
	err = s.Q.NewRaw(`select p.id, coalesce(a.match, '') as address, 'payin ' || p.id as owner, coalesce((select sum(t.amount) from transfers t
			where t.payin_id = p.id and t.network = ?0 and t.token = ?1 and t.status <> 'dropped' and t.height <= ?2), 0) + coin_moved(?0, a.match, ?1) as seen
		from (select id from payins where id >= ?4 and (?5 = ?6 or id < ?5) and status = 'pending' and network = ?0 order by id desc limit ?3) p
		left join addresses a on a.payin_id = p.id and a.memo = '' and not exists (select from treasury_moves m
				where m.network = ?0 and a.match in (m.to_address, m.from_address) and m.status in ('signed', 'sent')) and not exists (`+movedHere+`)
		order by p.id desc`, network, coin, height, limit, FirstIDAt(time.Now().AddDate(0, 0, -askedDays)), below, uuid.Nil).Scan(ctx, &rows)
	if err != nil {
		return nil, last, fmt.Errorf("read addresses that wait for coin: %w", err)
	}
	for _, r := range rows {
		if r.Address != "" {
			out = append(out, r.Awaiting)
		}
	}
	if len(rows) >= limit {
		last = rows[len(rows)-1].ID
	}
	return out, last, nil
}

// SeenAt returns what is known of a coin at an address by the transfers up to a height, for any owner, and by the moves that have ended.
func (s *Store) SeenAt(ctx context.Context, network, coin, address string, height int64) (seen decimal.Decimal, err error) {
	err = s.Q.NewRaw(`select coalesce(sum(amount), 0) + coin_moved(?0, ?2, ?1) from transfers
		where network = ?0 and token = ?1 and address = ?2 and status <> 'dropped' and height <= ?3`, network, coin, address, height).Scan(ctx, &seen)
	return seen, one(err, "what was seen at "+address)
}

// OwnersAt names for people the payin or fixed wallet of each address of a family.
func (s *Store) OwnersAt(ctx context.Context, family pay.Family, addresses []string) (map[string]string, error) {
	var rows []struct{ Match, Owner string }
	err := s.Q.NewRaw(`select match, coalesce('payin ' || payin_id, 'fixed wallet ' || wallet_id, '') as owner from addresses
		where family = ? and match = any(?) and memo = ''`, family, pg.Array(addresses)).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read whose addresses are: %w", err)
	}
	out := make(map[string]string, len(rows))
	for _, r := range rows {
		out[r.Match] = r.Owner
	}
	return out, nil
}

// QuietAddresses goes on with a round through the payins of a network that were made since a time, and the assigned wallets of its
// family. It returns at most so many addresses without any transfer or move by hand ever seen, and how far the round has
// come. An address with memos is never among them.
func (s *Store) QuietAddresses(ctx context.Context, network string, family pay.Family, since time.Time, from Walk, limit int) (quiet []string, to Walk, err error) {
	query := `select p.id, coalesce(a.match, '') as match from (select id, network from payins where id > ?1 and id >= ?2 order by id limit ?3) p
		left join lateral (select match from addresses a where payin_id = p.id and memo = '' and p.network = ?0
			and not exists (select from transfers t where t.payin_id = p.id) and not exists (` + movedHere + `) limit 1) a on true
		order by p.id`
	if from.Wallets {
		query = `select w.id, coalesce(a.match, '') as match from (select * from wallets where id > ?1 order by id limit ?3) w
			left join lateral (select match from addresses a where wallet_id = w.id and memo = '' and w.family = ?4
				and w.status = 'STATUS_ASSIGNED' and w.last_transaction_at is null and not exists (` + movedHere + `) limit 1) a on true
			order by w.id`
	}
	var rows []struct {
		ID    uuid.UUID
		Match string
	}
	err = s.Q.NewRaw(query, network, from.After, FirstIDAt(since), walkScan, family).Scan(ctx, &rows)
	if err != nil {
		return nil, from, fmt.Errorf("read addresses at which nothing was seen: %w", err)
	}
	to = from
	for _, r := range rows {
		if to.After = r.ID; r.Match == "" {
			continue
		}
		if quiet = append(quiet, r.Match); len(quiet) == limit {
			return quiet, to, nil
		}
	}
	switch {
	case len(rows) == walkScan:
	case from.Wallets:
		to = Walk{Ended: true}
	default:
		to = Walk{Wallets: true}
	}
	return quiet, to, nil
}

// quietHoldings returns quiet holdings by network, the newest first.
func (s *Store) quietHoldings(ctx context.Context) (map[string][]QuietHolding, error) {
	var rows []QuietHolding
	err := s.Q.NewRaw("select network, address, asset, owner from quiet_holdings order by found_at desc, address").Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read what lies where nothing was seen: %w", err)
	}
	out := map[string][]QuietHolding{}
	for _, r := range rows {
		out[r.Network] = append(out[r.Network], r)
	}
	return out, nil
}

// addQuietHoldings remembers quiet holdings.
func (s *Store) addQuietHoldings(ctx context.Context, found []QuietHolding) error {
	for _, f := range found {
		_, err := s.Q.NewRaw("insert into quiet_holdings (network, address, asset, owner) values (?, ?, ?, ?) on conflict do nothing",
			f.Network, f.Address, f.Asset, f.Owner).Exec(ctx)
		if err != nil {
			return fmt.Errorf("keep what lies at %s: %w", f.Address, err)
		}
	}
	return nil
}
