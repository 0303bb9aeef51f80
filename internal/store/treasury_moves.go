package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// ErrMoveOpen says that a move of the same money is under way.
var ErrMoveOpen = errors.New("a move of this address is under way")

// AddMove records a planned move, or returns ErrMoveOpen.
func (s *Store) AddMove(ctx context.Context, m *pay.TreasuryMove) error {
	res, err := s.Q.NewInsert().Model(m).On("conflict do nothing").Exec(ctx)
	added, err := changed(res, err, "plan a move")
	if err == nil && !added {
		err = ErrMoveOpen
	}
	return err
}

// Move returns a move, or pay.ErrNotFound.
func (s *Store) Move(ctx context.Context, id uuid.UUID) (*pay.TreasuryMove, error) {
	m := new(pay.TreasuryMove)
	err := s.Q.NewSelect().Model(m).Where("id = ?", id).Scan(ctx)
	return m, one(err, "move "+id.String())
}

// MovesOf returns moves by their ids; other ids are left out.
func (s *Store) MovesOf(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]*pay.TreasuryMove, error) {
	out := make(map[uuid.UUID]*pay.TreasuryMove, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	var all []*pay.TreasuryMove
	if err := s.Q.NewSelect().Model(&all).Where("id in (?)", bun.List(ids)).Scan(ctx); err != nil {
		return nil, fmt.Errorf("read moves: %w", err)
	}
	for _, m := range all {
		out[m.ID] = m
	}
	return out, nil
}

// OpenMoves returns the open moves of a network, the oldest first.
func (s *Store) OpenMoves(ctx context.Context, network string) ([]*pay.TreasuryMove, error) {
	var all []*pay.TreasuryMove
	err := s.Q.NewSelect().Model(&all).Where("network = ? and status in ('planned', 'signed', 'sent')", network).Order("created_at", "id").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the open moves of %s: %w", network, err)
	}
	return all, nil
}

// WaitingSweeps returns the sweeps of deposit addresses with nothing signed yet. Each may wait for a top-up of its address.
func (s *Store) WaitingSweeps(ctx context.Context, network string, addresses []string) ([]uuid.UUID, error) {
	if len(addresses) == 0 {
		return nil, nil
	}
	var ids []uuid.UUID
	err := s.Q.NewRaw("select id from treasury_moves where network = ? and from_address = any(?::text[]) and kind = 'sweep' and status = 'planned' order by id",
		network, pg.Array(addresses)).Scan(ctx, &ids)
	if err != nil {
		return nil, fmt.Errorf("read the sweeps that wait on %s: %w", network, err)
	}
	return ids, nil
}

// MoveFilter selects moves; empty fields do not filter.
type MoveFilter struct {
	Network string
	Open    bool      // only those that may still move something
	Below   uuid.UUID // only those after this one in the list
	Limit   int
}

// ListMoves returns moves, newest first.
func (s *Store) ListMoves(ctx context.Context, f MoveFilter) ([]*pay.TreasuryMove, error) {
	var all []*pay.TreasuryMove
	q := s.Q.NewSelect().Model(&all).Order("id DESC").Limit(int64(f.Limit))
	if f.Network != "" {
		q = q.Where("network = ?", f.Network)
	}
	if f.Open {
		q = q.Where("status in ('planned', 'signed', 'sent')")
	}
	if f.Below != uuid.Nil {
		q = q.Where("id < ?", f.Below)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, fmt.Errorf("list moves: %w", err)
	}
	return all, nil
}

// MovesSince counts the moves of a kind to or from a deposit address since a time ago that are not cancelled.
func (s *Store) MovesSince(ctx context.Context, network string, kind pay.MoveKind, index uint32, token string, ago time.Duration) (count int, err error) {
	err = s.Q.NewRaw(`select count(*) from treasury_moves where network = ?0 and kind = ?1 and index = ?2 and token = ?3 and status <> 'cancelled'
		and updated_at > now() - ?4 * interval '1 microsecond' and created_at > now() - ?4 * interval '1 microsecond'`,
		network, kind, index, token, ago.Microseconds()).Scan(ctx, &count)
	return count, one(err, "moves of an address")
}

// MovesFor counts the moves of a kind to an address that were made for a sweep of it. Cancelled ones count: they would be
// made again at once.
func (s *Store) MovesFor(ctx context.Context, sweep *pay.TreasuryMove, kind pay.MoveKind) (count int, err error) {
	err = s.Q.NewRaw("select count(*) from treasury_moves where network = ? and to_address = ? and after = ? and kind = ?",
		sweep.Network, sweep.FromAddress, sweep.ID, kind).Scan(ctx, &count)
	return count, one(err, "moves for a sweep")
}

// AdvanceMove moves a move of the treasury on, if it still has one of the statuses. Reason and txid stay where they are nil.
func (s *Store) AdvanceMove(ctx context.Context, id uuid.UUID, from []pay.MoveStatus, to pay.MoveStatus, reason, txid *string, moved *decimal.Decimal) (bool, error) {
	res, err := s.Q.NewRaw(`update treasury_moves set status = ?, reason = coalesce(?, reason), txid = coalesce(?, txid), moved = coalesce(?, moved), updated_at = now()
		where id = ? and status = any(?)`, to, reason, txid, moved, id, pg.Array(texts(from))).Exec(ctx)
	return changed(res, err, "move on a move of the treasury")
}

func texts(statuses []pay.MoveStatus) []string {
	out := make([]string, len(statuses))
	for i, status := range statuses {
		out[i] = string(status)
	}
	return out
}

// CostMove keeps the cost of the final transaction of a move. After a reorganisation it may be another one of the same slot.
func (s *Store) CostMove(ctx context.Context, id uuid.UUID, cost decimal.Decimal) error {
	_, err := s.Q.NewRaw("update treasury_moves set cost = ? where id = ?", cost, id).Exec(ctx)
	if err != nil {
		return fmt.Errorf("book the cost of a move: %w", err)
	}
	return nil
}

// UndoMove forgets what an ended move has moved and cost: a reorganisation has undone its transaction, and none of it can be mined.
func (s *Store) UndoMove(ctx context.Context, id uuid.UUID) error {
	_, err := s.Q.NewRaw("update treasury_moves set cost = null, moved = null where id = ?", id).Exec(ctx)
	if err != nil {
		return fmt.Errorf("undo a move of the treasury: %w", err)
	}
	return nil
}

// StopMove marks a signed move as to be stopped; false when it is not signed or sent.
func (s *Store) StopMove(ctx context.Context, id uuid.UUID) (bool, error) {
	res, err := s.Q.NewRaw("update treasury_moves set cancelling = true, updated_at = now() where id = ? and status in ('signed', 'sent')", id).Exec(ctx)
	return changed(res, err, "stop a move of the treasury")
}
