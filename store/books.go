package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Books tells whose books a database holds, once live ones and a sandbox's stand side by side.
type Books string

// What a database may be claimed for, once and for good.
const (
	NoBooks      Books = ""
	LiveBooks    Books = "live"    // only real networks
	SandboxBooks Books = "sandbox" // only simulated ones
)

// Books returns what the database is claimed for.
func (s *Store) Books(ctx context.Context) (kind Books, err error) {
	err = s.Q.NewRaw("select kind from books").Scan(ctx, &kind)
	if errors.Is(err, sql.ErrNoRows) {
		return NoBooks, nil
	}
	if err != nil {
		return "", fmt.Errorf("read whose books these are: %w", err)
	}
	return kind, nil
}

// ClaimBooks claims a database that nobody has claimed, and returns what it is claimed for now.
func (s *Store) ClaimBooks(ctx context.Context, kind Books) (Books, error) {
	if _, err := s.Q.NewRaw("insert into books (kind) values (?) on conflict do nothing", kind).Exec(ctx); err != nil {
		return "", fmt.Errorf("claim the books: %w", err)
	}
	return s.Books(ctx)
}

// MovedOn returns those of networks on which anything was ever paid in or out. It reads much: for a start, not a request.
func (s *Store) MovedOn(ctx context.Context, networks []string) (moved []string, err error) {
	const query = `select network from unnest(?::text[]) network
		where exists (select from transfers t where t.network = network.network) or exists (select from payouts p where p.network = network.network)`
	if err := s.Q.NewRaw(query, pgArray(networks)).Scan(ctx, &moved); err != nil {
		return nil, fmt.Errorf("look for what moved on networks: %w", err)
	}
	return moved, nil
}
