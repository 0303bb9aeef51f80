package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
	"causeway/internal/cli/settings"
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
				require.NoError(t, os.WriteFile(filepath.Join(dir, "schema.json"), []byte(schema), 0o600))
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
