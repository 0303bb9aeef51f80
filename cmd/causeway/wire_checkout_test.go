package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus/hooks/test"

	"causeway/chains"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
	"causeway/internal/proof/contract"
	"causeway/internal/store"
	"causeway/internal/web/checkout"
)

// A payer's wallet is told the networks file's facts about a real network, and nothing payable about a simulated one.
func TestPayersNetworks(t *testing.T) {
	t.Parallel()
	const usdt = "0xdAC17F958D2ee523a2206206994597C13D831ec7"
	path := filepath.Join(t.TempDir(), "networks.yaml")
	must(t, os.WriteFile(path, []byte("networks:\n  Ethereum:\n    rpc: http://127.0.0.1:1\n    chain_id: 31337\n    xpub: "+testXPub+
		"\n    tokens: {USDT: {contract: '"+usdt+"', decimals: 9}}\n    rule: {credit: 12, final: 64}\n"), 0o600))
	db := testkit.DB(t)
	log, _ := test.NewNullLogger()
	s := &settings.Settings{NetworksFile: path, Drivers: drivers}
	file, err := s.ReadNetworks()
	must(t, err)
	h := &service{settings: s, file: file, books: store.DevBooks, log: log, db: db, store: store.New(db)}
	h.networks, err = openNetworks(t.Context(), h, false)
	must(t, err)
	got := h.payerNetworks()
	e := got["Ethereum"]
	if e.Simulated || e.Credit != 12 || e.Tokens["USDT"] != (chains.Token{Symbol: "USDT", Contract: usdt, Decimals: 9}) {
		t.Errorf("Ethereum %+v", e)
	}
	asked := chains.Payment{To: "0xAb", Token: e.Tokens["USDT"], Amount: decimal.NewFromInt(2)}
	if uri, ok := e.URI(asked); !ok || uri != "ethereum:"+usdt+"@31337/transfer?address=0xAb&uint256=2000000000" {
		t.Errorf("a wallet reads %s, %v", uri, ok)
	}
	if page := e.Explain("0x12"); page != "https://etherscan.io/tx/0x12" {
		t.Errorf("a transaction leads to %s", page)
	}
	p := got["Polygon"]
	if !p.Simulated || p.Credit != 2 || p.Tokens != nil || p.Explain != nil {
		t.Errorf("Polygon %+v", p)
	}
	if uri, ok := p.URI(asked); ok || uri != "simulated:0xAb" {
		t.Errorf("a wallet reads %s, %v", uri, ok)
	}
}

func TestPublicBaseURL(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Settings: PUBLIC_BASE_URL", "operator §Payers' page: Set PUBLIC_BASE_URL")
	if checkout.RefundPrefix != admin.RefundPath {
		t.Errorf("operators' links of refunds lead to %s", admin.RefundPath)
	}
	id := uuid.Must(uuid.NewV7())
	for given, want := range map[string]string{
		"https://pay.example.com": "https://pay.example.com/pay/", "https://pay.example.com/": "https://pay.example.com/pay/",
		"http://127.0.0.1:8080/causeway/": "http://127.0.0.1:8080/causeway/pay/", "https://[2001:db8::1]:8443": "https://[2001:db8::1]:8443/pay/",
	} {
		p, _, _ := programIn(t.TempDir(), "PUBLIC_BASE_URL="+given)
		s, err := p.Settings()
		must(t, err)
		if got := (&service{settings: s}).pageAddress(checkout.Prefix)(id); got != want+id.String() {
			t.Errorf("%s: %s", given, got)
		}
	}
	if (&service{settings: &settings.Settings{}}).pageAddress(checkout.Prefix) != nil {
		t.Error("pages have an address that nobody gave")
	}
}
