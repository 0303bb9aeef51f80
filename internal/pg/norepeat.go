package pg

import (
	"context"
	"database/sql"
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
type noRepeatConnector struct {
	driver.Connector
	config *pgx.ConnConfig
	role   string // to act as; "" is the user's own
}

func newNoRepeatConnector(config *pgx.ConnConfig, role string) driver.Connector {
	return noRepeatConnector{stdlib.GetConnector(*config), config, role}
}

// Connect implements driver.Connector.
func (c noRepeatConnector) Connect(ctx context.Context) (driver.Conn, error) {
	made, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, refusedRole(err, c.config)
	}
	conn := &noRepeatConn{Conn: made.(*stdlib.Conn)}
	if err := conn.begin(ctx, c.role); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

type noRepeatConn struct {
	*stdlib.Conn
	pooled bool // see ErrPooler
}

// begin finds out whether a pooler is between, and makes sure of the settings of the session either way.
func (c *noRepeatConn) begin(ctx context.Context, role string) (err error) {
	conn := c.Conn.Conn()
	if c.pooled, err = throughPooler(ctx, conn); err != nil {
		return err
	}
	if c.pooled {
		return fits(ctx, conn, role)
	}
	return PrepareSession(ctx, conn)
}

// BeginTx says the isolation in its statement through a pooler, where another client of the session may have set another.
func (c *noRepeatConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if c.pooled && sql.IsolationLevel(opts.Isolation) == sql.LevelDefault {
		opts.Isolation = driver.IsolationLevel(sql.LevelReadCommitted)
	}
	return c.Conn.BeginTx(ctx, opts)
}

// sent has a statement planned at each call through a pooler, where it would be prepared otherwise.
func (c *noRepeatConn) sent(args []driver.NamedValue) []driver.NamedValue {
	if c.pooled && len(args) > 0 && args[0].Value == pgx.QueryExecModeCacheStatement {
		args[0].Value = pgx.QueryExecModeCacheDescribe
	}
	return args
}

// QueryContext asks for another connection only when this one was closed before.
func (c *noRepeatConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.Conn.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	rows, err := c.Conn.QueryContext(ctx, query, c.sent(args))
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
	res, err := c.Conn.ExecContext(ctx, query, c.sent(args))
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
