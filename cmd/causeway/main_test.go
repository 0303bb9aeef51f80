package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"reflect"
	"testing"

	"github.com/redis/go-redis/v9"

	"causeway/internal/cli/commandtest"
	"causeway/internal/cli/settings"
)

// TestMain is the product itself where a test starts it as a process. Else it takes our settings out of the environment:
// only a test's own settings hold.
func TestMain(m *testing.M) {
	if os.Getenv(asCauseway) != "" {
		main()
		return
	}
	for f := range reflect.TypeFor[settings.Settings]().Fields() {
		os.Unsetenv(f.Tag.Get("env"))
	}
	redis.SetLogger(silentRedis{})
	os.Exit(m.Run())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// programIn is a program with the data directory dir.
func programIn(dir string, environ ...string) (p *program, stdout, stderr *bytes.Buffer) {
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	p = newProgram(environ, stdout, stderr)
	p.DataDir = dir
	return p, stdout, stderr
}

// site is an installation with its own database, for every command.
type site struct{ *commandtest.Site }

func newSite(t *testing.T) *site {
	t.Helper()
	return &site{commandtest.New(t, whole)}
}

// whole runs a command line as main does.
func whole(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return Run(ctx, args, stdout, stderr)
}
