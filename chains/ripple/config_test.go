package ripple_test

import (
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"causeway/chains"
	"causeway/chains/ripple"
	"causeway/internal/pay"
)

// part is the part of the network in a file.
type part string

func (p part) Decode(into any) error {
	d := yaml.NewDecoder(strings.NewReader(string(p)))
	d.KnownFields(true)
	return d.Decode(into)
}

func (p part) Has(key string) bool { return strings.Contains(string(p), "\n"+key+":") }

// written is the smallest part of the network.
func written(t testing.TB) string {
	return "rpc: http://localhost:5005\nxpub: " + xpubOf(t, seed) + "\n"
}

// TestANodeAndAnXPubAreEnough: the rest has defaults. The main network and the test net are two.
//
// Covers operator §Settings: Ripple needs an rpc and an xpub
func TestANodeAndAnXPubAreEnough(t *testing.T) {
	t.Parallel()
	c, err := ripple.Driver.Read("Ripple", part(written(t)))
	if err != nil || c.Name != "Ripple" || c.Kind != "ripple" || c.ChainID != 0 || c.Chain() != "ripple" || len(c.Nodes) != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	test, err := ripple.Driver.Read("Ripple", part(written(t)+"network_id: 1\n"))
	if err != nil || test.Chain() != "ripple 1" {
		t.Fatalf("%+v, %v", test, err)
	}
	n, err := c.Open(t.Context(), chains.Opening{Signs: true, Seed: seed})
	if err != nil {
		t.Fatalf("the node is silent, and the network does not open: %v", err)
	}
	if n.Sender == nil || n.Exclusion != chains.ByNumber || n.Batch != 1 || n.Ahead != 8 || n.StartAt != -1 || !n.Memo || !n.Tag || n.Mempool != nil ||
		n.Addresser.Match(n.Hot) != n.Hot || n.Nodes()[0].Requests == 0 || n.Explain("AB") != "https://livenet.xrpl.org/transactions/AB" {
		t.Errorf("%+v", n)
	}
	uri, ok := n.URI(chains.Payment{To: n.Hot, Memo: "87654321", Amount: order("5.5", "", "").Amount})
	if want := "ripple:" + n.Hot + "?amount=5.5&dt=87654321"; !ok || uri != want {
		t.Errorf("%q, want %q", uri, want)
	}
}

// TestSettingsAreRead: what the file says takes the place of the defaults.
func TestSettingsAreRead(t *testing.T) {
	t.Parallel()
	text := strings.Replace(written(t), "http://localhost:5005", "[http://localhost:5005, https://other.example/key]", 1) + `network_id: 1
max_fee: 0.2
cold: rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY
start: 70000000
explorer: ""
stale_after: 0s
caps: {XRP: {day: 20000}}
`
	c, err := ripple.Driver.Read("Ripple", part(text))
	if err != nil {
		t.Fatal(err)
	}
	got, ok := c.Settings.(ripple.Config)
	if !ok || got.MaxFee.String() != "0.2" || got.RPC != nil || len(c.Nodes) != 2 || c.Cold != "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY" || got.Start != 70_000_000 {
		t.Errorf("%+v", c)
	}
	n, err := c.Open(t.Context(), chains.Opening{})
	check(t, err)
	if n.Sender != nil || n.Cold != c.Cold || n.StartAt != 70_000_000 || n.Explain("AB") != "" || n.Caps["XRP"].Day == nil || len(n.Nodes()) != 2 {
		t.Errorf("%+v", n)
	}
	n.Replace([]string{"http://third.example"})
	if len(n.Nodes()) != 1 {
		t.Errorf("%+v", n.Nodes())
	}
}

// TestMistakesAreNamed: the setting and what is allowed, and never the value.
func TestMistakesAreNamed(t *testing.T) {
	t.Parallel()
	c, err := ripple.Open(t.Context(), settings(t, "http://127.0.0.1:1"), nil)
	check(t, err)
	own, err := c.Derive(t.Context(), 7)
	check(t, err)
	for text, want := range map[string]string{
		"network: Ethereum\n":         "network: says another name",
		"rpc: very-secret\n":          "rpc: not an http",
		"rpc: []\n":                   "rpc: an http or https URL",
		"network_id: very-secret\n":   "cannot unmarshal",
		"network_id: -1\n":            "cannot unmarshal",
		"xpub: very-secret\n":         "xpub:",
		"max_fee: 0\n":                "max_fee: above 0",
		"max_fee: 10.1\n":             "max_fee: above 0, up to 10 XRP",
		"max_fee: 0.0000001\n":        "at most 6 decimals",
		"timeout: 1s\n":               "timeout: from 2s to 1m",
		"stale_after: 10s\n":          "stale_after: from 30s to 24h",
		"start: -1\n":                 "start: not negative",
		"explorer: http://x/{txid}\n": "explorer: an https URL",
		"cold: " + own + "\n":         "cold: deposit address 7",
		"cold: " + c.Hot() + "\n":     "cold: the hot wallet",
		"cold: very-secret\n":         "cold: not a classic address",
		"cold: X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ\n":  "cold: not a classic address",
		"signer: {url: http://signer.example}\n":                   "signer: url: an https URL",
		"signer: {command: [sign], url: https://signer.example}\n": "signer: say either command or url",
		"caps: {XRP: {}}\n":              "caps: XRP",
		"rule: {credit: 1, final: 1}\n":  "rule",
		"tokens: {USD: {contract: a}}\n": "tokens",
	} {
		whole := text
		for line := range strings.Lines(written(t)) { // a key is there once
			if key, _, _ := strings.Cut(line, ":"); !strings.HasPrefix(text, key+":") {
				whole += line
			}
		}
		_, err := ripple.Driver.Read("Ripple", part(whole))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "very-secret") && want != "cannot unmarshal" {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := ripple.Driver.Public(seed, pay.Ripple); err != nil {
		t.Error(err)
	}
}
