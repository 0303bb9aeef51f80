package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/cmd/causeway/command"
	"causeway/cmd/causeway/commandtest"
	"causeway/cmd/causeway/settings"
	"causeway/internal/testkit"
	"causeway/vault"
)

// A role under a key that is not the books' own would be ready and refuse every API key and deliver no webhook: it does not start.
//
// Covers operator §Admin: Under a SECRETS_KEY without
// Covers operator §Settings: SECRETS_KEY
func TestNoRoleStartsUnderAForeignKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.Merchant()
	foreign := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{9}, vault.KeySize))
	s.Writes(&settings.DevFile{DatabaseURL: testkit.DSN(t), RedisURL: testkit.RedisURL(t), SecretsKey: foreign})
	for _, args := range [][]string{{"api"}, {"worker"}, {"worker", "--queues", "chain"}, {"scheduler"}, {"reconcile"}} {
		var stdout, stderr bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for one that starts
		code := s.Run(ctx, append(args, "--data-dir", s.Dir), strings.NewReader(""), &stdout, &stderr)
		cancel()
		require.Equal(t, command.ExitFailed, code, args)
		require.Empty(t, stdout.String())
		require.Contains(t, stderr.String(), "causeway: SECRETS_KEY: the database has secrets that are sealed under another key")
	}
	s.Writes(&settings.DevFile{DatabaseURL: testkit.DSN(t), RedisURL: testkit.RedisURL(t), SecretsKey: foreign + "," + commandtest.SecretsKey})
	code, _, stderr := s.Run.Call(t, "reconcile", "--data-dir", s.Dir)
	require.NotContains(t, stderr, "SECRETS_KEY", code)
}
