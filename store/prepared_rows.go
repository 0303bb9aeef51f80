package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/uptrace/bun"
)

// preparedRows runs a prepared query and hands each of its rows to scan, as the driver has them. Rows that came before the
// query failed were handed out too: what they brought counts only without an error.
func (s *Store) preparedRows(ctx context.Context, what string, scan func(row) error, query string, args ...any) (err error) {
	ctx = context.WithValue(ctx, scanKey{}, scan)
	args = preparedArgs(args)
	run := s.DB.DB.QueryContext
	if tx, inside := s.Q.(bun.Tx); inside {
		run = tx.Tx.QueryContext
	}
	rows, err := run(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	return rows.Err()
}

// preparedExec runs a prepared statement and answers how many rows it changed.
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

// scanKey is under which the context of a query has what takes its rows from the connection. database/sql would hand on
// each value in a form of its own, which takes as long again.
type scanKey struct{}

// formats are those in which values are read faster than as text; of a number with digits after its point the opposite is so.
var formats = pgx.QueryResultFormatsByOID{
	pgtype.BoolOID: pgx.BinaryFormatCode, pgtype.ByteaOID: pgx.BinaryFormatCode, pgtype.Int4OID: pgx.BinaryFormatCode,
	pgtype.Int8OID: pgx.BinaryFormatCode, pgtype.TimestamptzOID: pgx.BinaryFormatCode, pgtype.UUIDOID: pgx.BinaryFormatCode,
}

// scanned runs a query and hands out its rows, of which database/sql then sees none.
func (c *steadyConn) scanned(ctx context.Context, query string, args []driver.NamedValue, scan func(row) error) (driver.Rows, error) {
	plain := []any{formats}
	for _, arg := range args {
		plain = append(plain, arg.Value)
	}
	rows, err := c.Conn.Conn().Query(ctx, query, plain...)
	if err != nil {
		if pgconn.SafeToRetry(err) {
			err = lost(ctx, driver.ErrBadConn)
		}
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return nil, err
		}
	}
	return noRows{}, rows.Err()
}

// noRows is the answer of a query whose rows were taken already.
type noRows struct{}

// Columns implements driver.Rows.
func (noRows) Columns() []string { return nil }

// Close implements driver.Rows.
func (noRows) Close() error { return nil }

// Next implements driver.Rows.
func (noRows) Next([]driver.Value) error { return io.EOF }
