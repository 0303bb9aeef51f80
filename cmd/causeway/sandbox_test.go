package main

import (
	"testing"

	"causeway/chains/sandbox"
	"causeway/pay"
)

// Covers operator §operator: the contract with whoever runs the service: Admin and sandbox commands print
// Covers operator §Sandbox networks: causeway sandbox mine
// Covers operator §Sandbox networks: causeway sandbox reorg
// Covers operator §Sandbox networks: causeway sandbox faults set
// Covers operator §Sandbox networks: causeway sandbox faults clear
// Covers operator §Sandbox networks: causeway sandbox show
// Covers operator §Sandbox networks: pay answers
// Covers operator §Sandbox networks: reorg makes
func TestSandboxCommands(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	must(t, sandbox.Genesis(t.Context(), s.db, pay.Networks...))
	const to = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"
	var paid struct{ Txid string }
	s.do(&paid, "sandbox", "pay", "--network", "tron", "--token", "USDT", "--to", to, "--amount", "25")
	var named struct{ Txid string }
	s.do(&named, "sandbox", "pay", "--network", "Tron", "--token", "USDT", "--to", to, "--amount", "0.5", "--txid", "mine")
	if paid.Txid == "" || named.Txid != "mine" {
		t.Fatalf("paid %+v %+v", paid, named)
	}
	var height struct{ Height int64 }
	s.do(&height, "sandbox", "mine", "--network", "Tron", "--blocks", "3")
	type view struct {
		Height       int64
		Transactions []struct {
			Txid, Status  string
			Confirmations int
		}
	}
	var shown view
	s.do(&shown, "sandbox", "show", "--network", "Tron", "--address", to)
	if shown.Height != height.Height || len(shown.Transactions) != 2 || shown.Transactions[0].Confirmations != 3 {
		t.Errorf("shown %+v", shown)
	}
	s.do(&height, "sandbox", "reorg", "--network", "Tron", "--depth", "3", "--drop", "mine")
	s.do(&shown, "sandbox", "show", "--network", "Tron", "--address", to)
	if len(shown.Transactions) != 1 || shown.Transactions[0].Txid != paid.Txid || shown.Transactions[0].Status != "mined" {
		t.Errorf("with one dropped %+v", shown)
	}
	s.do(&height, "sandbox", "reorg", "--network", "Tron", "--depth", "4", "--drop", paid.Txid)
	s.do(&shown, "sandbox", "show", "--network", "Tron", "--address", to)
	if height.Height != shown.Height || len(shown.Transactions) != 0 {
		t.Errorf("after the reorganisation %+v", shown)
	}
	var faults struct{ Faults map[string]any }
	s.do(&faults, "sandbox", "faults", "set", "--network", "Tron", "broadcast=timeout-after-send", "scan=down")
	if faults.Faults["broadcast"] != "timeout-after-send" || faults.Faults["scan"] != "down" {
		t.Errorf("faults %+v", faults)
	}
	faults.Faults = nil
	s.do(&faults, "sandbox", "faults", "clear", "--network", "Tron")
	if len(faults.Faults) != 0 {
		t.Errorf("faults left %+v", faults)
	}
}

func TestSandboxRefusals(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	must(t, sandbox.Genesis(t.Context(), s.db, pay.Networks[0]))
	pays := []string{"sandbox", "pay", "--network", "Bitcoin", "--token", "BTC", "--to"}
	s.refused(exitFailed, "", append(pays, "nonsense", "--amount", "1")...)
	for _, amount := range []string{"1e3", "0x1", "", "1,5", "0"} {
		s.refused(exitFailed, "", append(pays, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "--amount", amount)...)
	}
	s.refused(exitUsage, "amount", append(pays, "x")...)
	s.refused(exitFailed, "Nowhere", "sandbox", "mine", "--network", "Nowhere")
	s.refused(exitFailed, "not a sandbox network", "sandbox", "mine", "--network", "Tron")
	s.refused(exitFailed, "at least one", "sandbox", "mine", "--network", "Bitcoin", "--blocks", "0")
	s.refused(exitUsage, "blocks", "sandbox", "mine", "--network", "Bitcoin", "--blocks", "many")
	s.refused(exitUsage, "--drop", "sandbox", "reorg", "--network", "Bitcoin", "--depth", "1", "stray")
	s.refused(exitFailed, "deep", "sandbox", "reorg", "--network", "Bitcoin", "--depth", "99")
	s.refused(exitFailed, "luck", "sandbox", "faults", "set", "--network", "Bitcoin", "luck=none")
	s.refused(exitUsage, "network", "sandbox", "show")
}
