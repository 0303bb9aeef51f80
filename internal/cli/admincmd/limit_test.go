package admincmd

import (
	"strings"
	"testing"

	"causeway/internal/cli/command"
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

// The amount for the approval of two people is set, shown and taken off by command alone, and each change is audited. An
// approval by command counts as a person, by the name in the audit.
//
// Covers operator §Admin: causeway admin limit two-people
// Covers operator §Admin: limit two-people
func TestTwoPeopleByCommand(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.payout(s.Merchant(), "order-1")
	var now struct {
		AboveUSD *string `json:"above_usd"`
	}
	s.Do(&now, "admin", "limit", "two-people")
	if now.AboveUSD != nil {
		t.Errorf("at first two people approve above %s", *now.AboveUSD)
	}
	s.Do(&now, "admin", "limit", "two-people", "0.5")
	if audit := s.LastAudit(); now.AboveUSD == nil || *now.AboveUSD != "0.5" || audit.Action != "two-people.set" || !strings.Contains(string(audit.After), "0.5") {
		t.Errorf("set to %v: %+v", now.AboveUSD, audit)
	}
	s.Refused(command.ExitUsage, "not a plain number", "admin", "limit", "two-people", "much")
	var shown struct {
		Approval struct{ FirstBy, Decision *string }
	}
	s.Do(&shown, "admin", "payout", "approve", "order-1")
	s.Refused(command.ExitFailed, "needs a second person", "admin", "payout", "approve", "order-1")
	s.Exec("update payout_approvals set first_by = 'somebody else' where payout_id = ?", p.ID)
	s.Do(&shown, "admin", "payout", "approve", "order-1")
	if shown.Approval.Decision == nil || *shown.Approval.Decision != "approved" {
		t.Errorf("after two people: %+v", shown)
	}
	s.Do(&now, "admin", "limit", "two-people", "off")
	s.Do(&now, "admin", "limit", "two-people")
	if now.AboveUSD != nil {
		t.Errorf("still above %s", *now.AboveUSD)
	}
}
