package admincmd

import (
	"strings"
	"testing"

	"causeway/cmd/causeway/command"
	"causeway/tasks"
)

// Covers operator §Admin: limit set
// Covers operator §Admin: causeway admin limit list
// Covers operator §Admin: causeway admin limit set
// Covers operator §Admin: causeway admin limit clear
// Covers operator §Admin: causeway admin payout waiting
// Covers operator §Admin: causeway admin payout approve
// Covers operator §Admin: causeway admin payout decline
func TestLimitsAndDecisions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	merchant := s.Merchant()
	p, other := s.payout(merchant, "order-1"), s.payout(merchant, "order-2")
	var limits []struct {
		Unit, Above, Per string
		PerAddress       bool `json:"per_address"`
	}
	s.Do(&limits, "admin", "limit", "set", merchant, "USDT", "4.5")
	s.Do(&limits, "admin", "limit", "set", merchant, "EUR", "1000")
	s.Refused(command.ExitFailed, "neither an asset nor a fiat", "admin", "limit", "set", merchant, "GOLD", "1")
	s.Refused(command.ExitUsage, "not a plain number", "admin", "limit", "set", merchant, "USDT", "+1")
	s.Refused(command.ExitFailed, "no merchant", "admin", "limit", "set", "00000000-0000-4000-8000-000000000000", "USDT", "1")
	s.Do(&limits, "admin", "limit", "clear", merchant, "EUR")
	s.Refused(command.ExitFailed, "no limit", "admin", "limit", "clear", merchant, "EUR")
	if len(limits) != 1 || limits[0].Unit != "USDT" || limits[0].Above != "4.5" {
		t.Errorf("limits %+v", limits)
	}
	s.Do(&limits, "admin", "limit", "set", merchant, "USD", "20", "--per", "day", "--per-address")
	if len(limits) != 2 || limits[0].Per != "day" || !limits[0].PerAddress || limits[1].Per != "payout" {
		t.Errorf("limits %+v", limits)
	}
	s.Refused(command.ExitUsage, "per payout, per hour or per day", "admin", "limit", "set", merchant, "USD", "20", "--per", "week")
	s.Refused(command.ExitUsage, "of one address", "admin", "limit", "set", merchant, "USD", "20", "--per-address")
	s.Refused(command.ExitFailed, "no limit", "admin", "limit", "clear", merchant, "USD", "--per", "day")
	s.Do(&limits, "admin", "limit", "clear", merchant, "USD", "--per", "day", "--per-address")
	s.Exec("insert into payout_approvals (payout_id, why) values (?, 'above'), (?, 'above')", p.ID, other.ID)
	s.Exec("update jobs set run_at = now() + interval '15 minutes'")
	var waiting []struct{ ID, Why string }
	s.Do(&waiting, "admin", "payout", "waiting")
	if len(waiting) != 2 || waiting[0].ID != p.ID.String() || waiting[0].Why != "above" {
		t.Errorf("waiting %+v", waiting)
	}
	var shown shownPayout
	s.Do(&shown, "admin", "payout", "approve", "order-1")
	if !s.due(tasks.BroadcastPayout, p.ID) || shown.Cancelling {
		t.Errorf("approved: %+v", shown)
	}
	s.Do(&shown, "admin", "payout", "decline", "order-2")
	if !s.due(tasks.BroadcastPayout, other.ID) || !shown.Cancelling {
		t.Errorf("declined: %+v", shown)
	}
	s.Refused(command.ExitFailed, "does not wait", "admin", "payout", "approve", "order-2")
	if audit := s.LastAudit(); audit.Action != "payout.decline" || !strings.Contains(string(audit.Before), "waits") ||
		!strings.Contains(string(audit.After), "declined") {
		t.Errorf("audit %+v", audit)
	}
}
