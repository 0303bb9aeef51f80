package store

import (
	"database/sql"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// Open prepares a pool of at most poolSize connections to the PostgreSQL at url
// (a postgres:// address). Connections are made on first use, so that only an
// unreadable address is an error here. The caller closes the pool.
//
// Bun writes arguments into the text, so that its queries are simple ones; what
// every request waits for is prepared instead (see prepared). A cancelled context
// cancels the query in the server as well.
func Open(url string, poolSize int) (*bun.DB, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database address: %w", err)
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	config.RuntimeParams["timezone"] = "UTC"
	config.RuntimeParams["client_encoding"] = "UTF8"
	config.RuntimeParams["default_transaction_isolation"] = "read committed" // who has waited for a lock sees what is there then
	config.RuntimeParams["jit"] = "off" // our functions forbid plans by making them dear, and what is dear would be compiled each time
	pool := sql.OpenDB(newNoRepeatConnector(config))
	pool.SetMaxOpenConns(poolSize)
	pool.SetMaxIdleConns(poolSize)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	// columns that a newer version adds while this one still runs are nothing to it
	return bun.NewDB(pool, pgdialect.New(), bun.WithDiscardUnknownColumns()), nil
}
