package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"
)

// prepared runs a query that every request waits for: with arguments of its own ($1, $2, …) instead of in its text, and
// parsed and planned once per connection.
func (s *Store) prepared(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	args = preparedArgs(args)
	if tx, inside := s.Q.(bun.Tx); inside {
		return tx.Tx.QueryContext(ctx, query, args...)
	}
	return s.DB.DB.QueryContext(ctx, query, args...)
}

// row is one of a query's answer, from database/sql or from pgx.
type row interface{ Scan(to ...any) error }

// quick reads many rows as the driver has them, for about half of what database/sql takes to hand them on. The query only
// reads and is planned for its arguments each time: how many rows a merchant has decides what is best. It runs on the
// pool, never in a transaction.
func (s *Store) quick(ctx context.Context, each func(row) error, query string, args ...any) (err error) {
	conn, err := s.DB.DB.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return conn.Raw(func(driver any) error {
		steady, ok := driver.(*noRepeatConn)
		if !ok {
			return fmt.Errorf("a connection that is a %T", driver)
		}
		rows, err := steady.Conn.Conn().Query(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := each(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}
