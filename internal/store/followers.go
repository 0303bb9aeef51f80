package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// Heads returns how far each followed network is: the height of its best block.
func (s *Store) Heads(ctx context.Context) (map[string]int64, error) {
	var rows []struct {
		Network string
		Head    int64
	}
	if err := s.Q.NewRaw("select network, head from followers").Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("read heads: %w", err)
	}
	heads := make(map[string]int64, len(rows))
	for _, r := range rows {
		heads[r.Network] = r.Head
	}
	return heads, nil
}

// Chains returns the chain of each network with a follower (chains.Network.Chain).
func (s *Store) Chains(ctx context.Context) (map[string]string, error) {
	var rows []struct{ Network, Chain string }
	if err := s.Q.NewRaw("select network, chain from followers").Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("read which chains were followed: %w", err)
	}
	followed := make(map[string]string, len(rows))
	for _, r := range rows {
		followed[r.Network] = r.Chain
	}
	return followed, nil
}

// Followed reports whether a network was ever followed: whether blocks of it are remembered.
func (s *Store) Followed(ctx context.Context, network string) (followed bool, err error) {
	err = s.Q.NewRaw("select exists (select from chain_blocks where network = ?)", network).Scan(ctx, &followed)
	return followed, one(err, "whether "+network+" was followed")
}

// NoteFollower keeps the problem of a stopped follower for the operator, if this attempt is still its job's own. halted
// lasts until a person resumes it, whatever is noted later.
func (s *Store) NoteFollower(ctx context.Context, j DueJob, network, problem string, halted bool) (noted bool, err error) {
	err = s.InTx(ctx, func(tx *Store) error {
		res, err := tx.Q.NewRaw(`with mine as materialized (select from jobs where kind = ?2 and ref = ?3 and attempt = ?4 for update)
			insert into followers (network, error) select ?0, nullif(?1, '') from mine
			on conflict (network) do update set error = excluded.error, updated_at = now()`,
			network, problem, j.Kind, j.Ref, j.Attempt).Exec(ctx)
		if noted, err = changed(res, err, "note follower of "+network); err != nil || !noted || !halted {
			return err
		}
		if _, err := tx.Q.NewRaw("select halt_network(?)", network).Exec(ctx); err != nil {
			return fmt.Errorf("halt %s: %w", network, err)
		}
		return nil
	})
	return noted, err
}

// Unpass notes that a network is not known up to any time until the follower reaches its head again.
func (s *Store) Unpass(ctx context.Context, network string) error {
	_, err := s.Q.NewRaw("update followers set passed_until = null where network = ? and passed_until is not null", network).Exec(ctx)
	if err != nil {
		return fmt.Errorf("note that %s is not followed to its head: %w", network, err)
	}
	return nil
}

// FollowedNetworks returns the networks with a followed block, each with whether it is halted.
func (s *Store) FollowedNetworks(ctx context.Context) (map[string]bool, error) {
	var rows []struct {
		Network string
		Halted  bool
	}
	if err := s.Q.NewRaw("select network, halted from followers where followed_from is not null").Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("read which networks are followed: %w", err)
	}
	halted := make(map[string]bool, len(rows))
	for _, r := range rows {
		halted[r.Network] = r.Halted
	}
	return halted, nil
}

// HaltedFollower locks a halted follower; the caller has locked its job before. It returns the first block ever
// followed, and the lowest followed block still remembered.
func (s *Store) HaltedFollower(ctx context.Context, network string) (first, deepest int64, err error) {
	var halted bool
	err = s.Q.NewRaw("select halted, coalesce(followed_from, 0) from followers where network = ? for update", network).Scan(ctx, &halted, &first)
	if err = one(err, "follower of "+network); errors.Is(err, pay.ErrNotFound) || err == nil && !halted {
		return 0, 0, fmt.Errorf("%s is not halted", network)
	}
	if err != nil {
		return 0, 0, err
	}
	err = s.Q.NewRaw("select coalesce(min(height), 0) from chain_blocks where network = ?", network).Scan(ctx, &deepest)
	return first, max(first, deepest), one(err, "blocks of "+network)
}

// Reanchor forgets every block of a network and remembers this one instead, and lets its follower go on.
func (s *Store) Reanchor(ctx context.Context, b ChainBlock) error {
	for _, query := range []string{
		"delete from chain_blocks where network = ?0",
		"insert into chain_blocks (network, height, hash, parent) values (?0, ?1, ?2, '')",
		"update followers set halted = false, error = null, passed_until = null, updated_at = now() where network = ?0",
	} {
		if _, err := s.Q.NewRaw(query, b.Network, b.Height, b.Hash).Exec(ctx); err != nil {
			return fmt.Errorf("anchor %s at %d: %w", b.Network, b.Height, err)
		}
	}
	return nil
}

// Unfollow forgets everything learned by following networks, their transfers and their jobs. Only the transaction
// making the books live may call it.
func (s *Store) Unfollow(ctx context.Context, networks []string, kind string, refs []uuid.UUID) error {
	if _, err := s.Q.NewRaw("select forget_networks(?::text[], ?, ?::uuid[])", pg.Array(networks), kind, pg.Array(refs)).Exec(ctx); err != nil {
		return fmt.Errorf("forget networks: %w", err)
	}
	return nil
}
