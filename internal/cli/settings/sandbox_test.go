package settings

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/api"
	"causeway/internal/proof/contract"
)

// The sandbox has settings of its own. It takes no live setting with a way to money, except a key it may share.
func TestSettingsOfTheSandbox(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Settings: SANDBOX_SECRETS_KEY", "operator §A sandbox beside live networks: causeway dev is",
		"operator §A sandbox beside live networks: All networks of the sandbox")
	file := filepath.Join(t.TempDir(), "networks.yaml")
	require.NoError(t, os.WriteFile(file, []byte("networks: {Ethereum: {rpc: 'http://127.0.0.1:1', xpub: "+someXPub+"}}\n"), 0o600))
	both := []string{"DATABASE_URL=postgres://a@db/live", "REDIS_URL=redis://cache/0", "SECRETS_KEY=" + someKey, "NETWORKS_FILE=" + file,
		"SANDBOX_DATABASE_URL=postgres://a@db/sandbox", "SANDBOX_REDIS_URL=redis://cache/1", "PRICE_SOURCES=kraken", "PUBLIC_BASE_URL=https://pay.example.com"}
	s, err := Read(both, t.TempDir())
	require.NoError(t, err)
	s.Drivers = drivers
	sandbox, err := s.SandboxSettings()
	require.NoError(t, err)
	require.Equal(t, DatabaseURL("postgres://a@db/sandbox"), sandbox.DatabaseURL)
	require.Equal(t, RedisURL("redis://cache/1"), sandbox.RedisURL)
	require.Equal(t, Address("127.0.0.1:8082"), sandbox.OperatorAddr)
	require.Equal(t, BaseURL("https://pay.example.com"+api.SandboxPrefix), sandbox.PublicBaseURL)
	require.Equal(t, s.SecretsKey, sandbox.SecretsKey)
	require.EqualValues(t, 8, sandbox.WorkerConcurrency)
	require.Empty(t, sandbox.NetworksFile)
	require.Empty(t, sandbox.PriceSources)
	require.NotEqual(t, redisOf("redis://127.0.0.1"), redisOf("redis://localhost"), "two names of one server: sameRedis tells")
	again, err := sandbox.SandboxSettings()
	require.NoError(t, err)
	require.Nil(t, again)

	const own = "c2FuZGJveHNhbmRib3hzYW5kYm94c2FuZGJveHNhbmQ="
	s, err = Read([]string{"SANDBOX_DATABASE_URL=postgres://a@db/sandbox", "SANDBOX_SECRETS_KEY=" + own}, t.TempDir())
	require.NoError(t, err)
	s = s.OfSandbox()
	require.NoError(t, s.Need("DATABASE_URL", "SECRETS_KEY")) // no live setting is needed
	require.Equal(t, own, s.SecretsKey.Text())
	s, err = ReadAlone(both, t.TempDir())
	require.NoError(t, err)
	beside, err := s.SandboxSettings()
	require.NoError(t, err)
	require.Nil(t, beside, "dev runs a sandbox beside itself")
}

// A seal of a sandbox beside live networks fits no payout of the live books, whatever keys they share; without SEAL_KEY it is made of
// SECRETS_KEY.
//
// Covers operator §Settings: SEAL_KEY
func TestSealsOfASandboxAreItsOwn(t *testing.T) {
	t.Parallel()
	s, err := Read([]string{"SECRETS_KEY=" + someKey}, t.TempDir())
	require.NoError(t, err)
	seal := s.Seals().Make("x")
	require.NoError(t, s.Seals().Check(seal, "x"))
	require.Error(t, s.OfSandbox().Seals().Check(seal, "x"))
	own, err := Read([]string{"SECRETS_KEY=" + someKey, "SEAL_KEY=" + base64.StdEncoding.EncodeToString(make([]byte, 32))}, t.TempDir())
	require.NoError(t, err)
	require.Error(t, own.Seals().Check(seal, "x"))
}
