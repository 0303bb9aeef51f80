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

	"causeway/internal/pg"
)

// openWire opens a pool much as pg.Open does, but now() is the simulation's clock, and a fiber can be stopped at
// statements, commits and the sandbox's answers.
func openWire(t *testing.T, dsn string) *bun.DB {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	require.NoError(t, err)
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	config.RuntimeParams["timezone"] = "UTC"
	config.RuntimeParams["search_path"] = "sim,pg_catalog,public"
	pool := sql.OpenDB(wire{stdlib.GetConnector(*config, stdlib.OptionAfterConnect(pg.PrepareSession))})
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

// line is a connection. Acts in a transaction happen at its commit, so only acts outside are points.
type line struct {
	*stdlib.Conn
	inTx bool
	cut  bool // it was lost: nothing goes over it any more
}

// QueryContext runs a statement between two points.
func (l *line) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	lost, name, err := l.begin(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := l.Conn.QueryContext(ctx, query, args)
	if err != nil {
		return nil, err
	}
	if lost == answerLost {
		_ = rows.Close() // it has run
		return nil, l.lose()
	}
	if err := l.point(ctx, "after"); err != nil {
		return nil, errJoin(err, rows.Close())
	}
	if lost == rowsLost || lost == rowHalf {
		return &cutRows{Rows: rows.(*stdlib.Rows), line: l, f: fiberIn(ctx), lost: lost, name: name}, nil
	}
	return rows, nil
}

// ExecContext does as QueryContext.
func (l *line) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	lost, _, err := l.begin(ctx)
	if err != nil {
		return nil, err
	}
	result, err := l.Conn.ExecContext(ctx, query, args)
	if err != nil {
		return nil, err
	}
	if lost != nothingLost {
		return nil, l.lose()
	}
	return result, l.point(ctx, "after")
}

// begin comes before a statement; it returns the loss planned for the answer, and the statement's name.
func (l *line) begin(ctx context.Context) (loss, string, error) {
	if l.cut {
		return nothingLost, "", driver.ErrBadConn
	}
	if err := l.point(ctx, "before"); err != nil {
		return nothingLost, "", err
	}
	lost, name := fiberIn(ctx).loses("lost")
	if lost == statementLost {
		return lost, name, l.lose()
	}
	return lost, name, nil
}

// lose cuts the line. Uncommitted work is undone when database/sql rolls back or closes it.
func (l *line) lose() error {
	l.cut = true
	return errCut
}

// IsValid keeps a cut line out of the pool.
func (l *line) IsValid() bool { return !l.cut }

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
	if l.cut {
		return nil, driver.ErrBadConn
	}
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
	if t.line.cut {
		return errJoin(driver.ErrBadConn, t.Tx.Rollback())
	}
	if t.fiber == nil {
		return t.Tx.Commit()
	}
	if err := t.fiber.point(t.ctx, "commit before", false); err != nil {
		return errJoin(err, t.Tx.Rollback())
	}
	lost, _ := t.fiber.loses("commit lost")
	if lost == statementLost {
		return errJoin(t.line.lose(), t.Tx.Rollback())
	}
	if err := t.Tx.Commit(); err != nil {
		return err
	}
	if lost != nothingLost {
		return t.line.lose()
	}
	return t.fiber.point(t.ctx, "commit after", true)
}

// Rollback is the server's own act on a dying connection, so the dead may do it.
func (t *transaction) Rollback() error {
	t.line.inTx = false
	return t.Tx.Rollback()
}

func errJoin(first error, _ error) error { return first }
