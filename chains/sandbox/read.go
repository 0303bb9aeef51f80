package sandbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"causeway/chains"
)

// jsonColumn scans a JSON column into the value behind a pointer.
type jsonColumn struct{ into any }

func asJSON(into any) *jsonColumn { return &jsonColumn{into} }

// Scan implements sql.Scanner.
func (j *jsonColumn) Scan(src any) error {
	switch text := src.(type) {
	case []byte:
		return json.Unmarshal(text, j.into)
	case string:
		return json.Unmarshal([]byte(text), j.into)
	default:
		return fmt.Errorf("no JSON column: %T", src)
	}
}

// read asks the simulated node: one statement, one row, and so one moment of the chain. Its errors wrap ErrDown.
func (c *chain) read(ctx context.Context, query string, args []any, into ...any) error {
	err := c.db.NewRaw(query, args...).Scan(ctx, into...)
	if errors.Is(err, sql.ErrNoRows) {
		err = errNoGenesis
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %w", c.net.Name, chains.ErrDown, err)
	}
	return nil
}

// answered makes an error of an answer without the network, or of a missing answer. It wraps ErrDown.
func (c *chain) answered(found bool, err error) error {
	if err == nil && !found {
		err = errNoGenesis
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %w", c.net.Name, chains.ErrDown, err)
	}
	return nil
}

// ask runs a query used by every payout, parsed and planned once per connection, with arguments $1, $2, …
func (c *chain) ask(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error {
	rows, err := c.db.DB.QueryContext(ctx, query, append([]any{pgx.QueryExecModeCacheStatement}, args...)...)
	return eachRow(rows, err, each)
}

// eachRow does something with each row of an answer, if there is one.
func eachRow(rows *sql.Rows, err error, do func(*sql.Rows) error) error {
	if err != nil {
		return err
	}
	for err == nil && rows.Next() {
		err = do(rows)
	}
	return errors.Join(err, rows.Err(), rows.Close())
}

// readPrepared is read for a query used by every payout.
func (c *chain) readPrepared(ctx context.Context, query string, args []any, into ...any) error {
	found := false
	err := c.ask(ctx, query, args, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(into...)
	})
	return c.answered(found, err)
}
