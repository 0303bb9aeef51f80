package admincmd

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/cli/command"
	"causeway/internal/cli/commandtest"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/testkit"
	"causeway/internal/ops/onchain"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/catalogue"
	"causeway/workers/desk"
)

// book is a TokenBook with the same facts for each contract.
type book struct {
	facts   chains.TokenFacts
	watched []chains.Token
	holder  string
}

func (b *book) Watch(tokens ...chains.Token) error { b.watched = tokens; return nil }
func (b *book) Watched() int                       { return len(b.watched) }
func (b *book) Inspect(_ context.Context, contract, holder string) (*chains.TokenFacts, error) {
	facts := b.facts
	facts.Contract, b.holder = contract, holder
	return &facts, nil
}

// newTokenSite is a site with this book for its Ethereum, a real network.
func newTokenSite(t *testing.T, b *book, environ ...string) *site {
	t.Helper()
	s := &site{}
	open := func(context.Context, *settings.Settings) (*onchain.Operator, func() error, error) {
		n, _ := pay.NetworkNamed("Ethereum")
		bare, _ := pay.NetworkNamed("Tron")
		coins, _ := pay.NetworkNamed("Cardano")
		networks, err := chains.NewRegistry(&chains.Network{Network: *n, Kind: "evm", Tokens: b}, &chains.Network{Network: *bare, Kind: chains.Sandbox},
			&chains.Network{Network: *coins, Kind: "cardano"})
		return &onchain.Operator{Desk: &desk.Desk{Store: store.New(s.DB), Networks: networks}, Catalogue: new(catalogue.Catalogue)}, func() error { return nil }, err
	}
	s.Site = commandtest.New(t, func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
		l := command.New(environ, stdout, stderr)
		l.Stdin, l.Drivers = stdin, drivers
		return l.Run(ctx, l.Tree("", Command(l, open)), args)
	})
	s.Writes(&settings.DevFile{DatabaseURL: testkit.DSN(t), RedisURL: "redis://nowhere", SecretsKey: commandtest.SecretsKey})
	return s
}

func contractNo(n string) string { return "0x" + strings.Repeat("0", 40-len(n)) + n }

// Covers operator §Admin: causeway admin token add
// Covers operator §Admin: An added token's name
// Covers operator §Admin: A token whose habits
func TestTokenAdd(t *testing.T) {
	t.Parallel()
	b := &book{facts: chains.TokenFacts{Symbol: "FOO", Decimals: 18, Habits: []string{}}}
	s := newTokenSite(t, b)
	var made map[string]any
	s.Do(&made, "admin", "token", "add", "erc20", contractNo("f00"), "--as", "FOO", "--holder", contractNo("7"))
	for name, want := range map[string]any{"symbol": "FOO", "balance_key": "FOO", "network": "Ethereum", "contract": contractNo("f00"), "decimals": 18.0,
		"precision": 8.0, "active": true, "deposits": true, "withdrawals": true, "min_receipt": "0.00000001", "network_fee": "0", "fee_currency": "FOO",
		"contract_symbol": "FOO"} {
		require.Equal(t, want, made[name], name)
	}
	require.Equal(t, contractNo("7"), b.holder)
	require.True(t, slices.ContainsFunc(b.watched, func(t chains.Token) bool { return t.Symbol == "USDT" }), "the catalogue is watched first")
	audit := s.LastAudit()
	require.Equal(t, "token.add", audit.Action)
	require.Equal(t, "token:FOO@Ethereum", audit.Subject)
	require.Contains(t, string(audit.After), contractNo("f00"))
	s.Do(&made, "admin", "token", "set", "FOO", "Ethereum", "min_receipt=2")

	b.facts = chains.TokenFacts{Symbol: "BAD", Decimals: 0, Habits: []string{"returns false"}, Harms: true, Untried: "no holder"}
	made = nil
	s.Do(&made, "admin", "token", "add", "Ethereum", contractNo("bad"), "--as", "BAD")
	require.Equal(t, false, made["withdrawals"])
	require.Equal(t, "1", made["min_receipt"])
	require.Equal(t, []any{"returns false"}, made["habits"])
	require.Equal(t, "no holder", made["untried"])

	add := func(name string) []string {
		return []string{"admin", "token", "add", "Ethereum", contractNo("c"), "--as", name}
	}
	s.Refused(command.ExitFailed, "FOO is a token of Ethereum", add("foo")...)
	s.Refused(command.ExitFailed, "USDT.Ethereum", add("USDT")...)
	s.Refused(command.ExitFailed, "TRX is a token of Tron", add("TRX")...)
	s.Refused(command.ExitFailed, "usd is a fiat", add("usd")...)
	for _, bad := range []string{"A B", "USD\u0422", "A\nB", "a/b", strings.Repeat("A", 33)} {
		s.Refused(command.ExitUsage, "no name of a token", add(bad)...)
	}
	s.Refused(command.ExitFailed, "is in the catalogue, as FOO", "admin", "token", "add", "Ethereum", strings.ToUpper(contractNo("f00")), "--as", "FOO2")
	s.Refused(command.ExitFailed, "simulated", "admin", "token", "add", "Tron", contractNo("c"), "--as", "C")
	s.Refused(command.ExitFailed, "ADA alone is credited", "admin", "token", "add", "Cardano", strings.Repeat("ab", 28)+"544f4b454e", "--as", "C")
	s.Refused(command.ExitFailed, "no network", "admin", "token", "add", "Nowhere", contractNo("c"), "--as", "C")
}

// Covers operator §Admin: token add without
func TestTokenAddAsks(t *testing.T) {
	t.Parallel()
	s := newTokenSite(t, &book{facts: chains.TokenFacts{Symbol: "USDT", Decimals: 6, Habits: []string{"fee on transfer: of 2 sent, 1 arrive"}, Untried: "no holder"}})
	args := func(contract string) []string {
		return []string{"admin", "token", "add", "Ethereum", contractNo(contract), "--data-dir", s.Dir}
	}
	code, stdout, stderr := s.Run.Typed(t, "\n", args("1")...)
	require.Equal(t, command.ExitOK, code, stderr)
	require.Contains(t, stdout, `"USDT.Ethereum"`)
	for _, said := range []string{`symbol "USDT", 6 decimals`, "fee on transfer", "not tried: no holder", "[USDT.Ethereum]"} {
		require.Contains(t, stderr, said)
	}
	code, stdout, stderr = s.Run.Typed(t, "MINE", args("2")...)
	require.Equal(t, command.ExitOK, code, stderr)
	require.Contains(t, stdout, `"MINE"`)
	code, stdout, stderr = s.Run.Typed(t, "", args("3")...)
	require.Equal(t, command.ExitFailed, code)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "--as")
}

// TestTokenAddBesideTheNetworksFile: a name given to another contract in the file is refused, since processes go by the file.
//
// Covers operator §Admin: An added token's name
func TestTokenAddBesideTheNetworksFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "networks.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`networks:
  Ethereum:
    rpc: http://127.0.0.1:1
    xpub: xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt
    tokens:
      OURS: {contract: "`+contractNo("a")+`", decimals: 6}
`), 0o600))
	s := newTokenSite(t, &book{facts: chains.TokenFacts{Symbol: "OURS", Decimals: 6, Habits: []string{}}}, "NETWORKS_FILE="+file)
	s.Refused(command.ExitFailed, "OURS is the contract", "admin", "token", "add", "Ethereum", contractNo("b"), "--as", "ours")
}
