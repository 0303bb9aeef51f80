package simulation

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// openWire opens a pool as store.Open does, with two differences: now() is the simulation's clock, and statements,
// commits and the sandbox's answers are points at which a fiber can be stopped.
func openWire(t *testing.T, dsn string) *bun.DB {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	require.NoError(t, err)
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	config.RuntimeParams["timezone"] = "UTC"
	config.RuntimeParams["search_path"] = "sim,pg_catalog,public"
	pool := sql.OpenDB(wire{stdlib.GetConnector(*config)})
	pool.SetMaxOpenConns(32)
	pool.SetMaxIdleConns(32)
	t.Cleanup(func() { require.NoError(t, pool.Close()) })
	return bun.NewDB(pool, pgdialect.New())
}

type wire struct{ driver.Connector }

// Connect implements driver.Connector.
func (w wire) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := w.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &line{Conn: conn.(*stdlib.Conn)}, nil
}

// line is a connection. What is done in a transaction happens at its commit, so only what is done outside is a point.
type line struct {
	*stdlib.Conn
	inTx bool
}

// QueryContext runs a statement between two points.
func (l *line) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := l.point(ctx, "before"); err != nil {
		return nil, err
	}
	rows, err := l.Conn.QueryContext(ctx, query, args)
	if err != nil {
		return nil, err
	}
	if err := l.point(ctx, "after"); err != nil {
		return nil, errJoin(err, rows.Close())
	}
	return rows, nil
}

// ExecContext does as QueryContext.
func (l *line) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := l.point(ctx, "before"); err != nil {
		return nil, err
	}
	result, err := l.Conn.ExecContext(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return result, l.point(ctx, "after")
}

func (l *line) point(ctx context.Context, side string) error {
	f := fiberIn(ctx)
	if f == nil {
		return nil
	}
	if l.inTx {
		return f.alive()
	}
	return f.point(ctx, side, true)
}

// BeginTx begins a transaction at a point.
func (l *line) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	f := fiberIn(ctx)
	if f != nil {
		if err := f.point(ctx, "begin", true); err != nil {
			return nil, err
		}
	}
	tx, err := l.Conn.BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	l.inTx = true
	return &transaction{Tx: tx, line: l, fiber: f, ctx: ctx}, nil
}

type transaction struct {
	driver.Tx
	line  *line
	fiber *fiber
	ctx   context.Context // Commit is not given one
}

// Commit is a point on both sides; before it a fiber can only die, since it holds locks.
func (t *transaction) Commit() error {
	t.line.inTx = false
	if t.fiber == nil {
		return t.Tx.Commit()
	}
	if err := t.fiber.point(t.ctx, "commit before", false); err != nil {
		return errJoin(err, t.Tx.Rollback())
	}
	if err := t.Tx.Commit(); err != nil {
		return err
	}
	return t.fiber.point(t.ctx, "commit after", true)
}

// Rollback is what a server does with a connection that dies, so the dead may do it.
func (t *transaction) Rollback() error {
	t.line.inTx = false
	return t.Tx.Rollback()
}

func errJoin(first error, _ error) error { return first }
