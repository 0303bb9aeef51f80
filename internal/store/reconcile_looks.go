package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pg"
)

// Look is how far comparing a network with the books has come. If a look takes longer than one job may, the next job
// goes on with it at the same height.
type Look struct {
	Network   string
	Found     []Difference // by the last whole look; it stands until the next one ends
	Corrected Corrections  // in the books of that look
	Unreached string       // why the newest try came to nothing; empty: it did not
	Rests     bool         // it is not time for the next look yet
	Going     *Going       // nil: none is going on
	Walk      Walk
	Quiet     []QuietHolding // found by walking
	Surpluses []Surplus      // the open ones
	HeldAt    time.Time      // when the last whole look began; zero: none has ended
	Turn      string         // the last address of long ago asked about
	CoinBelow uuid.UUID      // the last open payin asked about for coin; uuid.Nil: the newest are next

	Noted []QuietHolding // found by walking just now
	Held  Held           // the amounts on addresses asked about just now
	Asked int            // how many questions the newest try had answered
	Ended bool           // a whole look has ended just now
	Pause time.Duration  // until the next one, then
	Moved bool           // Surpluses are others than were read
	Holds *Holdings      // by the whole look ended just now; nil: none has
}

// Knows reports whether money of an asset was found at an address before.
func (l *Look) Knows(address, asset string) bool {
	same := func(q QuietHolding) bool { return q.Address == address && q.Asset == asset }
	return slices.ContainsFunc(l.Quiet, same) || slices.ContainsFunc(l.Noted, same)
}

// Going is a look under way.
type Going struct {
	Height int64                      `json:"height"`
	Hash   string                     `json:"hash"`
	After  string                     `json:"after"` // the last address asked about
	Asked  bool                       `json:"asked"` // all its addresses were asked about
	Began  time.Time                  `json:"began"`
	All    bool                       `json:"all"`    // it asks about every address, of however long ago
	Want   map[string]decimal.Decimal `json:"want"`   // by asset, at this height
	Books  Corrections                `json:"books"`  // the corrections in Want
	Hot    map[string]decimal.Decimal `json:"hot"`    // of the hot wallet
	Staked map[string]decimal.Decimal `json:"staked"` // of Hot
	Took   time.Duration              `json:"took"`
	Cold   map[string]decimal.Decimal `json:"cold"`  // of the cold addresses together
	Again  bool                       `json:"again"` // an earlier look has found a difference

	Got map[string]decimal.Decimal `json:"-"` // of the hot wallet and every address, once all are asked about

	ColdAt    []string `json:"cold_at"`   // the cold addresses whose holdings are in Want
	Unready   []string `json:"unready"`   // those whose holdings are not
	Unsettled bool     `json:"unsettled"` // the network has undone something counted in Want
	Stopped   []string `json:"stopped"`   // assets stopped for payouts when the look began
}

// Looks returns how far looking at each network has come.
func (s *Store) Looks(ctx context.Context) (map[string]*Look, error) {
	var rows []struct {
		Network, Unreached, Turn      string
		Found, Corrected, Going, Walk []byte
		Rests, Walked                 bool
		HeldAt                        *time.Time
		CoinBelow                     uuid.UUID
	}
	err := s.Q.NewRaw(`select network, found, corrected, unreached, going, coalesce(next_at > now(), false) as rests,
			walk, coalesce(walk_at > now(), false) as walked, held_at, turn, coin_below
		from reconcile_looks`).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read looks: %w", err)
	}
	quiet, err := s.quietHoldings(ctx)
	if err != nil {
		return nil, err
	}
	surpluses, err := s.openSurpluses(ctx)
	if err != nil {
		return nil, err
	}
	out := make(map[string]*Look, len(rows))
	for _, r := range rows {
		l := &Look{Network: r.Network, Unreached: r.Unreached, Rests: r.Rests, Quiet: quiet[r.Network],
			Surpluses: surpluses[r.Network], Turn: r.Turn, CoinBelow: r.CoinBelow}
		if r.HeldAt != nil {
			l.HeldAt = *r.HeldAt
		}
		if err := json.Unmarshal(r.Walk, &l.Walk); err != nil {
			return nil, fmt.Errorf("the round along %s: %w", r.Network, err)
		}
		l.Walk.Rests = r.Walked
		if err := json.Unmarshal(r.Found, &l.Found); err != nil {
			return nil, fmt.Errorf("what was found on %s: %w", r.Network, err)
		}
		if err := json.Unmarshal(r.Corrected, &l.Corrected); err != nil {
			return nil, fmt.Errorf("what was corrected on %s: %w", r.Network, err)
		}
		if r.Going != nil {
			if err := json.Unmarshal(r.Going, &l.Going); err != nil {
				return nil, fmt.Errorf("the look at %s: %w", r.Network, err)
			}
		}
		out[r.Network] = l
	}
	return out, nil
}

