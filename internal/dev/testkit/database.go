package testkit

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"causeway/internal/pg"
	"causeway/migrations"
)

const (
	testPrefix     = "test_"
	templatePrefix = "template_"
	poolSize       = 16
	rolePoolSize   = 6
	asRole         = "db as "
)

// perTest remembers the things given to a test, so DB, DSN, Redis and RedisURL of
// the same test mean the same database and the same Redis.
var perTest sync.Map // key{testing.TB, what} -> value

type key struct {
	t    testing.TB
	what string
}

// remember returns the test's thing of this name, made on first use.
func remember[T any](t testing.TB, what string, make func() T) T {
	t.Helper()
	k := key{t, what}
	once, loaded := perTest.LoadOrStore(k, sync.OnceValue(make))
	if !loaded {
		t.Cleanup(func() { perTest.Delete(k) })
	}
	return once.(func() T)()
}

// DB is a pool on the test's own database, at the newest schema and otherwise
// empty. Both go away with the test.
func DB(t testing.TB) *bun.DB {
	t.Helper()
	return remember(t, "db", func() *bun.DB { return opened(t, DSN(t), poolSize, "") })
}

// DBAs is a pool on the database of DB, acting as a role: a test with it finds missing rights of the role.
func DBAs(t testing.TB, role migrations.Role) *bun.DB {
	t.Helper()
	return remember(t, asRole+string(role), func() *bun.DB {
		return opened(t, DSN(t), rolePoolSize, migrations.RoleName(migrations.DefaultPrefix, role))
	})
}

// DSN is the address of the test's own database, opened by DB too.
func DSN(t testing.TB) string {
	t.Helper()
	return remember(t, "dsn", func() string {
		template, err := templates()
		if err != nil {
			t.Fatalf("template database: %v", err)
		}
		return createDatabase(t, template)
	})
}

// EmptyDB is a pool on a further database without any schema.
func EmptyDB(t testing.TB) *bun.DB {
	t.Helper()
	return EmptyDBWith(t, "")
}

// EmptyDBWith is EmptyDB made with options of create database, such as an order of text.
func EmptyDBWith(t testing.TB, options string) *bun.DB {
	t.Helper()
	return used(t, createDatabase(t, "template0 "+options), poolSize, "") // past a pooler, as who migrates it
}

// Copy is a pool on a further database, equal to the test's own one at this moment, as a backup would be. Nothing may
// be using the test's own meanwhile.
func Copy(t testing.TB) *bun.DB {
	t.Helper()
	var used []*bun.DB
	perTest.Range(func(k, once any) bool { // a template may have no connections
		if k := k.(key); k.t == t && (k.what == "db" || strings.HasPrefix(k.what, asRole)) {
			db := once.(func() *bun.DB)()
			db.SetMaxIdleConns(0)
			used = append(used, db)
		}
		return true
	})
	defer func() {
		for _, db := range used {
			db.SetMaxIdleConns(rolePoolSize)
		}
	}()
	name := DatabaseName(t)
	if need(t).Pooler != "" { // it keeps sessions of its own
		if err := execute(need(t).SocketURL, "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '"+name+"'"); err != nil {
			t.Fatal(err)
		}
	}
	return open(t, createDatabase(t, name))
}

func open(t testing.TB, dsn string) *bun.DB {
	t.Helper()
	return opened(t, dsn, poolSize, "")
}

func opened(t testing.TB, dsn string, size int, role string) *bun.DB {
	t.Helper()
	return used(t, need(t).byPooler(dsn, role), size, role)
}

func used(t testing.TB, dsn string, size int, role string) *bun.DB {
	t.Helper()
	db, err := pg.OpenAs(dsn, size, role)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// createDatabase makes a database, dropped with the test.
func createDatabase(t testing.TB, template string) string {
	t.Helper()
	var unique [8]byte
	_, _ = rand.Read(unique[:])
	name := testPrefix + hex.EncodeToString(unique[:])
	admin := need(t).SocketURL
	if err := execute(admin, "create database "+name+" template "+template+" strategy file_copy"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := execute(admin, "drop database "+name+" with (force)"); err != nil {
			t.Error(err)
		}
	})
	return inDatabase(admin, name)
}

// templates is the name of the database at the newest schema, copied for others.
// The first process to need it builds it; a name is taken only once it is complete.
var templates = sync.OnceValues(func() (string, error) {
	s, err := shared()
	if err != nil {
		return "", err
	}
	name := templatePrefix + migrations.Hash()
	return name, withAdmin(s.SocketURL, func(ctx context.Context, conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "select pg_advisory_lock(1)"); err != nil { // ends with the connection
			return err
		}
		var exists bool
		const look = "select exists (select from pg_database where datname = $1)"
		if err := conn.QueryRow(ctx, look, name).Scan(&exists); err != nil || exists {
			return err
		}
		return buildTemplate(ctx, conn, s.SocketURL, name)
	})
})

func buildTemplate(ctx context.Context, conn *pgx.Conn, admin, name string) error {
	unfinished := name + "_unfinished"
	for _, statement := range []string{"drop database if exists " + unfinished, "create database " + unfinished} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	db, err := pg.Open(inDatabase(admin, unfinished), 2)
	if err != nil {
		return err
	}
	err = migrations.Up(ctx, db)
	if closed := db.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if err := letRolesIn(ctx, conn); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "alter database "+unfinished+" rename to "+name)
	return err
}

// clearDatabases drops the databases of killed tests and older schemas.
func clearDatabases(admin string) error {
	return withAdmin(admin, func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "select datname from pg_database")
		if err != nil {
			return err
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		current := templatePrefix + migrations.Hash()
		for _, name := range names {
			old := strings.HasPrefix(name, templatePrefix) && name != current
			if !old && !strings.HasPrefix(name, testPrefix) {
				continue
			}
			if _, err := conn.Exec(ctx, "drop database "+name); err != nil {
				return err
			}
		}
		return nil
	})
}

func execute(admin, statement string) error {
	return withAdmin(admin, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)
		return err
	})
}

func withAdmin(admin string, use func(context.Context, *pgx.Conn) error) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return use(ctx, conn)
}

// inDatabase is the address of another database of the same server.
func inDatabase(address, name string) string {
	u, err := url.Parse(address)
	if err != nil {
		panic(fmt.Sprintf("address of the test server: %v", err))
	}
	u.Path = "/" + name
	return u.String()
}
