package devcmd

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/cli/commandtest"
	"causeway/internal/cli/settings"
	"causeway/migrations"
)

// A version starts again on its own schema, as does one with more steps; after a reset any version does.
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
