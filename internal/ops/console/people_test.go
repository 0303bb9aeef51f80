package console_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"causeway/internal/ops/admin"
	"causeway/internal/people"
)

// An admin invites and removes people of a merchant; a viewer sees who they are, and no link is shown twice.
func TestPeopleOfAMerchant(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	d.operator("bob", admin.RoleViewer)
	ann, bob := d.person(), d.person()
	ann.login("ann", password)
	bob.login("bob", password)
	path := "merchants/" + d.merchant.String()
	status, page := ann.do(path+"/people", "email", "eve@example.com", "role", people.Finance)
	if _, link, found := strings.Cut(page, "/panel/invitation?token="); status != http.StatusOK || !found || len(link) < 43 {
		t.Fatalf("the invitation is answered %d %s", status, page)
	}
	if _, page := bob.get("/console/" + path); !strings.Contains(page, "eve@example.com") || strings.Contains(page, "token=") || strings.Contains(page, "/people/remove") {
		t.Errorf("a viewer sees %s", page)
	}
	for _, act := range []string{"/people", "/people/remove"} {
		if status, _ := bob.do(path+act, "email", "eve@example.com", "role", people.Finance); status != http.StatusForbidden {
			t.Errorf("%s by a viewer is answered %d", act, status)
		}
	}
	if _, page := ann.do(path+"/people/remove", "email", "eve@example.com"); !strings.Contains(page, "was removed") {
		t.Errorf("removing is answered %s", page)
	}
	if all, err := d.admin.People(t.Context(), d.merchant); err != nil || len(all.Invitations) > 0 {
		t.Errorf("invitations are %+v: %v", all, err)
	}
	if got := d.audited(); !slices.Contains(got, "ann person.invite") || !slices.Contains(got, "ann person.uninvite") {
		t.Errorf("audited %q", got)
	}
}

// An admin makes a link for a person who has lost the password, and confirms a new code: of a person of this merchant alone.
func TestLoginsOfPeople(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	d.operator("bob", admin.RoleOperator)
	ann, bob := d.person(), d.person()
	ann.login("ann", password)
	bob.login("bob", password)
	d.exec("insert into people (id, email, name, password, totp, coded_at) values (gen_random_uuid(), 'eve@example.com', 'Eve', '', 'x', now())")
	path := "merchants/" + d.merchant.String()
	for _, act := range []string{"/people/reset", "/people/trust"} {
		if status, _ := bob.do(path+act, "email", "eve@example.com"); status != http.StatusForbidden {
			t.Errorf("%s by an operator is answered %d", act, status)
		}
		if _, page := ann.do(path+act, "email", "eve@example.com"); !strings.Contains(page, "there is no person") {
			t.Errorf("%s of nobody of the merchant is answered %s", act, page)
		}
	}
	d.exec("insert into members (merchant_id, person_id, role) select ?, id, 'owner' from people", d.merchant)
	if _, page := ann.get("/console/" + path); !strings.Contains(page, "moves no money yet") || !strings.Contains(page, "/people/trust") {
		t.Errorf("the page shows %s", page)
	}
	d.exec("update people set passkeys = 2, totp = null")
	if _, page := ann.get("/console/" + path); !strings.Contains(page, "passkeys: 2") {
		t.Errorf("the page shows %s", page)
	}
	d.exec("update people set passkeys = 0, totp = 'x'")
	if status, page := ann.do(path+"/people/reset", "email", "eve@example.com"); status != http.StatusOK || !strings.Contains(page, "/panel/reset?token=") {
		t.Errorf("the link is answered %d %s", status, page)
	}
	if _, page := ann.do(path+"/people/trust", "email", "eve@example.com"); !strings.Contains(page, "from now on") {
		t.Errorf("confirming is answered %s", page)
	}
	if _, page := ann.get("/console/" + path); strings.Contains(page, "/people/trust") {
		t.Errorf("the page still offers it: %s", page)
	}
	if got := d.audited(); !slices.Contains(got, "ann person.reset-link") || !slices.Contains(got, "ann person.trust") {
		t.Errorf("audited %q", got)
	}
}
