package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"causeway/pay"
)

// HaltedFollower locks a halted follower and answers the lowest block that is remembered.
func (s *Store) HaltedFollower(ctx context.Context, network string) (deepest int64, err error) {
	var halted bool
	err = s.Q.NewRaw("select halted from followers where network = ? for update", network).Scan(ctx, &halted)
	if err = one(err, "follower of "+network); errors.Is(err, pay.ErrNotFound) || err == nil && !halted {
		return 0, fmt.Errorf("%s is not halted", network)
	}
	if err != nil {
		return 0, err
	}
	err = s.Q.NewRaw("select coalesce(min(height), 0) from chain_blocks where network = ?", network).Scan(ctx, &deepest)
	return deepest, one(err, "blocks of "+network)
}

// Reanchor forgets every block of a network and remembers this one instead, and lets its follower go on.
func (s *Store) Reanchor(ctx context.Context, b ChainBlock) error {
	for _, query := range []string{
		"delete from chain_blocks where network = ?0",
		"insert into chain_blocks (network, height, hash, parent) values (?0, ?1, ?2, '')",
		"update followers set halted = false, error = null, updated_at = now() where network = ?0",
	} {
		if _, err := s.Q.NewRaw(query, b.Network, b.Height, b.Hash).Exec(ctx); err != nil {
			return fmt.Errorf("anchor %s at %d: %w", b.Network, b.Height, err)
		}
	}
	return nil
}

// SetDue makes a job due now, under a new attempt: whoever works on it has lost it.
func (s *Store) SetDue(ctx context.Context, kind string, ref uuid.UUID) error {
	_, err := s.Q.NewRaw(`insert into jobs as j (kind, ref, run_at) values (?, ?, now())
		on conflict (kind, ref) do update set run_at = now(), attempt = j.attempt + 1, last_error = null`, kind, ref).Exec(ctx)
	if err != nil {
		return fmt.Errorf("make %s due: %w", kind, err)
	}
	return nil
}
