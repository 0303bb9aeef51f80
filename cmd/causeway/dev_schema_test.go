package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
	"causeway/internal/cli/commandtest"
	"causeway/internal/cli/settings"
	"causeway/migrations"
)

// A data directory of an earlier version is refused in one line, before anything is started, and not by errors of SQL later.
//
// Covers operator §dev: A data directory whose database
func TestDevRefusesADataDirectoryOfAnotherSchema(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{"before any was noted": "", "another": `{"0001_merchants": "0123456789abcdef"}`,
		"a step that is gone": `{"0000_gone": "0123456789abcdef"}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, settings.DevFileName), []byte("{}"), 0o600))
			if schema != "" {
				require.NoError(t, os.WriteFile(filepath.Join(dir, schemaFileName), []byte(schema), 0o600))
			}
			code, _, stderr := call(t, "dev", "--data-dir", dir, "--listen", freePort(t), "--operator-listen", freePort(t))
			require.Equal(t, command.ExitFailed, code)
			require.Contains(t, stderr, "has the schema of another version of causeway")
			require.Contains(t, stderr, "causeway dev --reset")
			require.Equal(t, 1, strings.Count(stderr, "\n"))
			files, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.LessOrEqual(t, len(files), 2, "something was started")
		})
	}
}

// What a version has built it starts again, as does one with more steps; after a reset anybody does.
func TestADataDirectoryKeepsItsSchema(t *testing.T) {
	t.Parallel()
	s := &settings.Settings{DataDir: t.TempDir()}
	steps := migrations.Hashes()
	require.Contains(t, steps, "0001_merchants")
	require.NoError(t, keepSchema(s, steps))
	s.Dev = &settings.DevFile{}
	require.NoError(t, keepSchema(s, steps))
	more := maps.Clone(steps)
	more["9999_more"] = "1"
	require.NoError(t, keepSchema(s, more))
	require.ErrorContains(t, keepSchema(s, steps), "9999_more")
	require.NoError(t, prepareDataDir(s, true))
	require.NoError(t, keepSchema(s, steps))
}

// The secrets of a database of the operator's own are opened by dev.json's key alone: --reset forgets it only where another is set.
//
// Covers operator §dev: Starting again keeps
func TestAResetKeepsTheKeyOfADatabaseThatStays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, (&settings.DevFile{DatabaseURL: "postgres://me@db/own", SecretsKey: commandtest.SecretsKey}).Write(dir))
	for _, c := range []struct {
		set  []string
		kept bool
	}{
		{[]string{"DATABASE_URL=postgres://me@db/own"}, true},
		{[]string{"DATABASE_URL=postgres://me@db/own", "SECRETS_KEY=" + commandtest.SecretsKey}, false},
	} {
		s, err := settings.ReadAlone(c.set, dir)
		require.NoError(t, err)
		err = prepareDataDir(s, true)
		dev, found := settings.ReadDevFile(dir)
		require.NoError(t, found)
		require.Equal(t, c.kept, err != nil, "%v", err)
		require.Equal(t, c.kept, dev != nil)
	}
}
