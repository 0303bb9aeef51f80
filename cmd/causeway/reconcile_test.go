package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"causeway/internal/cli/command"
	"causeway/internal/ops/onchain"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// Covers operator §Admin: causeway admin network list
// Covers operator §Admin: causeway admin network resume
// Covers operator §Admin: causeway admin wallet book
// Covers operator §Admin: causeway admin wallet list
// Covers operator §Admin: wallet list names
// Covers operator §Holdings: The holdings in wallet list
// Covers operator §Admin: causeway admin wallet unknown
// Covers operator §Admin: causeway admin wallet assign
// Covers operator §Admin: causeway admin wallet dismiss
// Covers operator §Admin: causeway admin wallet forget
// Covers operator §Admin: network list lists
func TestNetworkAndWalletCommandsRefuse(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.WithRedis()
	var followers []store.FollowerVitals
	s.Exec("insert into followers (network, head, halted) values ('Tron', 50, true), ('Bitcoin', 9, false)")
	s.Exec("insert into chain_blocks values ('Tron', 40, 'a', ''), ('Tron', 41, 'b', 'a')")
	s.Do(&followers, "admin", "network", "list")
	if len(followers) != 2 || !followers[1].Halted || *followers[1].Deepest != 40 || *followers[1].Height != 41 || followers[0].Height != nil {
		t.Errorf("%+v", followers)
	}
	p, stdout, stderr := programIn(s.Dir, "NETWORKS_FILE="+besideFile(t))
	if code := p.run(t.Context(), []string{"admin", "network", "list", "--data-dir", s.Dir}); code != command.ExitOK {
		t.Fatal(stderr)
	}
	followers = nil
	must(t, json.Unmarshal(stdout.Bytes(), &followers))
	if len(followers) != 3 || followers[1].Network != "Ethereum" || followers[1].Problem != "no worker has followed it yet" {
		t.Errorf("a network that is configured and not followed yet: %+v", followers)
	}
	s.Refused(command.ExitFailed, "has no block 39", "admin", "network", "resume", "trc20", "--from", "39")
	s.Refused(command.ExitFailed, "Bitcoin is not halted", "admin", "network", "resume", "Bitcoin", "--from", "1")
	s.Refused(command.ExitFailed, "no network", "admin", "network", "resume", "nowhere", "--from", "1")
	s.Refused(command.ExitUsage, "from", "admin", "network", "resume", "Tron")
	s.Exec("insert into followers (network, head) values ('Ethereum', 1)")
	s.Exec("insert into chain_blocks values ('Ethereum', 1, 'a', '')")
	s.Refused(command.ExitFailed, "is not stopped", "admin", "wallet", "resume", "erc20")
	s.Refused(command.ExitFailed, "wallet 0x1 of Ethereum is not stopped", "admin", "wallet", "forget", "erc20", "0x1")
	s.Refused(command.ExitFailed, "knows no transaction tx of the hot wallet", "admin", "wallet", "book", "erc20", "tx")
	s.Refused(command.ExitUsage, "payout", "admin", "wallet", "assign", "Ethereum", "tx")
	s.Refused(command.ExitUsage, "plain number", "admin", "wallet", "assign", "Ethereum", "tx", "--payout", "0199f0c2-6f1e-7c3a-9d55-1f6f2f1c0a03",
		"--difference", "much")
	s.Refused(command.ExitFailed, "no open spend", "admin", "wallet", "assign", "Ethereum", "tx", "--nobody")
	s.Refused(command.ExitFailed, "no spend of tx on Ethereum is undone", "admin", "wallet", "dismiss", "erc20", "tx")
	var none []store.UnknownSpend
	s.Do(&none, "admin", "wallet", "unknown")
	if len(none) != 0 {
		t.Errorf("%+v", none)
	}
	s.Exec("insert into reconcile_looks (network, found, unreached) values ('Ethereum', '[]', '')")
	s.Exec(`insert into wallet_holdings (network, asset, kind, amount, height, seen_at)
		values ('Ethereum', 'ETH', 'hot', 7.5, 1, now()), ('Ethereum', 'ETH', 'deposits', 2, 1, now())`)
	s.Exec("insert into wallet_paid (network, asset, hour, amount) values ('Ethereum', 'ETH', now(), 3)")
	var wallets []onchain.HotWallet
	s.Do(&wallets, "admin", "wallet", "list")
	at := slices.IndexFunc(wallets, func(w onchain.HotWallet) bool { return w.Network == "Ethereum" })
	if len(wallets) != len(pay.Networks) || at < 0 || wallets[at].Kind != "sandbox" || wallets[at].Coin != "ETH" ||
		wallets[at].Address == strings.ToLower(wallets[at].Address) {
		t.Errorf("%+v", wallets)
	}
	if held := wallets[at].Holdings; len(held) != 1 || held[0].Asset != "ETH" || held[0].Hot.String() != "7.5" || held[0].Deposits.String() != "2" ||
		held[0].LastsDays == nil || *held[0].LastsDays != 2.5 || wallets[(at+1)%len(wallets)].Holdings == nil {
		t.Errorf("%+v", wallets)
	}
	var resumed struct{ From int64 }
	s.Do(&resumed, "admin", "network", "resume", "Tron", "--from", "1")
	if resumed.From != 1 {
		t.Errorf("%+v", resumed)
	}
}
