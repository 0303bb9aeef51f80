package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
)

const (
	// askedDays is how far back payins are asked about at whose addresses nothing was seen: those that are open, and those that
	// ended in the week before, since none is open for more than a day.
	askedDays = 8
	// walkScan is how many payins or wallets one piece of a round looks through.
	walkScan = 1000
)

// Walk is how far a round has come through the addresses at which nothing was seen.
type Walk struct {
	After   uuid.UUID `json:"after"`   // the last payin or wallet that was looked at
	Wallets bool      `json:"wallets"` // the payins are done
	Rests   bool      `json:"-"`       // the last round has ended less than an hour ago
	Ended   bool      `json:"-"`       // the round has ended just now
}

// QuietHolding is money at an address of ours at which nothing was ever seen. Comparing its network with the books counts it.
type QuietHolding struct{ Network, Address, Asset string }

// QuietAddresses goes on with a round through the payins of a network that are open or ended in the last days, and the assigned
// wallets of its family, and returns at most so many of their addresses, those to which no transfer was ever seen, with how far
// that is. An address that memos tell apart is never among them.
func (s *Store) QuietAddresses(ctx context.Context, network string, family pay.Family, from Walk, limit int) (quiet []string, to Walk, err error) {
	query := `select p.id, coalesce(a.match, '') as match from (select id, network from payins where id > ?0 and id >= ?1 order by id limit ?2) p
		left join lateral (select match from addresses where payin_id = p.id and memo = '' and p.network = ?3
			and not exists (select from transfers t where t.payin_id = p.id) limit 1) a on true
		order by p.id`
	if from.Wallets {
		query = `select w.id, coalesce(a.match, '') as match from (select * from wallets where id > ?0 order by id limit ?2) w
			left join lateral (select match from addresses where wallet_id = w.id and memo = '' and w.family = ?4
				and w.status = 'STATUS_ASSIGNED' and w.last_transaction_at is null limit 1) a on true
			order by w.id`
	}
	var rows []struct {
		ID    uuid.UUID
		Match string
	}
	err = s.Q.NewRaw(query, from.After, firstIDAt(time.Now().AddDate(0, 0, -askedDays)), walkScan, network, family).Scan(ctx, &rows)
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

// quietHoldings returns by network what was found at addresses at which nothing was seen, the newest first.
func (s *Store) quietHoldings(ctx context.Context) (map[string][]QuietHolding, error) {
	var rows []QuietHolding
	err := s.Q.NewRaw("select network, address, asset from quiet_holdings order by found_at desc, address").Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read what lies where nothing was seen: %w", err)
	}
	out := map[string][]QuietHolding{}
	for _, r := range rows {
		out[r.Network] = append(out[r.Network], r)
	}
	return out, nil
}

// addQuietHoldings remembers money at addresses at which nothing was seen.
func (s *Store) addQuietHoldings(ctx context.Context, found []QuietHolding) error {
	for _, f := range found {
		_, err := s.Q.NewRaw("insert into quiet_holdings (network, address, asset) values (?, ?, ?) on conflict do nothing",
			f.Network, f.Address, f.Asset).Exec(ctx)
		if err != nil {
			return fmt.Errorf("keep what lies at %s: %w", f.Address, err)
		}
	}
	return nil
}
