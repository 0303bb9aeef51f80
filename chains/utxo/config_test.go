package utxo_test

import (
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/nodes"
	"causeway/chains/utxo"
	"causeway/internal/pay"
)

// part is the part of a network in a file.
type part string

func (p part) Decode(into any) error {
	d := yaml.NewDecoder(strings.NewReader(string(p)))
	d.KnownFields(true)
	return d.Decode(into)
}

func (p part) Has(key string) bool { return strings.Contains(string(p), key+":") }

var networks = []string{"Bitcoin", "Litecoin", "Dogecoin", "BitcoinCash", "BitcoinSV", "BitcoinGold"}

// written is the smallest part of a network.
func written(t testing.TB, network string) string {
	t.Helper()
	n, _ := pay.NetworkNamed(network)
	xpub, err := utxo.Driver.Public(seed, n.Family)
	check(t, err)
	out := "rpc: http://user:very-secret@localhost:8332\nxpub: " + xpub + "\n"
	switch network {
	case "Dogecoin":
		out += "start: 5000000\n"
	case "BitcoinCash":
		out += "start: 900000\n"
	case "BitcoinSV":
		out += "start: 900000\naccept_risk: true\n"
	case "BitcoinGold":
		out += "accept_risk: true\n"
	}
	return out
}

// TestEveryNetworkIsRead: a node and an xpub are enough, but for a start where the node cannot search, and a risk that is accepted. No two
// networks have the same chain.
//
// Covers operator §Settings: A network of Bitcoin and its kin needs
func TestEveryNetworkIsRead(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, network := range networks {
		for _, chain := range []string{"", "chain: regtest\n"} {
			c, err := utxo.Driver.Read(network, part(written(t, network)+chain))
			if err != nil || c.Name != network || c.Kind != "utxo" || seen[c.Chain()] {
				t.Fatalf("%s: %+v, %v", network, c, err)
			}
			seen[c.Chain()] = true
			n, err := c.Open(t.Context(), chains.Opening{Signs: true, Seed: seed})
			if err != nil {
				t.Fatalf("%s: the node is silent, and the network does not open: %v", network, err)
			}
			if n.Sender == nil || n.Exclusion != chains.ByCoins || n.Batch != 100 || n.Unspent == nil || n.Addresser.Match(n.Hot) != n.Hot || n.Nodes()[0].Requests == 0 {
				t.Errorf("%s: %+v", network, n)
			}
		}
	}
	if got := len(utxo.Driver.Families); got != len(networks) {
		t.Errorf("%d families", got)
	}
}

