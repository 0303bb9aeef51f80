package main

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains/sandbox"
	"causeway/internal/cli/command"
	"causeway/internal/cli/commandtest"
	"causeway/internal/cli/connect"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/proof/contract"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/scheduler"
)

// besideFile is a networks file with a network.
func besideFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "networks.yaml")
	must(t, os.WriteFile(file, []byte("networks: {Ethereum: {rpc: 'http://127.0.0.1:1', xpub: "+testXPub+"}}\n"), 0o600))
	return file
}

// besideSettings are the settings of live networks with a sandbox beside them, followed by more.
func besideSettings(t *testing.T, more ...string) []string {
	t.Helper()
	file := besideFile(t)
	return append([]string{"DATABASE_URL=postgres://a@db/live", "REDIS_URL=redis://cache/0", "SECRETS_KEY=" + commandtest.SecretsKey,
		"NETWORKS_FILE=" + file,
		"SANDBOX_DATABASE_URL=postgres://a@db/sandbox", "SANDBOX_REDIS_URL=redis://cache/1"}, more...)
}

// Settings mixing live books with a sandbox's stop the start, with one line about the setting.
func TestSettingsThatWouldMixBooks(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Settings: SANDBOX_DATABASE_URL", "operator §Settings: SANDBOX_REDIS_URL",
		"operator §A sandbox beside live networks: NETWORKS_FILE must",
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
			if code == command.ExitOK || (stdout.Len() > 0) != (name == "config") || !strings.Contains(stderr.String(), said) || strings.Count(stderr.String(), "\n") != 1 {
				t.Errorf("%s: %v exits with %d and says %q", more, args, code, stderr)
			}
		}
	}
}

// A Redis is known by whatever name it is called, and its databases are told apart.
func TestTheSameRedisByAnotherName(t *testing.T) {
	t.Parallel()
	same := func(a, b string) bool {
		one, err := settings.RedisURL(a).Read()
		must(t, err)
		other, err := settings.RedisURL(b).Read()
		must(t, err)
		return connect.SameRedis(t.Context(), one, other, time.Minute)
	}
	address := testkit.RedisURL(t)
	renamed := strings.Replace(address, "127.0.0.1", "localhost", 1)
	require.True(t, same(address, renamed))

	u, err := url.Parse(address)
	must(t, err)
	u.Path = "/0"
	require.False(t, same(address, u.String()), "another database")
	require.False(t, same(u.String(), testkit.PrivateRedis(t).URL))
	require.False(t, same("redis://127.0.0.1:1", "redis://localhost:1"), "nobody answers")
}

// claims opens the books of settings as a role does.
func claims(t *testing.T, books *store.Store, s *settings.Settings) (*service, error) {
	t.Helper()
	s.Drivers = drivers
	h := &service{settings: s, store: books}
	var err error
	h.file, err = s.ReadNetworks()
	must(t, err)
	return h, h.claimBooks(t.Context())
}

// A real network makes books live once and for good; the networks simulated in them before are gone, and no setting brings them back.
func TestBooksAreClaimedOnce(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §A sandbox beside live networks: The first start claims", "operator §Live books: The first start with")
	ctx, db, live := t.Context(), testkit.DB(t), &settings.Settings{NetworksFile: besideFile(t)}
	books := store.New(db)
	trial, err := claims(t, books, &settings.Settings{})
	must(t, err)
	require.Equal(t, store.NoBooks, trial.books)
	must(t, sandbox.Genesis(ctx, db, sandbox.Funds, pay.Networks...))
	_, err = ledger.Post(ctx, books.Q, ledger.TreasuryOpened("Tron", "sandbox", "USDT", decimal.New(1000, 0)),
		ledger.TreasuryOpened("Ethereum", "sandbox", "ETH", decimal.New(7, 0)))
	must(t, err)
	must(t, scheduler.Plan(ctx, books, []string{"Tron", "Ethereum"}))
	for _, query := range []string{
		"insert into followers (network, chain) values ('Tron', 'sandbox'), ('Ethereum', 'sandbox')",
		"insert into chain_blocks values ('Ethereum', 7, 'h', 'p')",
		`insert into transfers (id, network, txid, token, position, address, amount, status, height)
			values (gen_random_uuid(), 'Ethereum', 't', 'ETH', 0, 'a', 7, 'treasury', 1),
				(gen_random_uuid(), 'Ethereum', 'u', 'ETH', 0, 'a', 7, 'dropped', 1)`,
		"insert into quiet_holdings (network, address, asset) values ('Ethereum', 'a', 'ETH')",
		"insert into address_holdings (network, address, asset, amount) values ('Ethereum', 'a', 'ETH', 7)",
		"insert into reconcile_looks (network, found, unreached) values ('Ethereum', '[]', '')",
		"insert into wallet_holdings (network, asset, kind, amount, height, seen_at) values ('Ethereum', 'ETH', 'hot', 7, 1, now())",
		`insert into unknown_spends (network, txid, token, position, recipient, amount, height)
			values ('Ethereum', 't', 'ETH', 0, 'a', 7, 1)`,
		"insert into treasury_corrections values ('Ethereum', 'ETH', 7)", "insert into open_surpluses values ('Ethereum', 'ETH', 7)", "insert into spend_decisions values ('Ethereum', 1)",
		"insert into signing_nonces (network, address, next) values ('Ethereum', 'hot', 5)",
	} {
		_, err = db.ExecContext(ctx, query)
		must(t, err)
	}

	h, err := claims(t, books, live)
	must(t, err)
	require.True(t, h.live())
	held, err := books.LedgerHoldings(ctx)
	must(t, err)
	require.Equal(t, []string{"0", "0"}, []string{held["Tron"]["USDT"].String(), held["Ethereum"]["ETH"].String()})
	var left int
	must(t, db.NewRaw(`select (select count(*) from followers) + (select count(*) from chain_blocks) + (select count(*) from jobs where kind = 'network.follow')
		+ (select count(*) from transfers where status <> 'treasury' or height is not null) + (select count(*) from quiet_holdings) + (select count(*) from address_holdings) + (select count(*) from wallet_holdings) + (select count(*) from unknown_spends)
		+ (select count(*) from treasury_corrections) + (select count(*) from open_surpluses) + (select count(*) from spend_decisions) + (select count(*) from signing_nonces)
		+ (select count(*) from sandbox_networks) + (select count(*) from sandbox_transactions)`).Scan(ctx, &left))
	require.Zero(t, left, "something that was simulated is left")
	coinUsed, err := books.TokenUsed(ctx, "ETH", "Ethereum")
	must(t, err)
	require.False(t, coinUsed, "the coin of a real network, by what was simulated")
	_, err = ledger.Post(ctx, books.Q, ledger.TreasuryOpened("Ethereum", "evm 1", "ETH", decimal.New(3, 0)))
	require.NoError(t, err, "the real hot wallet is booked beside what was simulated")
	require.ErrorContains(t, sandbox.Genesis(ctx, db, sandbox.Funds, pay.Networks...), "live books have no simulated network",
		"by a process that was started before")

	h, err = claims(t, books, live)
	must(t, err)
	require.True(t, h.live())
	var followed int
	must(t, db.NewRaw("select count(*) from entries where kind = 'treasury_corrected'").Scan(ctx, &followed))
	require.Equal(t, 2, followed, "what is real is not written off by a later start")
	for said, s := range map[string]*settings.Settings{
		"NETWORKS_FILE names no network, and the books of DATABASE_URL are live ones: every process on them is given the file": {},
		"SANDBOX_DATABASE_URL: the database holds live books":                                                                  {Sandbox: true},
		"DATABASE_URL: causeway dev does not run on live books":                                                                {InDev: true, NetworksFile: live.NetworksFile},
	} {
		_, err = claims(t, books, s)
		require.EqualError(t, err, said)
	}
}

