package console_test

import (
	"strings"
	"testing"

	"causeway/internal/ops/admin"
)

// The console says whether two people approve a payout, and names the first. The first is offered no second approval, and gets none.
//
// Covers operator §Console: The first of two people
func TestTheConsoleAsksASecondPerson(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.exec("insert into two_people (above) values (1)")
	d.operator("ann", admin.RoleOperator)
	d.operator("bob", admin.RoleOperator)
	ann, bob := d.person(), d.person()
	ann.login("ann", password)
	bob.login("bob", password)
	d.payin()
	payout := d.payout("large", "2")
	d.work()
	path := "payouts/" + payout.ID.String()
	if _, page := ann.get("/console/approvals"); !strings.Contains(page, "Two people must approve it.") {
		t.Error("the list does not say that two people approve")
	}
	if _, page := ann.do(path + "/approve"); !strings.Contains(page, "Your approval was saved.") {
		t.Error("the first is not told that a second person has to approve")
	}
	if _, page := ann.get("/console/" + path); !strings.Contains(page, "Two people must approve it, and ann has.") || strings.Contains(page, path+"/approve") {
		t.Error("the first is offered to approve again")
	}
	if _, page := ann.do(path + "/approve"); !strings.Contains(page, "needs a second person") {
		t.Error("the first approves twice")
	}
	if _, rows := bob.file("approvals?format=csv"); len(rows) != 1 || rows[0]["two_people"] != "true" || rows[0]["first_by"] != "ann" {
		t.Errorf("the file says %v", rows)
	}
	if _, page := bob.do(path + "/approve"); !strings.Contains(page, "and is being signed") {
		t.Error("the second does not approve")
	}
	if _, page := bob.get("/console/" + path); !strings.Contains(page, "approved by ann and bob") {
		t.Error("the payout does not name both")
	}
}

// While two people approve, one admin can neither make a second person nor change a payout's worth in the console.
//
// Covers operator §Console: While there is such an amount
func TestOneAdminIsNotTwoPeople(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	d.operator("bob", admin.RoleOperator)
	p := d.person()
	p.login("ann", password)
	p.do("operators/bob/disable")
	d.exec("insert into two_people (above) values (1)")
	for path, form := range map[string][]string{
		"operators":            {"name", "carl", "role", admin.RoleOperator, "password", password},
		"operators/bob/enable": nil,
		"prices":               {"base", "USDT", "quote", "USD", "price", "0.0001"},
	} {
		if _, page := p.do(path, form...); !strings.Contains(page, "while two people approve large payouts") {
			t.Errorf("%s is done", path)
		}
	}
	d.exec("delete from two_people")
	if _, page := p.do("operators/bob/enable"); !strings.Contains(page, "bob can log in again") {
		t.Error("one is enough, and bob is not enabled")
	}
}
