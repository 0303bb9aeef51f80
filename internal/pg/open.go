// Package pg sends statements to PostgreSQL and reads their rows: pools, prepared statements, arrays and amounts.
package pg

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// Open prepares a pool of at most poolSize connections to the PostgreSQL at url (a
// postgres:// address). Connections are made on first use, so only an unreadable
// address is an error here. The caller closes the pool.
//
// Bun writes arguments into the text of a statement. Statements of every request are
// prepared instead (see Rows). A cancelled context cancels the query in the server as
// well. The settings of session win over the address.
func Open(url string, poolSize int) (*bun.DB, error) { return OpenAs(url, poolSize, "") }

// OpenAs is Open for connections taking on a database role, with its rights alone; "" is the user's own. A user without
// the role is refused by the first connection.
func OpenAs(url string, poolSize int, role string) (*bun.DB, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database address: %w", err)
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	config.RuntimeParams["timezone"] = "UTC"
	config.RuntimeParams["client_encoding"] = "UTF8"
	if role != "" {
		config.RuntimeParams["role"] = role
	}
	pool := sql.OpenDB(newNoRepeatConnector(config))
	pool.SetMaxOpenConns(poolSize)
	pool.SetMaxIdleConns(poolSize)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	// columns added by a newer version while this one still runs are nothing to it
	return bun.NewDB(pool, pgdialect.New(), bun.WithDiscardUnknownColumns()), nil
}

// session are settings needed by statements. A server, a database or a role may have others:
//   - Prepared statements keep their first plan. Those with lists would be planned each time, since their lists are shorter
//     than the plan expects, and planning takes longer than running. Other statements are not prepared.
//   - Nothing is compiled (jit). A plan forced to use something its function forbids looks dear, and would be compiled at each call.
//   - A statement sees everything committed while it waited for a lock.
//   - A commit is on disk. Whatever else a server waits for, such as a replica, stays as it is.
const session = `set plan_cache_mode = force_generic_plan; set jit = off; set default_transaction_isolation = 'read committed';
	select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`

// PrepareSession gives a new connection the settings of session. Open does it by itself; it is for pools opened
// otherwise.
func PrepareSession(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, session)
	return err
}
