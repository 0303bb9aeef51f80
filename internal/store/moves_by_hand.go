package store

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/internal/pg"
)

// MoveByHand is a transaction not signed by us that moved money out of an address of ours, to another of ours or out of a cold one.
type MoveByHand struct {
	bun.BaseModel `bun:"table:moves_by_hand"`
	Network       string           `bun:",pk"`
	Txid          string           `bun:",pk"`
	Height        *int64           // of its block; nil while a reorganisation has it in none
	Senders       []string         `bun:",array"` // addresses of ours, in the spelling of transfers
	Recipients    []string         `bun:",array"` // deposit addresses
	Cost          *decimal.Decimal // in the native coin; nil until it is known, zero where others have paid it, or the network does not say who
}

// MovesAmong returns which transactions of a network are signed by us: true for those of moves of the treasury, false for those of payouts.
func (s *Store) MovesAmong(ctx context.Context, network string, txids []string) (map[string]bool, error) {
	var rows []struct {
		Txid string
		Move bool
	}
	err := s.Q.NewRaw(`select txid, bool_or(purpose not in ('pay', 'cancel')) as move from signed_transactions
		where network = ? and txid = any(?::text[]) group by txid`, network, pg.Array(txids)).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("look up moves of the treasury: %w", err)
	}
	out := make(map[string]bool, len(rows))
	for _, r := range rows {
		out[r.Txid] = r.Move
	}
	return out, nil
}

// SignersAmong returns the hot wallets that have signed transactions of a network, by txid, of those known to the books.
func (s *Store) SignersAmong(ctx context.Context, network string, txids []string) (map[string]string, error) {
	var rows []struct{ Txid, Address string }
	err := s.Q.NewRaw("select distinct txid, address from signed_transactions where network = ? and txid = any(?::text[])", network, pg.Array(txids)).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("look up who has signed: %w", err)
	}
	out := make(map[string]string, len(rows))
	for _, r := range rows {
		out[r.Txid] = r.Address
	}
	return out, nil
}

// AddMovesByHand keeps moves by hand seen in blocks. One kept before is in a block again, and its known cost stays.
func (s *Store) AddMovesByHand(ctx context.Context, all []MoveByHand) error {
	if len(all) == 0 {
		return nil
	}
	_, err := s.Q.NewInsert().Model(&all).On("conflict (network, txid) do update").
		Set("height = excluded.height, senders = excluded.senders, recipients = excluded.recipients, cost = coalesce(?TableAlias.cost, excluded.cost)").
		Set("seen_at = now()").Exec(ctx)
	if err != nil {
		return fmt.Errorf("keep moves by hand: %w", err)
	}
	return nil
}

// OpenMovesByHand returns moves by hand in blocks up to a height whose cost is not known, those of the lowest blocks first.
func (s *Store) OpenMovesByHand(ctx context.Context, network string, upto int64, limit int) ([]MoveByHand, error) {
	var out []MoveByHand
	err := s.Q.NewSelect().Model(&out).Where("network = ? and cost is null and height <= ?", network, upto).Order("height", "txid").
		Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read moves by hand: %w", err)
	}
	return out, nil
}

// MovedByHandFrom returns the txids of moves by hand in blocks that left an address, those of the highest blocks first.
func (s *Store) MovedByHandFrom(ctx context.Context, network, address string, limit int) (txids []string, err error) {
	err = s.Q.NewRaw("select txid from moves_by_hand where network = ? and ? = any(senders) and height is not null order by height desc, txid limit ?",
		network, address, limit).Scan(ctx, &txids)
	if err != nil {
		return nil, fmt.Errorf("read moves by hand out of %s: %w", address, err)
	}
	return txids, nil
}

// CostByHand keeps the cost of a move by hand in a final block. It returns false if the cost is known already, or the block is gone.
func (s *Store) CostByHand(ctx context.Context, m *MoveByHand) (bool, error) {
	res, err := s.Q.NewRaw("update moves_by_hand set cost = ? where network = ? and txid = ? and cost is null and height = ?",
		m.Cost, m.Network, m.Txid, m.Height).Exec(ctx)
	return changed(res, err, "keep the cost of a move by hand")
}

// UndoMovesByHand notes that the blocks of moves by hand above a height are gone, and forgets the costs known of them. It returns the
// txids of those with a cost.
func (s *Store) UndoMovesByHand(ctx context.Context, network string, above int64) ([]string, error) {
	var costly []string
	err := s.Q.NewRaw(`with undone as (select txid, cost from moves_by_hand where network = ?0 and height > ?1 order by txid for update)
		update moves_by_hand m set height = null, cost = null, seen_at = now() from undone u where m.network = ?0 and m.txid = u.txid
		returning case when u.cost > 0 then m.txid else '' end`, network, above).Scan(ctx, &costly)
	if err != nil {
		return nil, fmt.Errorf("undo moves by hand: %w", err)
	}
	out := costly[:0]
	for _, txid := range costly {
		if txid != "" {
			out = append(out, txid)
		}
	}
	return out, nil
}
