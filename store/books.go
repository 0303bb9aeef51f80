package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// Books tells whose books a database holds, once live ones and a sandbox's stand side by side.
type Books string

// What a database may be claimed for, once and for good.
const (
	Unclaimed    Books = ""
	LiveBooks    Books = "live"    // only real networks
	SandboxBooks Books = "sandbox" // only simulated ones
)

// Books answers what the database is claimed for.
func (s *Store) Books(ctx context.Context) (kind Books, err error) {
	err = s.Q.NewRaw("select kind from books").Scan(ctx, &kind)
	if errors.Is(err, sql.ErrNoRows) {
		return Unclaimed, nil
	}
	if err != nil {
		return "", fmt.Errorf("read whose books these are: %w", err)
	}
	return kind, nil
}

// ClaimBooks claims a database that nobody has claimed, and answers what it is claimed for now.
func (s *Store) ClaimBooks(ctx context.Context, kind Books) (Books, error) {
	if _, err := s.Q.NewRaw("insert into books (kind) values (?) on conflict do nothing", kind).Exec(ctx); err != nil {
		return "", fmt.Errorf("claim the books: %w", err)
	}
	return s.Books(ctx)
}

// Unfollow forgets that networks were followed, with the jobs that do it.
func (s *Store) Unfollow(ctx context.Context, networks []string, kind string, refs []uuid.UUID) error {
	const query = `with stopped as (delete from jobs where kind = ?0 and ref = any(?1::uuid[])),
		forgotten as (delete from followers where network = any(?2::text[])) delete from chain_blocks where network = any(?2::text[])`
	if _, err := s.Q.NewRaw(query, kind, pgArray(refs), pgArray(networks)).Exec(ctx); err != nil {
		return fmt.Errorf("forget networks: %w", err)
	}
	return nil
}

// MovedOn answers those of networks on which anything was ever paid in or out. It reads much: for a start, not a request.
func (s *Store) MovedOn(ctx context.Context, networks []string) (moved []string, err error) {
	const query = `select network from unnest(?::text[]) network
		where exists (select from transfers t where t.network = network.network) or exists (select from payouts p where p.network = network.network)`
	if err := s.Q.NewRaw(query, pgArray(networks)).Scan(ctx, &moved); err != nil {
		return nil, fmt.Errorf("look for what moved on networks: %w", err)
	}
	return moved, nil
}
