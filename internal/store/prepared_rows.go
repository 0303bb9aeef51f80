package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"
)

// preparedRows runs a prepared query and hands each of its rows to scan, which uses nothing of a row that it could not read.
func (s *Store) preparedRows(ctx context.Context, what string, scan func(*sql.Rows) error, query string, args ...any) (err error) {
	rows, err := s.prepared(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// preparedExec runs a prepared statement and returns how many rows it changed.
func (s *Store) preparedExec(ctx context.Context, what, query string, args ...any) (int, error) {
	args = preparedArgs(args)
	exec := s.DB.DB.ExecContext
	if tx, ok := s.Q.(bun.Tx); ok {
		exec = tx.Tx.ExecContext
	}
	res, err := exec(ctx, query, args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", what, err)
	}
	n, err := res.RowsAffected()
	return int(n), err
}
