package main

import (
	"slices"
	"strings"
	"testing"

	"causeway/internal/testkit"
	"causeway/store"
)

// Covers operator §Admin: causeway admin asset list
// Covers operator §Admin: causeway admin asset stop
// Covers operator §Admin: causeway admin asset resume
// Covers operator §Admin: asset stop keeps
func TestAssetCommands(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	type asset struct {
		Asset       string
		Stopped     bool
		Reason      string
		Differences []store.Difference
	}
	var one asset
	var all []asset
	s.do(&one, "admin", "asset", "stop", "USDT", "--reason", "an exploit of its contract")
	if !one.Stopped || one.Reason != "an exploit of its contract" {
		t.Errorf("stopped %+v", one)
	}
	s.do(&all, "admin", "asset", "list")
	stopped := slices.DeleteFunc(slices.Clone(all), func(a asset) bool { return !a.Stopped })
	if len(all) < 5 || len(stopped) != 1 || stopped[0].Asset != "USDT" {
		t.Errorf("listed %d, stopped %+v", len(all), stopped)
	}
	s.refused(exitFailed, "already", "admin", "asset", "stop", "USDT", "--reason", "again")
	s.refused(exitUsage, "reason", "admin", "asset", "stop", "USDC")
	s.refused(exitFailed, "no asset", "admin", "asset", "stop", "XYZ", "--reason", "x")
	s.refused(exitFailed, "not stopped", "admin", "asset", "resume", "USDC")

	s.exec(`insert into reconcile_reports (differences) values ('[{"check": "balance", "where": "merchant", "asset": "USDT"}]')`)
	s.refused(exitFailed, "still finds 1 differences of USDT", "admin", "asset", "resume", "USDT")
	s.exec(`insert into reconcile_reports (differences) values ('[]')`)
	one = asset{}
	s.do(&one, "admin", "asset", "resume", "USDT")
	if one.Stopped || one.Reason != "" {
		t.Errorf("resumed %+v", one)
	}
	if want := []string{"asset.stop", "asset.resume"}; !slices.Equal(s.audited(), want) {
		t.Errorf("audited %v", s.audited())
	}
	if a := s.lastAudit(); !strings.Contains(string(a.Before), "exploit") || strings.Contains(string(a.After), "exploit") {
		t.Errorf("audited %s -> %s", a.Before, a.After)
	}
}

// Covers operator §Admin: causeway admin treasury correct
// Covers operator §Admin: treasury correct makes
func TestTreasuryCorrection(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	correct := []string{"admin", "treasury", "correct", "--network", "trc20", "--reason", "rebase", "--asset", "USDT", "--amount"}
	var c struct{ Network, Amount string }
	s.do(&c, append(correct, "1.5")...)
	s.do(&c, append(correct, "-0.25")...)
	if c.Network != "Tron" || c.Amount != "-0.25" {
		t.Errorf("%+v", c)
	}
	holdings, err := store.New(s.db).LedgerHoldings(t.Context())
	must(t, err)
	if got := holdings["Tron"]["USDT"].String(); got != "1.25" {
		t.Errorf("the ledger holds %s", got)
	}
	s.refused(exitFailed, "zero", append(correct, "0")...)
	s.refused(exitFailed, "plain number", append(correct, "1e3")...)
	s.refused(exitFailed, "no asset", "admin", "treasury", "correct", "--network", "Tron", "--reason", "x", "--asset", "XYZ", "--amount", "1")
	s.refused(exitUsage, "reason", "admin", "treasury", "correct", "--network", "Tron", "--asset", "USDT", "--amount", "1")
}

// Covers operator §Admin: causeway admin network list
// Covers operator §Admin: causeway admin network resume
// Covers operator §Admin: causeway admin wallet unknown
// Covers operator §Admin: causeway admin wallet assign
func TestNetworkAndWalletCommandsRefuse(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	must(t, (&DevFile{DatabaseURL: testkit.DSN(t), RedisURL: testkit.RedisURL(t), SecretsKey: testSecretsKey}).Write(s.dir))
	var followers []store.FollowerVitals
	s.exec("insert into followers (network, head, halted) values ('Tron', 50, true), ('Bitcoin', 9, false)")
	s.exec("insert into chain_blocks values ('Tron', 40, 'a', ''), ('Tron', 41, 'b', 'a')")
	s.do(&followers, "admin", "network", "list")
	if len(followers) != 2 || !followers[1].Halted || *followers[1].Deepest != 40 || *followers[1].Height != 41 || followers[0].Height != nil {
		t.Errorf("%+v", followers)
	}
	s.refused(exitFailed, "has no block 39", "admin", "network", "resume", "trc20", "--from", "39")
	s.refused(exitFailed, "Bitcoin is not halted", "admin", "network", "resume", "Bitcoin", "--from", "1")
	s.refused(exitFailed, "no network", "admin", "network", "resume", "nowhere", "--from", "1")
	s.refused(exitUsage, "from", "admin", "network", "resume", "Tron")
	s.refused(exitFailed, "is not stopped", "admin", "wallet", "resume", "trc20")
	s.refused(exitUsage, "payout", "admin", "wallet", "assign", "Tron", "tx")
	s.refused(exitFailed, "no open spend", "admin", "wallet", "assign", "Tron", "tx", "--nobody")
	var none []store.UnknownSpend
	s.do(&none, "admin", "wallet", "unknown")
	if len(none) != 0 {
		t.Errorf("%+v", none)
	}
	var resumed struct{ From int64 }
	s.do(&resumed, "admin", "network", "resume", "Tron", "--from", "1")
	if resumed.From != 1 {
		t.Errorf("%+v", resumed)
	}
}
