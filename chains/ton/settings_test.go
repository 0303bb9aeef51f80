package ton_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"gopkg.in/yaml.v3"

	"causeway/chains"
	"causeway/chains/ton"
)

// part is the part of the network in a file.
type part string

func (p part) Decode(into any) error {
	d := yaml.NewDecoder(strings.NewReader(string(p)))
	d.KnownFields(true)
	return d.Decode(into)
}

func (p part) Has(key string) bool { return strings.Contains(string(p), "\n"+key+":") }

// smallest is the smallest part of the network.
const smallest = "rpc: http://localhost:8081/jsonRPC\npublic_key: " + zeroKey + "\n"

// master is the master of a jetton, as the catalogue writes it.
const master = "EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs"

// TestSettingsAreRead: the rest has defaults, and what the file says takes their place. The main network is the default one.
//
// Covers operator §Settings: attach · the TON that goes along
// Covers operator §Settings: genesis · the root hash
func TestSettingsAreRead(t *testing.T) {
	t.Parallel()
	c, err := ton.Driver.Read("TON", part(smallest))
	check(t, err)
	plain := c.Settings.(ton.Config)
	if c.Name != "TON" || c.Kind != "ton" || c.Elsewhere || len(c.Nodes) != 1 || plain.Genesis != ton.Mainnet || plain.Attach.String() != "0.1" || plain.StaleAfter != 2*time.Minute {
		t.Errorf("%+v", c)
	}
	test, err := ton.Driver.Read("TON", part(smallest+`network: TON
genesis: BRiz5SW+pZeMnE4v5cvC9jWHvs/hdu+HAYN1fJ0L2JY=
api_key: a-key
attach: 0.05
timeout: 20s
stale_after: 0s
start: 41000000
cold: `+zeroHex+`
explorer: https://explorer.example/{txid}
tokens: {MINE: {contract: `+master+`, decimals: 6}}
caps: {TON: {day: 100}, MINE: {hour: 5}}
`))
	check(t, err)
	got := test.Settings.(ton.Config)
	if test.Chain() == c.Chain() || got.APIKey != "a-key" || got.Attach.String() != "0.05" || got.Timeout != 20*time.Second || got.RPC != nil || test.Tokens["MINE"].Contract != master {
		t.Errorf("%+v", test)
	}
	n, err := test.Open(t.Context(), chains.Opening{})
	check(t, err)
	if n.Sender != nil || n.StartAt != 41_000_000 || n.StaleAfter != 0 || n.Cold != n.Addresser.Match(zeroHex) || !n.Collects || n.Caps["TON"].Day == nil ||
		n.Tokens.Watched() != 1 || n.Explain("ab") != "https://explorer.example/ab" {
		t.Errorf("%+v", n)
	}
}

// zeroHex is an account in its raw form.
const zeroHex = "0:83dfd552e63729b472fcbcc8c45ebcc6691702558b68ec7527e1ba403a0f31a8"

// TestURIs are those that wallets of TON read: the amount in the smallest unit, the memo as the comment, and the master of a jetton.
func TestURIs(t *testing.T) {
	t.Parallel()
	c, err := ton.Driver.Read("TON", part(smallest))
	check(t, err)
	n, err := c.Open(t.Context(), chains.Opening{})
	check(t, err)
	coin, jetton := chains.Token{Symbol: "TON", Decimals: 9}, chains.Token{Symbol: "USDT", Contract: master, Decimals: 6}
	for want, p := range map[string]chains.Payment{
		"ton://transfer/" + zeroDeposit + "?amount=1500000000&text=12345678":                     {To: zeroDeposit, Token: coin, Memo: "12345678", Amount: decimal.New(15, -1)},
		"ton://transfer/" + zeroDeposit + "?jetton=" + master + "&amount=25000000&text=12345678": {To: zeroDeposit, Token: jetton, Memo: "12345678", Amount: decimal.New(25, 0)},
		"ton://transfer/" + zeroDeposit:                                                          {To: zeroDeposit, Token: coin},
		"ton://transfer/" + zeroDeposit + "?jetton=" + master:                                    {To: zeroDeposit, Token: jetton},
	} {
		if got, ok := n.URI(p); !ok || got != want {
			t.Errorf("%q, %v: want %q", got, ok, want)
		}
	}
	jetton.Contract = "no address"
	if got, ok := n.URI(chains.Payment{To: zeroDeposit, Token: jetton}); ok || got != zeroDeposit {
		t.Errorf("%q of a token without a master", got)
	}
}

// TestTheKeyOfAProvider is sent with each request, and no error tells it, or the address of the node.
//
// Covers operator §Settings: api_key · the key of a provider's user, sent as X-API-Key
func TestTheKeyOfAProvider(t *testing.T) {
	t.Parallel()
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("X-API-Key"))
		http.Error(w, "no", http.StatusForbidden)
	}))
	t.Cleanup(server.Close)
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	for _, address := range []string{server.URL, away.URL} {
		cfg := ton.Defaults()
		cfg.RPC, cfg.PublicKey, cfg.APIKey = []string{address + "/very-secret"}, zeroKey, "very-secret-too"
		c, err := ton.Open(t.Context(), cfg, nil)
		check(t, err)
		t.Cleanup(c.Close)
		if _, err := c.Head(t.Context(), -1); err == nil || says(err, "secret") || says(err, address) {
			t.Errorf("%v", err)
		}
	}
	if len(sent) == 0 || sent[0] != "very-secret-too" {
		t.Errorf("sent %q", sent)
	}
}