// Books used by a merchant while all was simulated do not become live, and stay as they are.
func TestUsedBooksDoNotBecomeLive(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Live books: Books that a merchant has used")
	for what, use := range map[string]string{
		"payins": "insert into payins (id, merchant_id, reference_id, wallet, token, asset, network, process_by, amount, fiat_currency, percent_rate, pays_network_fee, network_fee, minimum_payment, webhook_url, status, expires_at) " +
			"select gen_random_uuid(), id, 'r', 'w', 'ETH', 'ETH', 'Ethereum', 'crypto_amount', 1, 'USD', 0, false, 0, 0, '', 'pending', now() from merchants",
		"fixed wallets":       "insert into wallets (id, merchant_id, family, customer_info, wallet, status) select gen_random_uuid(), id, 'evm', 'c', 'w', 'STATUS_ASSIGNED' from merchants",
		"unclaimed transfers": "insert into transfers (id, network, txid, token, position, address, amount, status) values (gen_random_uuid(), 'Ethereum', 't', 'ETH', 0, 'a', 1, 'unclaimed')",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.Merchant()
			s.Exec(use)
			books := store.New(s.DB)
			_, err := claims(t, books, &settings.Settings{NetworksFile: besideFile(t)})
			require.EqualError(t, err, "DATABASE_URL: the books have "+what+" of simulated networks, and NETWORKS_FILE names a real one: live books begin in an empty database")
			kind, err := books.Books(t.Context())
			must(t, err)
			require.Equal(t, store.NoBooks, kind)
		})
	}
}

// causeway dev alone has simulated networks beside real ones: its books are marked, commands work on them, and no role with real
// networks does.
func TestBooksOfDev(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Live books: causeway dev alone")
	s := newSite(t)
	s.WithRedis()
	file := besideFile(t)
	h, err := claims(t, store.New(s.DB), &settings.Settings{InDev: true})
	must(t, err)
	require.Equal(t, store.DevBooks, h.books)
	h, err = claims(t, store.New(s.DB), &settings.Settings{NetworksFile: file}) // a command beside it
	must(t, err)
	require.False(t, h.live())
	_, err = claims(t, store.New(s.DB), &settings.Settings{Sandbox: true})
	require.EqualError(t, err, "SANDBOX_DATABASE_URL: the database holds the books of causeway dev")
	for _, role := range []string{"api", "worker", "scheduler"} {
		p, _, stderr := programIn(s.Dir, "NETWORKS_FILE="+file)
		require.Equal(t, command.ExitFailed, p.run(t.Context(), []string{role, "--data-dir", s.Dir}), role)
		require.Contains(t, stderr.String(), errDevBooks.Error())
	}
}

// A process started on simulated networks ends when another one makes its books live.
func TestATrialEndsWithItsBooks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.WithRedis()
	p, _, stderr := programIn(s.Dir)
	ended := make(chan int, 1)
	go func() { ended <- p.run(t.Context(), []string{"worker", "--queues", "signing", "--data-dir", s.Dir}) }()
	testkit.Eventually(t, time.Minute, func() bool {
		var made bool
		must(t, s.DB.NewRaw("select exists (select from sandbox_networks)").Scan(t.Context(), &made))
		return made
	}, "the networks are simulated")
	h, err := claims(t, store.New(s.DB), &settings.Settings{NetworksFile: besideFile(t)})
	must(t, err)
	require.True(t, h.live())
	require.Equal(t, command.ExitFailed, <-ended)
	require.Contains(t, stderr.String(), errNoneReal.Error())
}
