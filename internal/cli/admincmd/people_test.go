package admincmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
	"causeway/internal/people"
	"causeway/internal/store"
)

// Covers operator §Admin: causeway admin merchant invite
// Covers operator §Admin: causeway admin merchant people
// Covers operator §Admin: causeway admin merchant role
// Covers operator §Admin: causeway admin merchant remove
// Covers operator §Admin: causeway admin merchant unlock
// Covers operator §Admin: causeway admin merchant reset
// Covers operator §Admin: causeway admin merchant trust
// Covers operator §Merchants' panel: merchant invite
func TestPeopleCommands(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	merchant := s.Merchant()
	var made admin.Invitation
	s.Do(&made, "admin", "merchant", "invite", "Ann@Example.com", "--merchant", merchant, "--role", "owner")
	if made.Email != "ann@example.com" || made.Role != "owner" || !strings.HasPrefix(made.Path, "/panel/invitation?token=") {
		t.Fatalf("invited %+v", made)
	}
	if lasts := made.EndsAt.Sub(made.MadeAt).Hours(); lasts != 72 {
		t.Errorf("the link lasts %v hours", lasts)
	}
	s.Refused(command.ExitUsage, "no role", "admin", "merchant", "invite", "eve@example.com", "--merchant", merchant, "--role", "god")
	s.Refused(command.ExitUsage, "not an e-mail", "admin", "merchant", "invite", "eve", "--merchant", merchant)
	s.Refused(command.ExitFailed, "no merchant", "admin", "merchant", "invite", "eve@example.com", "--merchant", uuid.NewString())
	s.Do(&made, "admin", "merchant", "invite", "eve@example.com", "--merchant", merchant)
	if made.Role != "viewer" {
		t.Errorf("the role is %s", made.Role)
	}
	desk := &people.Desk{Store: store.New(s.DB)}
	var all admin.People
	s.Do(&all, "admin", "merchant", "people", "--merchant", merchant)
	if len(all.Invitations) != 2 || len(all.People) != 0 || all.Invitations[0].Path != "" {
		t.Fatalf("listed %+v", all)
	}
	s.Do(&all, "admin", "merchant", "remove", "eve@example.com", "--merchant", merchant)
	var ann admin.Invitation
	s.Do(&ann, "admin", "merchant", "invite", "ann@example.com", "--merchant", merchant)
	_, token, _ := strings.Cut(ann.Path, "token=")
	if err := desk.Accept(t.Context(), token, "Ann", "correct horse battery", "home"); err != nil {
		t.Fatal(err)
	}
	s.Refused(command.ExitFailed, "already", "admin", "merchant", "invite", "ann@example.com", "--merchant", merchant)
	s.Do(&all, "admin", "merchant", "role", "ann@example.com", "finance", "--merchant", merchant)
	if len(all.People) != 1 || all.People[0].Role != "finance" || all.People[0].Name != "Ann" {
		t.Errorf("after role: %+v", all)
	}
	s.Refused(command.ExitFailed, "not locked", "admin", "merchant", "unlock", "ann@example.com")
	s.Exec("update people set locked_at = now(), wrong_codes = 50")
	var unlocked admin.Unlocked
	if s.Do(&unlocked, "admin", "merchant", "unlock", "ann@example.com", "--drop-code"); unlocked.Email != "ann@example.com" {
		t.Errorf("unlocked %+v", unlocked)
	}
	var reset admin.Reset
	if s.Do(&reset, "admin", "merchant", "reset", "ann@example.com"); !strings.HasPrefix(reset.Path, "/panel/reset?token=") {
		t.Errorf("reset %+v", reset)
	}
	_, again, _ := strings.Cut(reset.Path, "token=")
	if err := desk.UseReset(t.Context(), again, "correct horse battery 2"); err != nil {
		t.Error(err)
	}
	s.Refused(command.ExitFailed, "no person", "admin", "merchant", "reset", "bob@example.com")
	s.Refused(command.ExitFailed, "logs in with a code", "admin", "merchant", "trust", "ann@example.com", "--merchant", merchant)
	s.Exec("update people set totp = 'x', coded_at = now()")
	if s.Do(&all, "admin", "merchant", "trust", "ann@example.com", "--merchant", merchant); !all.People[0].Settled {
		t.Errorf("after trust: %+v", all)
	}
	s.Do(&all, "admin", "merchant", "remove", "ann@example.com", "--merchant", merchant)
	if len(all.People)+len(all.Invitations) > 0 {
		t.Errorf("after remove: %+v", all)
	}
	s.Refused(command.ExitFailed, "no person", "admin", "merchant", "remove", "bob@example.com", "--merchant", merchant)
	if got := s.Audited(); !slices.Contains(got, "person.unlock") || !slices.Contains(got, "person.remove") {
		t.Errorf("audited %q", got)
	}
	s.holdsNoSecret("correct horse battery", token, again)
}
