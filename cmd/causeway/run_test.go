package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/cli/commandtest"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/testkit"
)

// call runs a command line as main does.
func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return commandtest.Runner(whole).Call(t, args...)
}

// Covers operator §operator: the contract with whoever runs the service: They exit 0
func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"--help", command.ExitOK, ""},
		{"config --help", command.ExitOK, ""},
		{"--version", command.ExitOK, ""},
		{"help", command.ExitOK, ""},
		{"help admin key create", command.ExitOK, ""},
		{"help nope", command.ExitUsage, `no help on "nope"`},
		{"help admin mercant", command.ExitUsage, `no help on "admin mercant", did you mean merchant? see causeway admin --help`},
		{"help admin nope", command.ExitUsage, `no help on "admin nope"`},
		{"run cleanup --timeout 0s", command.ExitUsage, "--timeout"},
		{"run cleanup --sandbox", command.ExitFailed,
			"SANDBOX_DATABASE_URL is not set, and --sandbox is about the sandbox beside live networks alone"},
		{"", command.ExitUsage, "needs a command"},
		{"nonsense", command.ExitUsage, "nonsense"},
		{"migrate", command.ExitUsage, "up"},
		{"migrate sideways", command.ExitUsage, "sideways"},
		{"migrate up further", command.ExitUsage, "further"},
		{"config --nonsense", command.ExitUsage, "nonsense"},
		{"migrate status", command.ExitFailed, "DATABASE_URL is not set"},
	} {
		code, stdout, stderr := call(t, append(strings.Fields(c.args), "--data-dir="+t.TempDir())...)
		if code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("causeway %s: exit code %d, %q", c.args, code, stderr)
		}
		if code != command.ExitOK && (stdout != "" || strings.Count(stderr, "\n") != 1) {
			t.Errorf("causeway %s: prints %q and %q", c.args, stdout, stderr)
		}
	}
}

// A senseless command line of dev is refused before anything is made.
//
// Covers operator §operator: the contract with whoever runs the service: They exit 0
// Covers operator §A sandbox beside live networks: causeway --sandbox before
func TestDevMakesNothingOfWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, says string }{
		{"dev --sandbox", "--sandbox is for commands"},
		{"dev --listen nope", "--listen"},
		{"dev --listen 127.0.0.1:99999", "--listen"},
		{"dev --operator-listen nope", "--operator-listen"},
	} {
		dir := filepath.Join(t.TempDir(), "data")
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // if the line is understood: nothing is started
		p, stdout, stderr := programIn(dir)
		code := p.run(ctx, append(strings.Fields(c.args), "--data-dir="+dir))
		if code != command.ExitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), c.says) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("causeway %s: exit code %d, %q", c.args, code, stderr)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("causeway %s: has made the data directory: %v", c.args, err)
		}
	}
}

// Every command, and every group of them, explains itself without touching anything.
//
// Covers operator §operator: the contract with whoever runs the service: Every command has --help
func TestEveryCommandHasHelp(t *testing.T) {
	t.Parallel()
	asked := 0
	var ask func(c *cobra.Command)
	ask = func(c *cobra.Command) {
		asked++
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		code, stdout, stderr := call(t, args...)
		if code != command.ExitOK || !strings.Contains(stdout, "Usage:") || stderr != "" {
			t.Errorf("causeway %s: exit code %d, %q and %q", strings.Join(args, " "), code, stdout, stderr)
		}
		for _, sub := range c.Commands() {
			if !sub.IsAdditionalHelpTopicCommand() {
				ask(sub)
			}
		}
	}
	ask(newProgram(nil, io.Discard, io.Discard).root())
	if asked < 60 {
		t.Errorf("only %d commands were asked", asked)
	}
	if code, stdout, _ := call(t, "--version"); code != command.ExitOK || !strings.HasPrefix(stdout, "causeway") {
		t.Errorf("--version: exit code %d, %q", code, stdout)
	}
}

// Covers operator §Settings: DATABASE_URL
func TestUnreachableServersAreNamed(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{
		"postgres://me:hunter2@127.0.0.1:1/x",
		strings.Replace(testkit.DSN(t), "/test_", "/absent_", 1),
	} {
		dir := t.TempDir()
		must(t, (&settings.DevFile{DatabaseURL: dsn}).Write(dir))
		code, _, stderr := call(t, "migrate", "status", "--data-dir", dir)
		if code != command.ExitFailed || !strings.HasPrefix(stderr, "causeway: DATABASE_URL: postgres://") ||
			strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "hunter2") {
			t.Errorf("exit code %d, %q", code, stderr)
		}
	}
}

// Covers operator §Roles: causeway migrate up
func TestMigrate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, (&settings.DevFile{DatabaseURL: testkit.DSN(t)}).Write(dir))
	for _, way := range []struct {
		verb    string
		applied bool
	}{{"status", true}, {"down", false}, {"up", true}} {
		code, stdout, stderr := call(t, "migrate", way.verb, "--data-dir", dir)
		if code != command.ExitOK || strings.Contains(stdout, `"applied_at": null`) == way.applied {
			t.Errorf("migrate %s: exit code %d, %s %s", way.verb, code, stdout, stderr)
		}
	}
}
