package testkit

import (
	"path/filepath"
	"testing"

	"causeway/internal/dev/devstack"
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
