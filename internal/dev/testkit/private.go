package testkit

import (
	"errors"
	"path/filepath"
	"testing"

	"causeway/internal/dev/devstack"
	"causeway/internal/pg"
	"causeway/migrations"
)

// PrivateStack starts servers for this test alone, durable, to be stopped, crashed
// and started again. They end with the test.
func PrivateStack(t testing.TB) *devstack.Stack {
	t.Helper()
	opts := privateOptions(t)
	stack, err := devstack.Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, opts, stack.Stop) })
	return stack
}

// PrivateReplica starts a PostgreSQL for this test alone, with the newest schema, and one that follows it.
func PrivateReplica(t testing.TB) (primary, replica *devstack.Postgres) {
	t.Helper()
	here, there := privateOptions(t), privateOptions(t)
	here.Replicated, here.Durable, there.Durable = true, false, false
	primary, err := devstack.StartPostgres(t.Context(), here)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, here, primary.Stop) })
	db, err := pg.Open(primary.SocketURL, 2)
	if err == nil {
		err = errors.Join(migrations.Up(t.Context(), db), db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if replica, err = devstack.StartReplica(t.Context(), there, primary); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, there, replica.Stop) })
	return primary, replica
}

// PrivateRedis starts a Redis for this test alone, like PrivateStack.
func PrivateRedis(t testing.TB) *devstack.Redis {
	t.Helper()
	opts := privateOptions(t)
	server, err := devstack.StartRedis(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, opts, server.Stop) })
	return server
}

func privateOptions(t testing.TB) devstack.Options {
	return devstack.Options{DataDir: filepath.Join(t.TempDir(), "stack"), Durable: true}
}

// end stops servers and removes their data. For root this may live outside the
// test's temporary directory.
func end(t testing.TB, opts devstack.Options, stop func() error) {
	t.Helper()
	if err := stop(); err != nil {
		t.Error(err)
	}
	if err := devstack.Remove(opts); err != nil {
		t.Error(err)
	}
}
