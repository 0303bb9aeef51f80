package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
	"causeway/internal/cli/commandtest"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/testkit"
	"causeway/internal/vault"
	"causeway/migrations"
)

// A role under a key of other books would be ready and refuse every API key and deliver no webhook: it does not start.
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
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // in case one starts
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

// A signer does not start if SEAL_KEY lacks the key of an open payout's seal; other roles need none.
//
// Covers operator §Settings: SEAL_KEY
func TestNoSignerStartsWithoutTheKeysOfSeals(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	merchant := s.Merchant()
	keyOf := func(b byte) string { return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, vault.KeySize)) }
	seal := vault.NewSealer("payout", bytes.Repeat([]byte{8}, vault.KeySize)).Make("x")
	s.Exec(`insert into payouts (id, merchant_id, key_id, reference_id, wallet, token, asset, network, process_by, amount, debit, rate_fee, network_fee,
			pays_network_fee, fee_from_amount, percent_rate, fiat_currency, webhook_url, seal, status)
		values (gen_random_uuid(), ?, 'k', 'r', 'w', 'USDT', 'USDT', 'Tron', 'crypto_amount', 1, 1, 0, 0, false, false, 0, 'USD', '', ?, 'queued')`, merchant, seal)
	under := func(keys string, as migrations.Role) error {
		t.Helper()
		s.Writes(&settings.DevFile{DatabaseURL: testkit.DSN(t), RedisURL: testkit.RedisURL(t), SecretsKey: commandtest.SecretsKey, SealKey: keys})
		from, err := newProgram(nil, io.Discard, io.Discard).at(s.Dir).Settings(settings.OfRoles...)
		require.NoError(t, err)
		h, err := openService(t.Context(), from, io.Discard, as)
		if err == nil {
			require.NoError(t, h.close())
		}
		return err
	}
	for _, keys := range []string{keyOf(9), ""} {
		require.ErrorContains(t, under(keys, migrations.SignerRole), "SEAL_KEY: open payouts are sealed under another key")
	}
	require.NoError(t, under(keyOf(9), migrations.WorkerRole))
	require.NoError(t, under(keyOf(9)+","+keyOf(8), migrations.SignerRole))
}
