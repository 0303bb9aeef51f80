package evm_test

import (
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/evm"
	"causeway/internal/pay"
)

const contract = "0xdAC17F958D2ee523a2206206994597C13D831ec7"

func configured(t *testing.T, network, text string) (evm.Config, error) {
	t.Helper()
	xpub, err := addresses.AccountXPub(seed, evm.AccountPath)
	check(t, err)
	cfg := evm.Defaults(network)
	text = strings.ReplaceAll(text, "XPUB", xpub)
	if err := yaml.Unmarshal([]byte(text), &cfg); err != nil {
		return cfg, err
	}
	return cfg, cfg.Validate()
}

// Covers operator §Settings: An EVM network of NETWORKS_FILE needs
func TestConfig(t *testing.T) {
	t.Parallel()
	cfg, err := configured(t, "Ethereum", `
rpc: https://node.example/v3/key
xpub: XPUB
rule: {credit: 12, final: finalized}
tokens:
  USDT: {contract: "`+contract+`", decimals: 6}
timeout: 5s
max_fee_gwei: 80.5
max_token_gas: 90000
stale_after: 90s
batch: 50`)
	check(t, err)
	if cfg.ChainID != 1 || cfg.Timeout != 5*time.Second || cfg.Batch != 50 || cfg.MaxRange != 1000 || cfg.MaxFeeGwei.String() != "80.5" ||
		cfg.MaxGas != 100_000 || cfg.MaxTokenGas != 90_000 || cfg.StaleAfter != 90*time.Second ||
		cfg.Rule != (evm.Rule{Credit: evm.Confirmed(12), Final: evm.Tagged("finalized", 64)}) || cfg.Tokens["USDT"].Decimals != 6 {
		t.Errorf("%+v", cfg)
	}
	cfg, err = configured(t, "Base", "rpc: http://127.0.0.1:8545\nxpub: XPUB\nrule: {credit: {tag: safe, confirmations: 9}}")
	check(t, err)
	if cfg.Rule != (evm.Rule{Credit: evm.Tagged("safe", 9), Final: evm.Tagged("finalized", 1200)}) || !cfg.L1Fee {
		t.Errorf("%+v", cfg)
	}
}

// Covers operator §Settings: stale_after is how old
func TestStaleAfter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		network, says string
		want          time.Duration
	}{{"Ethereum", "", 5 * time.Minute}, {"ArbitrumOne", "", 5 * time.Minute}, {"Arbitrum", "", 30 * time.Minute},
		{"Arbitrum", "stale_after: 1m", time.Minute},
		{"Base", "stale_after: 24h", 24 * time.Hour}, {"Base", "stale_after: 0s", 0}} {
		cfg, err := configured(t, c.network, "rpc: http://127.0.0.1:8545\nxpub: XPUB\n"+c.says)
		if err != nil || cfg.StaleAfter != c.want {
			t.Errorf("%s, %q: %v, %v", c.network, c.says, cfg.StaleAfter, err)
		}
	}
}

func TestConfigRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"rpc":            {"rpc: ws://node", "rpc"},
		"no rpc":         {"rpc: ''", "rpc"},
		"xpub":           {"xpub: xpub123", "xpub"},
		"a private key":  {"xpub: xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi", "xpub"},
		"chain":          {"chain_id: 0", "chain_id"},
		"range":          {"max_range: 0", "max_range"},
		"batch":          {"batch: 0", "batch"},
		"budget":         {"max_requests_per_second: -1", "max_requests_per_second: from 1"},
		"large budget":   {"max_requests_per_second: 10001", "max_requests_per_second: from 1"},
		"timeout":        {"timeout: 1s", "timeout"},
		"fee":            {"max_fee_gwei: 0", "max_fee_gwei"},
		"fee digits":     {"max_fee_gwei: 0.0000000001", "max_fee_gwei"},
		"gas":            {"max_gas: 20999", "max_gas"},
		"cap":            {"caps: {USDT: {hour: 0}}", "caps: USDT: payout, hour or day, each above 0"},
		"empty cap":      {"caps: {USDT: {}}", "caps: USDT"},
		"explorer":       {"explorer: http://scan.example/tx/{txid}", "explorer"},
		"explorer alone": {"explorer: https://scan.example/tx/", "explorer"},
		"token gas":      {"max_token_gas: 50000001", "max_token_gas"},
		"start":          {"start: -1", "start"},
		"stale":          {"stale_after: 59s", "stale_after"},
		"stale for ever": {"stale_after: 25h", "stale_after"},
		"stale before":   {"stale_after: -5m", "stale_after"},
		"tag":            {"rule: {credit: latest}", "tag"},
		"confirmations":  {"rule: {credit: 0}", "confirmations"},
		"cold":           {"cold: '0x12'", "cold: not an address"},
		"no cold":        {"cold: '0x0000000000000000000000000000000000000000'", "cold: not an address"},
		"typed cold":     {"cold: '0xdaC17F958D2ee523a2206206994597C13D831ec7'", "cold: not an address"},
		"cold token":     {"cold: '" + payee.Hex() + "'\ntokens: {USDT: {contract: '" + payee.Hex() + "', decimals: 6}}", "cold: the contract of USDT"},
		"native":         {"tokens: {ETH: {contract: '" + contract + "', decimals: 18}}", "native"},
		"contract":       {"tokens: {USDT: {contract: nowhere, decimals: 6}}", "USDT"},
		"decimals":       {"tokens: {USDT: {contract: '" + contract + "', decimals: 37}}", "decimals"},
		"twice": {"tokens: {USDT: {contract: '" + contract + "', decimals: 6}, USDC: {contract: '" + strings.ToLower(contract) +
			"', decimals: 6}}", "same contract"},
		"native logs": {"native_logs: '" + contract + "'\ntokens: {USDT: {contract: '" + contract + "', decimals: 6}}", "same contract"},
	} {
		_, err := configured(t, "Ethereum", "rpc: http://127.0.0.1:8545\nxpub: XPUB\n")
		check(t, err)
		base := map[string]string{"rpc": "rpc: http://127.0.0.1:8545", "xpub": "xpub: XPUB"}
		for key := range base {
			if strings.HasPrefix(c.text, key+":") {
				delete(base, key)
			}
		}
		text := c.text
		for _, line := range base {
			text += "\n" + line
		}
		if _, err = configured(t, "Ethereum", text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error of %s", name, err, c.want)
		}
	}
	if err := evm.Defaults("Tron").Validate(); err == nil {
		t.Error("Tron is no EVM network")
	}
}

// TestColdIsNoneOfOurs: the cold address is one that the seed has no key for, and the network has it in the spelling of Match.
//
// Covers operator §Settings: cold is written here alone
func TestColdIsNoneOfOurs(t *testing.T) {
	t.Parallel()
	const head = "rpc: http://127.0.0.1:1\nxpub: XPUB\ncold: "
	cfg, err := configured(t, "Ethereum", head+`"`+payee.Hex()+`"`)
	check(t, err)
	open := func() *evm.Connector {
		t.Helper()
		c, err := evm.Open(t.Context(), cfg, nil)
		check(t, err)
		t.Cleanup(c.Close)
		return c
	}
	c := open()
	if n := c.Network(); n.Cold != strings.ToLower(payee.Hex()) || n.Cold != c.Match(payee.Hex()) || !n.Collects {
		t.Errorf("%q, collects %v", n.Cold, n.Collects)
	}
	ours := map[string]string{c.Hot(): "cold: the hot wallet"}
	for _, index := range []uint32{0, 99} {
		deposit, err := c.Derive(t.Context(), index)
		check(t, err)
		ours[deposit] = "cold: deposit address"
	}
	for address, want := range ours {
		if _, err := configured(t, "Ethereum", head+`"`+address+`"`); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
	cfg.Cold = ""
	if n := open().Network(); n.Cold != "" {
		t.Errorf("%q without a setting", n.Cold)
	}
}

// TestDefaults: every EVM network of the contract is known, and no two share a chain.
func TestDefaults(t *testing.T) {
	t.Parallel()
	seen := map[uint64]string{}
	for _, n := range pay.Networks {
		if n.Family != pay.EVM {
			continue
		}
		cfg, err := configured(t, n.Name, "rpc: http://127.0.0.1:8545\nxpub: XPUB")
		if err != nil {
			t.Errorf("%s: %v", n.Name, err)
		}
		if other, twice := seen[cfg.ChainID]; twice {
			t.Errorf("%s and %s are both chain %d", n.Name, other, cfg.ChainID)
		}
		seen[cfg.ChainID] = n.Name
	}
	if len(seen) != 12 {
		t.Errorf("%d networks, want 12", len(seen))
	}
	var _ chains.Sender = (*evm.Sender)(nil)
}
