package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"causeway/chains"
	"causeway/internal/cli/settings"
	"causeway/internal/pay"
	"causeway/internal/proof/contract"
	"causeway/internal/web/checkout"
)

// What a payer's wallet is told of a real network is what the networks file says, and of a simulated one what is known of it.
func TestPayersNetworks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "networks.yaml")
	must(t, os.WriteFile(path, []byte("networks:\n  Ethereum:\n    rpc: http://a\n    chain_id: 31337\n    xpub: "+testXPub+
		"\n    tokens: {USDT: {contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7', decimals: 9}}\n"), 0o600))
	ethereum, _ := pay.NetworkNamed("Ethereum")
	polygon, _ := pay.NetworkNamed("Polygon")
	registry, err := chains.NewRegistry(&chains.Network{Network: *ethereum, Kind: "evm", Rule: chains.Rule{Credit: 12}},
		&chains.Network{Network: *polygon, Kind: "sandbox", Rule: chains.Rule{Credit: 2}})
	must(t, err)
	h := &service{networks: registry, settings: &settings.Settings{NetworksFile: path}}
	got, err := h.payerNetworks()
	must(t, err)
	if e := got["Ethereum"]; e.Simulated || e.Credit != 12 || e.ChainID != 31337 ||
		e.Tokens["USDT"] != (checkout.Token{Contract: "0xdAC17F958D2ee523a2206206994597C13D831ec7", Decimals: 9}) {
		t.Errorf("Ethereum %+v", e)
	}
	if p := got["Polygon"]; !p.Simulated || p.Credit != 2 || p.ChainID != 137 || p.Tokens != nil {
		t.Errorf("Polygon %+v", p)
	}
}

func TestPublicBaseURL(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Settings: PUBLIC_BASE_URL", "operator §Payers' page: Set PUBLIC_BASE_URL")
	id := uuid.Must(uuid.NewV7())
	for given, want := range map[string]string{
		"https://pay.example.com": "https://pay.example.com/pay/", "https://pay.example.com/": "https://pay.example.com/pay/",
		"http://127.0.0.1:8080/causeway/": "http://127.0.0.1:8080/causeway/pay/", "https://[2001:db8::1]:8443": "https://[2001:db8::1]:8443/pay/",
	} {
		p, _, _ := programIn(t.TempDir(), "PUBLIC_BASE_URL="+given)
		s, err := p.Settings()
		must(t, err)
		if got := (&service{settings: s}).pageAddress()(id); got != want+id.String() {
			t.Errorf("%s: %s", given, got)
		}
	}
	if (&service{settings: &settings.Settings{}}).pageAddress() != nil {
		t.Error("pages have an address that nobody gave")
	}
}