// TestMistakesAreNamed: the setting and what is allowed, and never the value.
//
// Covers operator §Settings: BitcoinSV and BitcoinGold are off
// Covers operator §Settings: Dogecoin, BitcoinCash and BitcoinSV need `start`
func TestMistakesAreNamed(t *testing.T) {
	t.Parallel()
	hot := map[string]string{}
	for _, network := range networks {
		c, err := utxo.Driver.Read(network, part(written(t, network)))
		check(t, err)
		n, err := c.Open(t.Context(), chains.Opening{})
		check(t, err)
		hot[network] = n.Hot
	}
	deposit, err := addresses.FromXPub("Bitcoin", strings.TrimSpace(written(t, "Bitcoin")[strings.Index(written(t, "Bitcoin"), "xpub: ")+6:]), 7)
	check(t, err)
	for _, c := range []struct{ network, change, says string }{
		{"Bitcoin", "rpc: ftp://very-secret", "rpc:"},
		{"Bitcoin", "xpub: very-secret", "xpub:"},
		{"Bitcoin", "chain: testnet4", "main or regtest"},
		{"Bitcoin", "rule: {credit: 0}", "rule: credit from 1"},
		{"Bitcoin", "rule: {credit: 7}", "final from credit"},
		{"Bitcoin", "batch: 0", "batch: from 1 to 200"},
		{"Bitcoin", "batch: 201", "batch: from 1 to 200"},
		{"Bitcoin", "batch_every: 61s", "batch_every: up to 60s"},
		{"Bitcoin", "max_fee_rate: 0.5", "max_fee_rate: from 1 to 30000"},
		{"Bitcoin", "max_fee_rate: 30001", "max_fee_rate: from 1 to 30000"},
		{"Bitcoin", "fee_rate: 301", "fee_rate: from 1 to max_fee_rate"},
		{"Bitcoin", "fee_rate: 1.0001", "at most 3 decimals"},
		{"Bitcoin", "timeout: 1s", "timeout: from 2s"},
		{"Bitcoin", "scan_timeout: 5s", "scan_timeout: from timeout"},
		{"Bitcoin", "stale_after: 1s", "stale_after: from 1m"},
		{"Bitcoin", "start: -1", "start: not negative"},
		{"Bitcoin", "explorer: http://example.org/{txid}", "explorer: an https URL"},
		{"Bitcoin", "cold: very-secret", "cold: not an address"},
		{"Bitcoin", "cold: " + hot["Bitcoin"], "cold: the hot wallet"},
		{"Bitcoin", "cold: " + deposit, "cold: deposit address 7"},
		{"Bitcoin", "cold: 1nvalid", "cold: not an address"},
		{"Bitcoin", "caps: {BTC: {hour: 0}}", "caps: BTC"},
		{"Bitcoin", "max_fee_gwei: 3", "max_fee_gwei"},
		{"Bitcoin", "network: Litecoin", "network: says another name"},
		{"BitcoinSV", "accept_risk: false", "set accept_risk: true"},
		{"BitcoinGold", "accept_risk: false", "attackers spent money twice"},
		{"Dogecoin", "start: 0", "start: the first block to follow"},
	} {
		key, _, _ := strings.Cut(c.change, ":")
		var lines []string
		for _, line := range strings.Split(strings.TrimSpace(written(t, c.network)), "\n") {
			if !strings.HasPrefix(line, key+":") {
				lines = append(lines, line)
			}
		}
		_, err := utxo.Driver.Read(c.network, part(strings.Join(append(lines, c.change), "\n")))
		if !says(err, c.says) || says(err, "very-secret") {
			t.Errorf("%s, %s: %v", c.network, c.change, err)
		}
	}
}

// TestAnotherSeed: a seed that is not the xpub's opens nothing.
func TestAnotherSeed(t *testing.T) {
	t.Parallel()
	for _, network := range networks {
		c, err := utxo.Driver.Read(network, part(written(t, network)))
		check(t, err)
		if _, err := c.Open(t.Context(), chains.Opening{Signs: true, Seed: []byte("another seed of some thirty bytes")}); !says(err, "does not belong to the xpub") {
			t.Errorf("%s: %v", network, err)
		}
	}
}

// TestDerivation: the addresses of BIP 84's test vectors, and payment URIs of each coin.
func TestDerivation(t *testing.T) {
	t.Parallel()
	// The seed of "abandon" eleven times and "about".
	bip84 := fromHex(t, "5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4")
	xpub, err := utxo.Driver.Public(bip84, pay.Bitcoin)
	check(t, err)
	cfg := utxo.Defaults("Bitcoin")
	cfg.RPC, cfg.XPub = nodes.Addresses{"http://127.0.0.1:1"}, xpub
	c, err := utxo.Open(t.Context(), cfg, nil)
	check(t, err)
	if first, err := c.Derive(t.Context(), 0); err != nil || first != "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu" || c.Hot() != "bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el" {
		t.Errorf("%s, %s, %v", first, c.Hot(), err)
	}
	for _, network := range networks {
		c, err := utxo.Open(t.Context(), settings(t, network, "http://127.0.0.1:1"), nil)
		check(t, err)
		to, err := c.Derive(t.Context(), 0)
		check(t, err)
		text, ok := c.Network().URI(chains.Payment{To: to, Amount: amount("1.5")})
		want := strings.ToLower(network) + ":" + strings.TrimPrefix(to, "bitcoincash:") + "?amount=1.5"
		if network == "BitcoinSV" {
			want = to
		}
		if text != want || ok != (network != "BitcoinSV") {
			t.Errorf("%s: %s, %v", network, text, ok)
		}
		if page := c.Network().Explain("ab12"); !strings.HasPrefix(page, "https://") || !strings.Contains(page, "/ab12") {
			t.Errorf("%s: explorer %s", network, page)
		}
	}
}
