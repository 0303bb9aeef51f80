package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// BooksKind is the kind of the books in a database.
type BooksKind string

// A database is claimed for one of these, once and for good.
const (
	NoBooks      BooksKind = ""        // only simulated networks, for a trial
	LiveBooks    BooksKind = "live"    // only real ones
	SandboxBooks BooksKind = "sandbox" // only simulated ones, beside live books
	DevBooks     BooksKind = "dev"     // of causeway dev: both
)

// Books returns the kind for which the database is claimed.
func (s *Store) Books(ctx context.Context) (kind BooksKind, err error) {
	err = s.Q.NewRaw("select kind from books").Scan(ctx, &kind)
	if errors.Is(err, sql.ErrNoRows) {
		return NoBooks, nil
	}
	if err != nil {
		return "", fmt.Errorf("read whose books these are: %w", err)
	}
	return kind, nil
}

// ClaimBooks claims a database unless it is claimed already. It returns the kind for which it is claimed now, and
// whether this call claimed it.
func (s *Store) ClaimBooks(ctx context.Context, kind BooksKind) (now BooksKind, first bool, err error) {
	res, err := s.Q.NewRaw("insert into books (kind) values (?) on conflict do nothing", kind).Exec(ctx)
	if first, err = changed(res, err, "claim the books"); err != nil {
		return "", false, err
	}
	now, err = s.Books(ctx)
	return now, first, err
}

// Used returns in words the kinds of requests and payments of merchants in these books; nothing before the first.
func (s *Store) Used(ctx context.Context) (used []string, err error) {
	err = s.Q.NewRaw(`select what from (values (1, 'payins', exists (select from payins)), (2, 'payouts', exists (select from payouts)),
			(3, 'fixed wallets', exists (select from wallets)), (4, 'unclaimed transfers', exists (select from transfers where status in ('unclaimed', 'ignored')))) as u(n, what, is_there)
		where is_there order by n`).Scan(ctx, &used)
	if err != nil {
		return nil, fmt.Errorf("look for what the books were used for: %w", err)
	}
	return used, nil
}