// LookAgain makes a network's next look due now: at a slow network the mended difference would stand for minutes.
func (s *Store) LookAgain(ctx context.Context, network string) error {
	if _, err := s.Q.NewRaw("update reconcile_looks set next_at = null where network = ?", network).Exec(ctx); err != nil {
		return fmt.Errorf("look at %s again: %w", network, err)
	}
	return nil
}

// SaveLooks keeps how far looking has come, and forgets every other network.
func (s *Store) SaveLooks(ctx context.Context, looks []*Look) error {
	names := make([]string, 0, len(looks))
	for _, l := range looks {
		names = append(names, l.Network)
		found, err := json.Marshal(append([]Difference{}, l.Found...))
		if err != nil {
			return fmt.Errorf("encode what was found on %s: %w", l.Network, err)
		}
		corrected, err := json.Marshal(l.Corrected)
		if err != nil {
			return fmt.Errorf("encode what was corrected on %s: %w", l.Network, err)
		}
		var going *string
		if l.Going != nil {
			body, err := json.Marshal(l.Going)
			if err != nil {
				return fmt.Errorf("encode the look at %s: %w", l.Network, err)
			}
			text := string(body)
			going = &text
		}
		walk, err := json.Marshal(l.Walk)
		if err != nil {
			return fmt.Errorf("encode the round along %s: %w", l.Network, err)
		}
		var began *time.Time
		if !l.HeldAt.IsZero() {
			began = &l.HeldAt
		}
		_, err = s.Q.NewRaw(`insert into reconcile_looks as l (network, found, unreached, going, looked_at, next_at, walk, walk_at, corrected, held_at, turn, coin_below)
			values (?0, ?1::jsonb, ?2, ?3::jsonb, case when ?4 then now() end, case when ?4 then now() + ?5 * interval '1 microsecond' end,
				?6::jsonb, case when ?7 then now() + interval '1 hour' end, ?8::jsonb, ?9::timestamptz, ?10, nullif(?11::uuid, ?12::uuid))
			on conflict (network) do update set found = excluded.found, corrected = excluded.corrected, unreached = excluded.unreached, going = excluded.going,
				held_at = excluded.held_at, turn = excluded.turn, coin_below = excluded.coin_below, walk = excluded.walk, walk_at = coalesce(excluded.walk_at, l.walk_at), looked_at = coalesce(excluded.looked_at, l.looked_at), next_at = coalesce(excluded.next_at, l.next_at)`,
			l.Network, string(found), l.Unreached, going, l.Ended, l.Pause.Microseconds(), string(walk), l.Walk.Ended, string(corrected), began, l.Turn, l.CoinBelow, uuid.Nil).Exec(ctx)
		if err != nil {
			return fmt.Errorf("keep the look at %s: %w", l.Network, err)
		}
		if err := s.addQuietHoldings(ctx, l.Noted); err != nil {
			return err
		}
		if err := s.saveHeld(ctx, l.Network, l.Held); err != nil {
			return err
		}
		if l.Holds != nil {
			if err := s.saveHoldings(ctx, l.Network, l.Holds); err != nil {
				return err
			}
		}
		if l.Moved {
			if err := s.saveSurpluses(ctx, l.Surpluses); err != nil {
				return err
			}
		}
	}
	if _, err := s.Q.NewRaw("delete from reconcile_looks where network <> all(?)", pg.Array(names)).Exec(ctx); err != nil {
		return fmt.Errorf("forget looks: %w", err)
	}
	return nil
}
