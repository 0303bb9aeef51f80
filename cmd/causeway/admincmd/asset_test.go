package admincmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/cmd/causeway/command"
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
	s.Do(&one, "admin", "asset", "stop", "USDT", "--reason", "an exploit of its contract")
	if !one.Stopped || one.Reason != "an exploit of its contract" {
		t.Errorf("stopped %+v", one)
	}
	s.Do(&all, "admin", "asset", "list")
	stopped := slices.DeleteFunc(slices.Clone(all), func(a asset) bool { return !a.Stopped })
	if len(all) < 5 || len(stopped) != 1 || stopped[0].Asset != "USDT" {
		t.Errorf("listed %d, stopped %+v", len(all), stopped)
	}
	s.Refused(command.ExitFailed, "already", "admin", "asset", "stop", "USDT", "--reason", "again")
	s.Refused(command.ExitUsage, "reason", "admin", "asset", "stop", "USDC")
	s.Refused(command.ExitFailed, "no asset", "admin", "asset", "stop", "XYZ", "--reason", "x")
	s.Refused(command.ExitFailed, "not stopped", "admin", "asset", "resume", "USDC")

	s.Exec(`insert into reconcile_reports (at, differences) values ('2026-11-24 04:05:06+00', '[{"check": "balance", "where": "merchant", "asset": "USDT"}]')`)
	s.Refused(command.ExitFailed, "the newest periodic reconciliation, of 2026-11-24 04:05:06 UTC, found 1 difference of USDT", "admin", "asset", "resume", "USDT")
	s.Exec(`insert into reconcile_reports (differences) values ('[{"check": "held", "where": "Tron", "asset": "USDT", "surplus": true}]')`)
	one = asset{}
	s.Do(&one, "admin", "asset", "resume", "USDT")
	if one.Stopped || one.Reason != "" {
		t.Errorf("resumed %+v", one)
	}
	if want := []string{"asset.stop", "asset.resume"}; !slices.Equal(s.Audited(), want) {
		t.Errorf("audited %v", s.Audited())
	}
	if a := s.LastAudit(); !strings.Contains(string(a.Before), "exploit") || strings.Contains(string(a.After), "exploit") {
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
	s.Refused(command.ExitFailed, "no look at Tron has ended yet", append(correct, "1.5")...)
	s.Do(&c, append(correct, "1.5", "--although", "0")...)
	s.Exec(`insert into reconcile_looks (network, found, corrected, unreached, looked_at) values ('Tron', '[{"asset": "USDT", "want": "1.5", "got": "1.25"}]',
		'{"amounts": {"USDT": "1.5"}}', '', now())`)
	s.Refused(command.ExitFailed, "a difference of -0.25 is open", append(correct, "-1")...)
	s.Do(&c, append(correct, "-0.25")...)
	s.Refused(command.ExitFailed, "-0.25 was corrected since", append(correct, "-0.25")...)
	if c.Network != "Tron" || c.Amount != "-0.25" {
		t.Errorf("%+v", c)
	}
	holdings, err := store.New(s.DB).LedgerHoldings(t.Context())
	require.NoError(t, err)
	if got := holdings["Tron"]["USDT"].String(); got != "1.25" {
		t.Errorf("the ledger holds %s", got)
	}
	once := append(correct, "2", "--although", "0", "--reference", "0190163d-8694-739b-aea5-966c26f8ad91")
	s.Do(&c, once...)
	s.Refused(command.ExitFailed, "made already", once...)
	s.Refused(command.ExitFailed, "made already", append(correct, "3", "--reference", "0190163d-8694-739b-aea5-966c26f8ad91")...)
	s.Refused(command.ExitUsage, "no UUID", append(correct, "2", "--reference", "x")...)
	require.Len(t, s.Audited(), 3)
	s.Refused(command.ExitFailed, "zero", append(correct, "0")...)
	s.Refused(command.ExitUsage, "plain number", append(correct, "1e3")...)
	s.Refused(command.ExitUsage, "plain number", append(correct, "2", "--although", "none")...)
	s.Refused(command.ExitFailed, "no asset", "admin", "treasury", "correct", "--network", "Tron", "--reason", "x", "--asset", "XYZ", "--amount", "1")
	s.Refused(command.ExitFailed, "no USDT on Bitcoin", "admin", "treasury", "correct", "--network", "Bitcoin", "--reason", "x", "--asset",
		"USDT", "--amount", "1", "--although", "0")
	s.Exec("delete from tokens where symbol = 'USDT' and network = 'Tron'")
	s.Do(&c, append(correct, "-0.5", "--although", "-2")...) // what is still in the books there
	s.Refused(command.ExitUsage, "reason", "admin", "treasury", "correct", "--network", "Tron", "--asset", "USDT", "--amount", "1")
}
