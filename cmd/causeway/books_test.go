package main

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/cmd/causeway/command"
	"causeway/cmd/causeway/commandtest"
	"causeway/cmd/causeway/settings"
	"causeway/internal/contract"
	"causeway/internal/testkit"
	"causeway/ledger"
	"causeway/scheduler"
	"causeway/store"
)

// besideFile is a networks file with a network.
func besideFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "networks.yaml")
	must(t, os.WriteFile(file, []byte("networks: {Ethereum: {rpc: 'http://127.0.0.1:1', xpub: "+testXPub+"}}\n"), 0o600))
	return file
}

// besideSettings are those of live networks with a sandbox beside them, and then what else is said.
func besideSettings(t *testing.T, more ...string) []string {
	t.Helper()
	file := besideFile(t)
	return append([]string{"DATABASE_URL=postgres://a@db/live", "REDIS_URL=redis://cache/0", "SECRETS_KEY=" + commandtest.SecretsKey, "NETWORKS_FILE=" + file,
		"SANDBOX_DATABASE_URL=postgres://a@db/sandbox", "SANDBOX_REDIS_URL=redis://cache/1"}, more...)
}

// What would let live books and a sandbox's meet stops the start, with one line that names the setting.
func TestSettingsThatWouldMixBooks(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Settings: SANDBOX_DATABASE_URL", "operator §Settings: SANDBOX_REDIS_URL", "operator §A sandbox beside live networks: The live books then",
		"operator §A sandbox beside live networks: causeway --sandbox before")
	for said, more := range map[string]string{
		"SANDBOX_DATABASE_URL is not set":            "SANDBOX_DATABASE_URL=",
		"SANDBOX_REDIS_URL is not set":               "SANDBOX_REDIS_URL=",
		"SANDBOX_DATABASE_URL is the database of":    "SANDBOX_DATABASE_URL=postgres://b:other@db:5432/live?sslmode=disable",
		"SANDBOX_REDIS_URL is the database of":       "SANDBOX_REDIS_URL=redis://:secret@cache:6379",
		"SANDBOX_DATABASE_URL is set and NETWORKS_F": "NETWORKS_FILE=",
		"--sandbox is for commands":                  "",
	} {
		for _, name := range []string{"config", "api", "worker", "scheduler"} {
			environ, args := besideSettings(t), []string{name}
			if setting, _, ok := strings.Cut(more, "="); ok {
				for i, line := range environ {
					if strings.HasPrefix(line, setting+"=") {
						environ[i] = more
					}
				}
			} else if args = append(args, "--sandbox"); name == "config" {
				continue
			}
			p, stdout, stderr := programIn(t.TempDir(), environ...)
			code := p.run(t.Context(), args)
			if code == command.ExitOK || stdout.Len() > 0 || !strings.Contains(stderr.String(), said) || strings.Count(stderr.String(), "\n") != 1 {
				t.Errorf("%s: %v exits with %d and says %q", more, args, code, stderr)
			}
		}
	}
}

// A Redis is known by whatever name it is called, and its databases are told apart.
func TestTheSameRedisByAnotherName(t *testing.T) {
	t.Parallel()
	open := func(url string) *redis.Client {
		options, err := redis.ParseURL(url)
		must(t, err)
		client := redis.NewClient(options)
		t.Cleanup(func() { _ = client.Close() })
		return client
	}
	address := testkit.RedisURL(t)
	live := open(address)
	renamed := strings.Replace(address, "127.0.0.1", "localhost", 1)
	require.True(t, sameRedis(t.Context(), live, open(renamed)))

	u, err := url.Parse(address)
	must(t, err)
	u.Path = "/0"
	require.False(t, sameRedis(t.Context(), live, open(u.String())), "another database")
	require.False(t, sameRedis(t.Context(), open(u.String()), open(testkit.PrivateRedis(t).URL)))
	require.False(t, sameRedis(t.Context(), open("redis://127.0.0.1:1"), open("redis://localhost:1")), "nobody answers")
}

// A database is claimed once, and simulated money never becomes real by a setting.
func TestBooksAreClaimedOnce(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §A sandbox beside live networks: The first start claims")
	ctx, books := t.Context(), store.New(testkit.DB(t))
	kind, err := books.Books(ctx)
	must(t, err)
	require.Equal(t, store.NoBooks, kind)
	open := func(sandbox bool) (*service, error) {
		p, _, _ := programIn(t.TempDir(), besideSettings(t)...)
		p.Sandbox = sandbox
		s, err := p.Settings()
		must(t, err)
		h := &service{settings: s, store: books}
		return h, h.claimBooks(ctx)
	}
	const paid = "insert into transfers (id, network, txid, token, position, address, amount, status) values (gen_random_uuid(), ?, 't', 'USDT', 0, 'a', 1, 'unclaimed')"
	for _, network := range []string{"Ethereum", "Tron"} {
		_, err = testkit.DB(t).ExecContext(ctx, paid, network)
		must(t, err)
	}
	_, err = open(false)
	require.EqualError(t, err, "DATABASE_URL: the books hold simulated money of Tron: live books beside a sandbox begin in an empty database")
	_, err = testkit.DB(t).ExecContext(ctx, "delete from transfers where network = 'Tron'")
	must(t, err)
	_, err = ledger.Post(ctx, books.Q, ledger.TreasuryOpened("Tron", "USDT", decimal.New(1000, 0)), ledger.TreasuryOpened("Ethereum", "USDT", decimal.New(7, 0)))
	must(t, err)
	_, err = testkit.DB(t).ExecContext(ctx, "insert into followers (network) values ('Tron'), ('Ethereum')")
	must(t, err)
	must(t, scheduler.Plan(ctx, books, []string{"Tron", "Ethereum"}))
	h, err := open(false)
	must(t, err)
	require.True(t, h.realOnly)
	held, err := books.LedgerHoldings(ctx)
	must(t, err)
	require.Equal(t, []string{"0", "7"}, []string{held["Tron"]["USDT"].String(), held["Ethereum"]["USDT"].String()})
	var followed []string
	must(t, testkit.DB(t).NewRaw("select network from followers f join jobs j on j.kind = 'network.follow' order by 1").Scan(ctx, &followed))
	require.Equal(t, []string{"Ethereum"}, followed)
	h, err = open(false)
	must(t, err)
	require.True(t, h.realOnly)
	_, err = open(true)
	require.ErrorContains(t, err, "SANDBOX_DATABASE_URL: the database holds live books")

	alone := &service{settings: &settings.Settings{}, store: books}
	must(t, alone.claimBooks(ctx))
	require.True(t, alone.realOnly, "live books forget what they are when a setting gets lost")
}
