package admincmd

import (
	"slices"
	"strings"
	"testing"

	"causeway/internal/cli/command"
	"causeway/internal/store"
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
