package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"causeway/admin"
	"causeway/tasks"
	"causeway/vault"
)

// typed runs a command with something on its standard input.
func (s *site) typed(input string, into any, args ...string) (code int, said string) {
	s.Helper()
	p, stdout, stderr := programIn(s.dir)
	p.stdin = strings.NewReader(input)
	code = p.run(s.Context(), append(args, "--data-dir", s.dir))
	if code == exitOK {
		must(s.T, json.Unmarshal(stdout.Bytes(), into))
	}
	return code, stderr.String()
}

// Covers operator §Admin: operator create
// Covers operator §Admin: causeway admin operator create
// Covers operator §Admin: causeway admin operator list
// Covers operator §Admin: causeway admin operator password
// Covers operator §Admin: causeway admin operator role
// Covers operator §Admin: causeway admin operator disable
// Covers operator §Admin: causeway admin operator enable
func TestOperatorCommands(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var ann admin.Operator
	if code, said := s.typed("correct horse\n", &ann, "admin", "operator", "create", "ann", "--role", "operator"); code != exitOK || ann.Name != "ann" || ann.Role != "operator" || ann.TOTP {
		t.Fatalf("exit code %d, %s: %+v", code, said, ann)
	}
	for input, says := range map[string]string{"": "no password", "short\n": "at least 10", strings.Repeat("x", 201) + "\n": "at most 200"} {
		if code, said := s.typed(input, nil, "admin", "operator", "create", "bob"); code != exitFailed || !strings.Contains(said, says) {
			t.Errorf("a password of %d bytes: exit code %d, %s", len(input), code, said)
		}
	}
	if code, said := s.typed("correct horse", nil, "admin", "operator", "create", "ann"); code != exitFailed || !strings.Contains(said, "already") {
		t.Errorf("the same name again: exit code %d, %s", code, said)
	}
	for _, args := range [][]string{{"create", "Ann Lee"}, {"create", "bob", "--role", "god"}} {
		if code, _ := s.typed("correct horse", nil, append([]string{"admin", "operator"}, args...)...); code != exitFailed {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
	if code, said := s.typed("another horse\n", &ann, "admin", "operator", "password", "ann"); code != exitOK {
		t.Errorf("another password: %s", said)
	}
	var hash string
	must(t, s.db.NewRaw("select password from operators where name = 'ann'").Scan(t.Context(), &hash))
	if !vault.PasswordFits("another horse", hash) || vault.PasswordFits("correct horse", hash) {
		t.Error("the password is not the one that was typed")
	}
	s.do(&ann, "admin", "operator", "role", "ann", "admin")
	s.do(&ann, "admin", "operator", "disable", "ann")
	if ann.DisabledAt == nil || ann.Role != "admin" {
		t.Errorf("disabled: %+v", ann)
	}
	s.refused(exitFailed, "already", "admin", "operator", "disable", "ann")
	s.do(&ann, "admin", "operator", "enable", "ann")
	s.refused(exitFailed, "no operator", "admin", "operator", "disable", "bob")
	var all []admin.Operator
	s.do(&all, "admin", "operator", "list")
	if len(all) != 1 || all[0].DisabledAt != nil {
		t.Errorf("listed %+v", all)
	}
	if want := []string{"operator.create", "operator.password", "operator.role", "operator.disable", "operator.enable"}; !slices.Equal(s.audited(), want) {
		t.Errorf("audited %q", s.audited())
	}
	s.holdsNoSecret("correct horse", "another horse")
}

// Covers operator §Admin: causeway admin operator totp
// Covers operator §Admin: operator create and operator password
func TestOperatorCodeCommands(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var ann admin.Operator
	s.typed("correct horse\n", &ann, "admin", "operator", "create", "ann")
	var offered, again admin.OfferedCode
	s.do(&offered, "admin", "operator", "totp", "ann")
	s.do(&again, "admin", "operator", "totp", "ann")
	if offered != again || !strings.HasPrefix(offered.URL, "otpauth://totp/Causeway:ann?secret="+offered.Secret) {
		t.Errorf("offered %+v, then %+v", offered, again)
	}
	s.refused(exitFailed, "wrong", "admin", "operator", "totp", "ann", "--code", "000000")
	s.refused(exitFailed, "without a code", "admin", "operator", "totp", "ann", "--drop")
	code, err := totp.GenerateCode(offered.Secret, time.Now())
	must(t, err)
	s.do(&ann, "admin", "operator", "totp", "ann", "--code", code)
	if !ann.TOTP {
		t.Errorf("with a code: %+v", ann)
	}
	s.holdsNoSecret(offered.Secret)
	s.do(&ann, "admin", "operator", "totp", "ann", "--drop")
	if ann.TOTP {
		t.Errorf("dropped: %+v", ann)
	}
}

// Covers operator §Admin: limit set
// Covers operator §Admin: causeway admin limit list
// Covers operator §Admin: causeway admin limit set
// Covers operator §Admin: causeway admin limit clear
// Covers operator §Admin: causeway admin payout waiting
// Covers operator §Admin: causeway admin payout approve
// Covers operator §Admin: causeway admin payout refuse
func TestLimitsAndDecisions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	merchant := s.merchant()
	p, other := s.payout(merchant, "order-1"), s.payout(merchant, "order-2")
	var limits []struct{ Unit, Above string }
	s.do(&limits, "admin", "limit", "set", merchant, "USDT", "4.5")
	s.do(&limits, "admin", "limit", "set", merchant, "EUR", "1000")
	s.refused(exitFailed, "neither an asset nor a fiat", "admin", "limit", "set", merchant, "GOLD", "1")
	s.refused(exitFailed, "not a plain number", "admin", "limit", "set", merchant, "USDT", "+1")
	s.refused(exitFailed, "no merchant", "admin", "limit", "set", "00000000-0000-4000-8000-000000000000", "USDT", "1")
	s.do(&limits, "admin", "limit", "clear", merchant, "EUR")
	s.refused(exitFailed, "no limit", "admin", "limit", "clear", merchant, "EUR")
	if len(limits) != 1 || limits[0].Unit != "USDT" || limits[0].Above != "4.5" {
		t.Errorf("limits %+v", limits)
	}
	s.exec("insert into payout_approvals (payout_id, why) values (?, 'above'), (?, 'above')", p.ID, other.ID)
	s.exec("update jobs set run_at = now() + interval '15 minutes'")
	var waiting []struct{ ID, Why string }
	s.do(&waiting, "admin", "payout", "waiting")
	if len(waiting) != 2 || waiting[0].ID != p.ID.String() || waiting[0].Why != "above" {
		t.Errorf("waiting %+v", waiting)
	}
	var shown shownPayout
	s.do(&shown, "admin", "payout", "approve", "order-1")
	if !s.due(tasks.BroadcastPayout, p.ID) || shown.Cancelling {
		t.Errorf("approved: %+v", shown)
	}
	s.do(&shown, "admin", "payout", "refuse", "order-2")
	if !s.due(tasks.BroadcastPayout, other.ID) || !shown.Cancelling {
		t.Errorf("refused: %+v", shown)
	}
	s.refused(exitFailed, "does not wait", "admin", "payout", "approve", "order-2")
	if audit := s.lastAudit(); audit.Action != "payout.refuse" || !strings.Contains(string(audit.Before), "waits") || !strings.Contains(string(audit.After), "refused") {
		t.Errorf("audit %+v", audit)
	}
}
