package panel_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"causeway/internal/ops/admin"
	"causeway/internal/people"
)

// messages are the receivers and titles of the messages recorded, each with a job, and forgotten then.
func (f *floor) messages() (out []string) {
	f.Helper()
	var n int
	f.must(f.db.NewRaw("select receiver || ' ' || title from messages order by 1").Scan(f.Context(), &out))
	f.must(f.db.NewRaw("select count(*) from messages m join jobs j on j.ref = m.id and j.kind = 'message.send'").Scan(f.Context(), &n))
	if n != len(out) {
		f.Errorf("%d of %d messages have a job", n, len(out))
	}
	_, err := f.db.NewRaw("with gone as (delete from messages returning id) delete from jobs where ref in (select id from gone)").Exec(f.Context())
	f.must(err)
	return out
}

// A person is told of a login from an address for the first time in a month, and of a key of their merchant, as their roles and their
// choice have it.
func TestMessages(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	dev := f.member(f.shop, "dev@example.com", people.Developer)
	fin := f.member(f.shop, "fin@example.com", people.Finance)
	f.member(f.other, "bob@example.com", people.Owner)
	f.messages()

	if ann.login(password); len(f.messages()) > 0 {
		t.Error("a login from a known address is told of")
	}
	ann.from = "elsewhere"
	ann.login(password)
	if got := f.messages(); !slices.Equal(got, []string{"mail:ann@example.com A login from a new address"}) {
		t.Errorf("a login from elsewhere tells %v", got)
	}
	ann.from = "home"
	ann.login(password)

	if code, page := dev.do("keys", "scopes", "payin:read"); code != http.StatusOK {
		t.Fatalf("making a key is answered %d %s", code, page)
	}
	told := []string{"mail:ann@example.com An API key was created", "mail:dev@example.com An API key was created"}
	if got := f.messages(); !slices.Equal(got, told) {
		t.Errorf("a key tells %v", got)
	}
	if _, page := fin.get("account"); strings.Contains(page, "key-created") || !strings.Contains(page, "payout-failed") || !strings.Contains(page, "sends no e-mail") {
		t.Errorf("finance may choose from %s", page)
	}
	if code, _ := ann.do("account/messages", "topics", "new-login", "topics", "payout-failed"); code != http.StatusSeeOther {
		t.Fatalf("switching is answered %d", code)
	}
	if _, page := ann.get("account"); strings.Count(page, "checked") != 2 {
		t.Errorf("the switches are %s", page)
	}
	if _, err := f.admin.CreateKey(t.Context(), admin.NewKey{Merchant: f.shop}); err != nil {
		t.Fatal(err)
	}
	if got := f.messages(); !slices.Equal(got, told[1:]) {
		t.Errorf("a key by the operator tells %v", got)
	}
	if code, _ := fin.do("account/messages"); code != http.StatusSeeOther {
		t.Fatalf("switching everything off is answered %d", code)
	}
	fin.from = "elsewhere"
	if fin.login(password); len(f.messages()) > 0 {
		t.Error("who wants to be told of nothing is told")
	}
}

// An invitation is mailed, twenty times a day at most, and its maker sees the link all the same.
func TestInvitationsAreMailed(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	f.messages()
	for i := range 21 {
		if code, page := ann.do("people", "email", fmt.Sprintf("p%d@example.com", i), "role", people.Viewer); code != http.StatusOK || !strings.Contains(page, "token=") {
			t.Fatalf("invitation %d is answered %d", i, code)
		}
	}
	if got := f.messages(); len(got) != 20 || slices.Contains(got, "mail:p20@example.com You are invited") {
		t.Errorf("mailed are %v", got)
	}
}
