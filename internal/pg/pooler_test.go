package pg_test

import (
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/internal/dev/devstack"
	"causeway/internal/dev/testkit"
	"causeway/internal/pg"
	"causeway/migrations"
)

// counter is a pooler with one session of the server for each user, a role who logs in through it, and the owner. The role counts in a
// table.
type counter struct {
	testing.TB
	pooler    *devstack.Pooler
	owner     *bun.DB // past the pooler
	ownerName string
	role      string
	database  string
}

func newCounter(t *testing.T) *counter {
	t.Helper()
	at, err := url.Parse(testkit.DSN(t))
	require.NoError(t, err)
	c := &counter{TB: t, owner: testkit.DB(t), ownerName: at.User.Username(), role: "pooled_" + strings.ToLower(rand.Text()), database: testkit.DatabaseName(t)}
	c.say("create role "+c.role+" login", "create table counts (n int)", "insert into counts values (0)", "grant select, update on counts to "+c.role)
	t.Cleanup(func() {
		for _, statement := range []string{"drop owned by " + c.role, "drop role " + c.role} {
			_, err := c.owner.Exec(statement)
			require.NoError(t, err)
		}
	})
	c.pooler = testkit.Pooler(t, 1, c.ownerName, c.role)
	return c
}

func (c *counter) say(statements ...string) {
	c.Helper()
	for _, statement := range statements {
		_, err := c.owner.ExecContext(c.Context(), statement)
		require.NoError(c, err, statement)
	}
}

// through is a pool through the pooler.
func (c *counter) through(user, role string, size int) *bun.DB {
	c.Helper()
	db, err := pg.OpenAs(c.pooler.URL(user, c.database), size, role)
	require.NoError(c, err)
	c.Cleanup(func() { _ = db.Close() })
	return db
}

// anew makes the pooler forget its sessions.
func (c *counter) anew() {
	c.Helper()
	require.NoError(c, c.pooler.Crash())
	require.NoError(c, c.pooler.Restart(c.Context()))
}

// Statements sent prepared past a pooler arrive through one, many at once and in one session of the server.
func TestStatementsThroughAPooler(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	settings, _ := pg.RoleSettings(c.role)
	c.say(settings)
	db := c.through(c.role, c.role, 8)
	const askers, times = 8, 20
	var all sync.WaitGroup
	for i := range askers {
		all.Go(func() {
			for range times {
				if err := count(t, db, i%2 == 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	var n, sessions int
	require.NoError(t, c.owner.NewRaw("select n from counts").Scan(t.Context(), &n))
	require.Equal(t, askers*times, n)
	require.NoError(t, c.owner.NewRaw("select count(*) from pg_stat_activity where usename = ?", c.role).Scan(t.Context(), &sessions))
	require.Equal(t, 1, sessions)
	require.NoError(t, pg.Quick(t.Context(), db, func(r pg.Scanner) error { return r.Scan(&n) }, "select n + $1::int from counts", 1))
	require.Equal(t, askers*times+1, n)

	session, err := c.through(c.role, "", 1).DB.Conn(t.Context()) // another client of the same session
	require.NoError(t, err)
	_, err = session.ExecContext(t.Context(), "set default_transaction_isolation = serializable")
	require.NoError(t, err)
	require.NoError(t, session.Close())
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	var isolation string
	require.NoError(t, tx.NewRaw("show transaction_isolation").Scan(t.Context(), &isolation))
	require.NoError(t, tx.Rollback())
	require.Equal(t, "read committed", isolation)
	require.ErrorIs(t, c.through(c.role, "", 1).PingContext(t.Context()), pg.ErrPooler, "a new connection sees it")
}

// count adds one, by prepared statements, in a transaction or without.
func count(t *testing.T, db *bun.DB, inTransaction bool) error {
	change := func(db bun.IDB) error {
		n, err := pg.Exec(t.Context(), db, "count", "update counts set n = n + $1 where n >= $2", 1, 0)
		if err == nil && n != 1 {
			err = fmt.Errorf("%d rows", n)
		}
		if err != nil {
			return err
		}
		var seen int
		return pg.Rows(t.Context(), db, "look", func(r *sql.Rows) error { return r.Scan(&seen) }, "select n from counts where n >= $1", 0)
	}
	if !inTransaction {
		return change(db)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := change(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// A connection through a pooler without what it needs is refused, and says what is missing.
func TestWhatAPoolerLacksIsSaid(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	refused := func(user, role, says string) {
		t.Helper()
		err := c.through(user, role, 1).PingContext(t.Context())
		require.ErrorIs(t, err, pg.ErrPooler)
		require.ErrorContains(t, err, says)
	}
	refused(c.role, c.role, "alter role "+c.role+" set jit = 'off'; alter role "+c.role+" set plan_cache_mode = 'force_generic_plan'; then the pooler connects anew (RECONNECT)")
	settings, _ := pg.RoleSettings(c.role)
	c.say(settings, "alter role "+c.role+" set synchronous_commit = off")
	c.anew()
	refused(c.role, c.role, "alter role "+c.role+" set synchronous_commit = on")
	c.say("alter role " + c.role + " set synchronous_commit = local")
	c.anew()
	require.NoError(t, c.through(c.role, c.role, 1).PingContext(t.Context()))
	refused(c.ownerName, c.role, "cannot become "+c.role+": log in as the role itself (DATABASE_PASSWORDS)")

	settings, _ = pg.RoleSettings(c.ownerName + " in database " + c.database)
	c.say(settings)
	c.anew()
	owner := c.through(c.ownerName, "", 2)
	require.NoError(t, owner.PingContext(t.Context()))
	require.ErrorIs(t, migrations.Up(t.Context(), owner), pg.ErrPooler)
}
