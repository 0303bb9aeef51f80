package pg

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"
)

// sender sends a statement as it is, without bun: a pool or a transaction of database/sql.
type sender interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func senderOf(db bun.IDB) sender {
	if tx, inside := db.(bun.Tx); inside {
		return tx.Tx
	}
	return db.(*bun.DB).DB
}

// Row runs a prepared query for one row, on a pool or in a transaction. Its arguments are $1, $2 and so on. Each
// connection parses and plans it once, so it is for queries of every request.
func Row(ctx context.Context, db bun.IDB, query string, args ...any) *sql.Row {
	return senderOf(db).QueryRowContext(ctx, query, preparedArgs(args)...)
}

// Rows is Row for a query of several rows, and hands each of them to scan. An error of scan ends it. Errors begin with what.
func Rows(ctx context.Context, db bun.IDB, what string, scan func(*sql.Rows) error, query string, args ...any) (err error) {
	rows, err := senderOf(db).QueryContext(ctx, query, preparedArgs(args)...)
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

// Exec runs a prepared statement and returns how many rows it changed. Errors begin with what.
func Exec(ctx context.Context, db bun.IDB, what, query string, args ...any) (int, error) {
	res, err := senderOf(db).ExecContext(ctx, query, preparedArgs(args)...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", what, err)
	}
	n, err := res.RowsAffected()
	return int(n), err
}
