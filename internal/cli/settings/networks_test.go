package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

const someXPub = "xpub6CUGRUonZSQ4TWtTMmzXdrXDtypWKiKrhko4egpiMZbpiaQL2jkwSB1icqYh2cfDfVxdx4df189oLKnC5fSwqPfgyP3hooxujYzAu3fDVmz"

// Covers operator §Settings: NETWORKS_FILE
// Covers operator §dev: Every network of the catalogue
func TestNetworksFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "networks.yaml")
	text := "networks:\n  bsc: {rpc: 'http://b', xpub: " + someXPub + "}\n" +
		"  Ethereum:\n    rpc: http://a\n    chain_id: 31337\n    xpub: " + someXPub +
		"\n    rule: {credit: 2, final: 3}\n    tokens: {USDT: {contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7', decimals: 6}}\n    caps: {USDT: {payout: 12.5, day: 1000}}\n" +
		"signer: {seed_file: seed.json, passphrase_file: /run/phrase}\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	recording, configs := recorded()
	file, err := (&Settings{NetworksFile: path, Drivers: recording}).ReadNetworks()
	require.NoError(t, err)
	require.Equal(t, []string{"Ethereum", "BinanceSmartChain"}, file.Names(), "in the order of the contract")
	if file.Live[0].ChainID != 31337 || file.Live[1].ChainID != 56 || configs["Ethereum"].Rule.Final.Confirmations != 3 {
		t.Errorf("networks %+v", configs)
	}
	if named := file.Live[0].Tokens["USDT"]; named != (chains.Token{Symbol: "USDT", Contract: "0xdAC17F958D2ee523a2206206994597C13D831ec7", Decimals: 6}) {
		t.Errorf("USDT is %+v", named)
	}
	if most := configs["Ethereum"].Caps["USDT"]; most.Payout.String() != "12.5" || most.Hour != nil || most.Day.String() != "1000" {
		t.Errorf("caps %+v", most)
	}
	if file.Signer.SeedFile != filepath.Join(dir, "seed.json") || file.Signer.PassphraseFile != "/run/phrase" {
		t.Errorf("signer %+v", file.Signer)
	}
	if err := (&Settings{NetworksFile: path, Drivers: drivers}).MustBeSandbox("Ethereum"); err == nil {
		t.Error("a real network is called a sandbox network")
	}
	if err := (&Settings{NetworksFile: path, Drivers: drivers}).MustBeSandbox("Tron"); err != nil {
		t.Error(err)
	}
}

