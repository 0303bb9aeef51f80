package pg

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// errLost replaces driver.ErrBadConn for a statement possibly executed: its answer was lost with the connection.
var errLost = errors.New("the connection was lost; the statement may have been executed")

// noRepeatConnector makes connections whose statements database/sql never repeats by itself. Under the simple protocol,
// if a connection breaks while waiting for the answer, the driver reports it as if nothing had been sent, and
// database/sql would then run the statement once more.
type noRepeatConnector struct{ driver.Connector }

func newNoRepeatConnector(config *pgx.ConnConfig) driver.Connector {
	return noRepeatConnector{stdlib.GetConnector(*config, stdlib.OptionAfterConnect(PrepareSession))}
}

// Connect implements driver.Connector.
func (c noRepeatConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &noRepeatConn{conn.(*stdlib.Conn)}, nil
}

type noRepeatConn struct{ *stdlib.Conn }

// QueryContext asks for another connection only when this one was closed before.
func (c *noRepeatConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.Conn.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	rows, err := c.Conn.QueryContext(ctx, query, args)
	if err != nil {
		return nil, lost(ctx, err)
	}
	return &noRepeatRows{Rows: rows.(*stdlib.Rows)}, nil
}

// ExecContext does as QueryContext.
func (c *noRepeatConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if c.Conn.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	res, err := c.Conn.ExecContext(ctx, query, args)
	return res, lost(ctx, err)
}

// lost says why an answer did not come: the caller gave up, or the connection broke.
func lost(ctx context.Context, err error) error {
	switch {
	case !errors.Is(err, driver.ErrBadConn):
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", errLost, ctx.Err())
	default:
		return errLost
	}
}
