package testkit

import (
	"context"
	"errors"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"causeway/internal/dev/devstack"
	"causeway/internal/pg"
	"causeway/migrations"
)

// poolerEnv, when set, puts a pgbouncer between the tests' pools and PostgreSQL (`make test-pgbouncer`).
const poolerEnv = "CAUSEWAY_TESTKIT_POOLER"

func pooled() bool { return os.Getenv(poolerEnv) != "" }

// owner is the user of SocketURL.
const owner = "causeway"

// Pooler starts a pgbouncer for this test alone, before the PostgreSQL of all tests. It holds up to so many sessions for each user.
func Pooler(t testing.TB, sessions int, users ...string) *devstack.Pooler {
	t.Helper()
	opts := privateOptions(t)
	pooler, err := devstack.StartPooler(t.Context(), opts, devstack.Pool{Server: need(t).SocketURL, Users: users, Sessions: sessions})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, opts, pooler.Stop) })
	return pooler
}

// DatabaseName is the name of the test's own database.
func DatabaseName(t testing.TB) string {
	t.Helper()
	u, err := url.Parse(DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(u.Path, "/")
}

// pool starts the pooler of all tests where it is wanted, and returns what ends it.
func pool(opts devstack.Options, stack *devstack.Stack) (servers, func() error, error) {
	s := servers{SocketURL: stack.Postgres.SocketURL, RedisURL: stack.RedisURL}
	if !pooled() {
		return s, func() error { return nil }, nil
	}
	settings, _ := pg.RoleSettings(owner)
	if err := execute(s.SocketURL, settings); err != nil {
		return s, nil, err
	}
	users := []string{owner}
	for _, role := range everyRole {
		users = append(users, migrations.RoleName(migrations.DefaultPrefix, role))
	}
	pooler, err := devstack.StartPooler(context.Background(), opts, devstack.Pool{Server: s.SocketURL, Users: users, Sessions: poolSize})
	if err != nil {
		return s, nil, err
	}
	s.Pooler = pooler.URL(owner, owner)
	return s, pooler.Stop, nil
}

var everyRole = []migrations.Role{migrations.APIRole, migrations.WorkerRole, migrations.SignerRole, migrations.SchedulerRole,
	migrations.OperatorRole, migrations.WorkersRole, migrations.DevRole}

// letRolesIn lets the roles log in where there is a pooler: nobody takes on a role behind it.
func letRolesIn(ctx context.Context, conn *pgx.Conn) error {
	if !pooled() {
		return nil
	}
	var failed error
	for _, role := range everyRole {
		_, err := conn.Exec(ctx, "alter role "+migrations.RoleName(migrations.DefaultPrefix, role)+" login")
		failed = errors.Join(failed, err)
	}
	return failed
}

// byPooler is the address of a database by way of the pooler, for a role; "" is its owner. Without a pooler it is the database's own.
func (s servers) byPooler(dsn, role string) string {
	at, err := url.Parse(dsn)
	way, unread := url.Parse(s.Pooler)
	if s.Pooler == "" || errors.Join(err, unread) != nil || !slices.Equal(at.Query()["host"], s.host()) {
		return dsn
	}
	at.RawQuery = way.RawQuery
	if role != "" {
		at.User = url.User(role)
	}
	return at.String()
}

// host is where the PostgreSQL of all tests is: another one has no pooler.
func (s servers) host() []string {
	at, err := url.Parse(s.SocketURL)
	if err != nil {
		return nil
	}
	return at.Query()["host"]
}
