// Package pg sends statements to PostgreSQL and reads their rows: pools, prepared statements, arrays and amounts.
package pg

import (
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
// well. The settings of a session win over the address. Through a pooler nothing is prepared
// (see ErrPooler); it is found out with each connection.
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
	if role != "" && role != config.User { // a pooler refuses the parameter
		config.RuntimeParams["role"] = role
	}
	pool := sql.OpenDB(newNoRepeatConnector(config, role))
	pool.SetMaxOpenConns(poolSize)
	pool.SetMaxIdleConns(poolSize)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	// columns added by a newer version while this one still runs are nothing to it
	return bun.NewDB(pool, pgdialect.New(), bun.WithDiscardUnknownColumns()), nil
}
