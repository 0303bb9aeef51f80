// Package commandtest runs commands in tests as from a shell, on an installation with a database of its own.
package commandtest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/internal/cli/command"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// SecretsKey is SECRETS_KEY of a site.
var SecretsKey = base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))

// Site is an installation with its own database; commands run on it as from a shell.
type Site struct {
	*testing.T
	Dir string
	DB  *bun.DB
	Run Runner
}

// Runner runs a command line and answers its exit code.
type Runner func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int

// Call runs a command line without input.
func (run Runner) Call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return run.Typed(t, "", args...)
}

// Typed runs a command line with something on its standard input.
func (run Runner) Typed(t *testing.T, input string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, problem bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(input), &out, &problem)
	return code, out.String(), problem.String()
}

// New makes a site with commands run by run.
func New(t *testing.T, run Runner) *Site {
	t.Helper()
	s := &Site{t, t.TempDir(), testkit.DB(t), run}
	s.Writes(&settings.DevFile{DatabaseURL: testkit.DSN(t), SecretsKey: SecretsKey})
	return s
}

// WithRedis lets the commands use a Redis, too.
func (s *Site) WithRedis() {
	s.Helper()
	s.Writes(&settings.DevFile{DatabaseURL: testkit.DSN(s.T), RedisURL: testkit.RedisURL(s.T), SecretsKey: SecretsKey})
}

// Writes replaces dev.json.
func (s *Site) Writes(d *settings.DevFile) {
	s.Helper()
	require.NoError(s.T, d.Write(s.Dir))
}

// Do runs a command and reads the result; the command must succeed and print one JSON value and nothing else.
func (s *Site) Do(into any, args ...string) {
	s.Helper()
	code, stdout, stderr := s.Run.Call(s.T, append(args, "--data-dir", s.Dir)...)
	if code != command.ExitOK || stderr != "" {
		s.Fatalf("causeway %s: exit code %d, %s", strings.Join(args, " "), code, stderr)
	}
	decoder := json.NewDecoder(strings.NewReader(stdout))
	if err := decoder.Decode(into); err != nil || decoder.More() {
		s.Fatalf("causeway %s: prints %q: %v", strings.Join(args, " "), stdout, err)
	}
}

// Refused runs a command, and fails the test unless it is refused in one line with these words, without a change.
func (s *Site) Refused(code int, says string, args ...string) {
	s.Helper()
	before := s.Audited()
	got, stdout, stderr := s.Run.Call(s.T, append(args, "--data-dir", s.Dir)...)
	if got != code || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, says) {
		s.Errorf("causeway %s: exit code %d, prints %q and %q", strings.Join(args, " "), got, stdout, stderr)
	}
	if !slices.Equal(before, s.Audited()) {
		s.Errorf("causeway %s: a refusal was audited", strings.Join(args, " "))
	}
}

// Audited lists the actions of the audit table in order.
func (s *Site) Audited() []string {
	s.Helper()
	var out []string
	require.NoError(s.T, s.DB.NewRaw("select action from audit order by id").Scan(s.Context(), &out))
	return out
}

// LastAudit is the newest audit row.
func (s *Site) LastAudit() store.AuditRow {
	s.Helper()
	rows, err := store.New(s.DB).Audit(s.Context(), "", 0, 1)
	require.NoError(s.T, err)
	if len(rows) == 0 {
		s.Fatal("nothing was audited")
	}
	return rows[0]
}

// Exec changes the database behind the back of the commands.
func (s *Site) Exec(query string, args ...any) {
	s.Helper()
	_, err := s.DB.ExecContext(s.Context(), query, args...)
	require.NoError(s.T, err)
}

// Merchant makes a merchant and returns its id.
func (s *Site) Merchant() string {
	s.Helper()
	var m struct{ ID string }
	s.Do(&m, "admin", "merchant", "create", "--name", "Shop")
	return m.ID
}