func TestNetworksFileRefusals(t *testing.T) {
	t.Parallel()
	good := "rpc: http://hunter2@a, xpub: " + someXPub
	for text, says := range map[string]string{
		"network: {}":                                                                      `line 1: there is no field "network"`,
		"networks: {Atlantis: {" + good + "}}":                                             "Atlantis",
		"networks: {Bitcoin: {" + good + "}}":                                              "Bitcoin",
		"networks: {Ethereum: {" + good + ", rcp: x}}":                                     `network Ethereum: line 1: there is no field "rcp"`,
		"networks: {Ethereum: {" + good + ", network: Base}}":                              "another name",
		"networks: {Ethereum: {" + good + ", batch: hunter2}}":                             "network Ethereum: line 1: batch: expected a whole number",
		"networks: {Ethereum: {" + good + ", max_fee_gwei: 100001}}":                       "max_fee_gwei: at most 100000",
		"networks: {Ethereum: {" + good + ", timeout: 1h}}":                                "timeout",
		"networks: {Ethereum: {" + good + "}, eth: {" + good + "}}":                        "Ethereum is listed twice",
		"networks: {Arbitrum: {" + good + ", chain_id: 1}, Ethereum: {" + good + "}}":      "same chain_id 1",
		"networks: {Ethereum: {xpub: " + someXPub + "}}":                                   "rpc",
		"networks: {Ethereum: {rpc: http://a, xpub: hunter2}}":                             "xpub",
		"networks: [hunter2":                                                               "YAML",
		"networks: hunter2":                                                                "line 1: networks: expected keys with values",
		"signer: {seed_file: a}":                                                           "passphrase_file",
		"networks: {Ethereum: {" + good + ", tokens: {USDT: {contract: 0x12, extra: 1}}}}": `no field "tokens.USDT.extra"`,
	} {
		_, err := parseNetworks([]byte(text), drivers)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if file, err := parseNetworks([]byte("# nothing yet\n"), drivers); err != nil || len(file.Live) != 0 {
		t.Errorf("a file of comments: %v", err)
	}
	if file, err := parseNetworks(nil, drivers); err != nil || len(file.Live) != 0 {
		t.Errorf("an empty file: %v", err)
	}
	if _, err := (&Settings{NetworksFile: "/absent/networks.yaml"}).ReadNetworks(); err == nil || !strings.HasPrefix(err.Error(), "NETWORKS_FILE") {
		t.Errorf("an absent file: %v", err)
	}
}

// A network without a driver for its family can only be simulated; with one, the driver reads it.
func TestNetworksAreReadByTheDriversGiven(t *testing.T) {
	t.Parallel()
	text := []byte("networks: {Ethereum: {rpc: http://a, xpub: " + someXPub + "}}")
	if _, err := parseNetworks(text, nil); err == nil || err.Error() != "network Ethereum: there is no connector for it yet, it can only be a sandbox network" {
		t.Errorf("without a driver: %v", err)
	}
	other := chains.Driver{Kind: "other", Families: []pay.Family{pay.Bitcoin, pay.Tron}, Read: func(network string, _ chains.Part) (*chains.Configured, error) {
		return &chains.Configured{Name: network, Kind: "other"}, nil
	}}
	file, err := parseNetworks([]byte("networks: {Tron: {a: 1}, Bitcoin: {b: 2}, Base: {rpc: http://a, xpub: "+someXPub+"}}"), append(drivers[:1:1], other))
	require.NoError(t, err)
	require.Equal(t, []string{"Bitcoin", "Tron", "Base"}, file.Names())
	require.Equal(t, "other", file.Live[1].Chain())
	require.Equal(t, "evm 8453", file.Live[2].Chain())
}

// An unreadable value is told by the line of the file, its key and the expected form: no type of the program's and no value,
// since it may be secret.
//
// Covers operator §Settings: What they name is read too
func TestNetworksFileNamesLineAndKey(t *testing.T) {
	t.Parallel()
	const head = "networks:\n  Base: {rpc: 'http://b', xpub: " + someXPub + "}\n  Ethereum:\n    rpc: http://a\n    xpub: " + someXPub + "\n    "
	for text, says := range map[string]string{
		"timeout: hunter2":       "line 6: timeout: expected a duration such as 30s or 5m",
		"stale_after: 5":         "line 6: stale_after: expected a duration",
		"batch: ''":              "line 6: batch: expected a whole number",
		"start: 1.5":             "line 6: start: expected a whole number",
		"max_gas: -1":            "line 6: max_gas: expected a whole number, not below zero",
		"max_fee_gwei: hunter2":  "line 6: max_fee_gwei: expected a number",
		"traces: hunter2":        "line 6: traces: expected true or false",
		"native_logs: [hunter2]": "line 6: native_logs: expected text",
		"tokens: {USDT: 0x12}":   "line 6: tokens.USDT: expected keys with values",
		"tokens:\n      USDT:\n        decimals: hunter2": "line 8: tokens.USDT.decimals: expected a whole number",
		"rule: 3":                        "line 6: rule: expected keys with values",
		"rule:\n      credit: [hunter2]": "line 7: rule.credit: a depth is a number, safe or finalized",
		"rule: {final: {tag: safe, confirmation: 9}}": `line 6: there is no field "rule.final.confirmation"`,
		"batch: 3\n    batch: 4":                      "line 7: batch is given already, in line 6",
	} {
		_, err := parseNetworks([]byte(head+text+"\n"), drivers)
		if err == nil || !strings.HasPrefix(err.Error(), "network Ethereum: "+says) || strings.Contains(err.Error(), "hunter2") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := parseNetworks([]byte(head+"start: ~\n    rule: {credit: finalized, final: {confirmations: 70}}\nsigner: [hunter2]"), drivers); err == nil || err.Error() != "line 8: signer: expected keys with values" {
		t.Errorf("signer: %v", err)
	}
	recording, configs := recorded()
	_, err := parseNetworks([]byte(head+"start: ~\n    max_fee_gwei: 1.5\n    timeout: 3s\n    rule: {credit: 5, final: finalized}\n"), recording)
	require.NoError(t, err)
	if c := configs["Ethereum"]; c.Network != "Ethereum" || c.MaxFeeGwei.String() != "1.5" || c.Timeout.Seconds() != 3 ||
		c.Rule.Credit.Confirmations != 5 || c.Rule.Final.Tag != "finalized" || c.Rule.Final.Confirmations == 0 {
		t.Errorf("read: %+v", c)
	}
}

// The operators' example file names a network, is refused until its xpub is filled in, and is read then.
func TestExampleOfANetworksFile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../deploy/networks.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parseNetworks(text, drivers); err == nil || !strings.Contains(err.Error(), "xpub") {
		t.Errorf("as it is: %v", err)
	}
	file, err := parseNetworks([]byte(strings.Replace(string(text), "xpub: xpub…", "xpub: "+someXPub, 1)), drivers)
	if err != nil || !file.has("Ethereum") || file.Signer.SeedFile == "" {
		t.Errorf("filled in: %+v, %v", file, err)
	}
}
