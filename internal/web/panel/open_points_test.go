package panel_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"causeway/internal/ops/admin"
	"causeway/internal/people"
)

// Two owners who remove each other at once leave one of them.
func TestOneOwnerIsLeft(t *testing.T) {
	t.Parallel()
	f := open(t)
	both := []*person{f.member(f.shop, "ann@example.com", people.Owner), f.member(f.shop, "bob@example.com", people.Owner)}
	forms := [][]string{{"email", both[1].email}, {"email", both[0].email}}
	var wait sync.WaitGroup
	for i, p := range both {
		act := &admin.Admin{Store: f.panelStore, Actor: people.Actor(p.email)}
		wait.Go(func() { _ = act.RemovePerson(t.Context(), f.shop, forms[i][1]) })
	}
	wait.Wait()
	all, err := f.admin.People(t.Context(), f.shop)
	f.must(err)
	if len(all.People) != 1 || all.People[0].Role != people.Owner {
		t.Fatalf("%+v are left", all.People)
	}
	last := &admin.Admin{Store: f.panelStore, Actor: people.Actor("somebody@example.com")}
	if err := last.SetPersonRole(t.Context(), f.shop, all.People[0].Email, people.Viewer); err == nil || !strings.Contains(err.Error(), "no owner") {
		t.Errorf("the last owner becomes a viewer: %v", err)
	}
	f.must(f.admin.RemovePerson(t.Context(), f.shop, all.People[0].Email))
}

// A new login in the same browser ends the one before, whoever it was.
func TestANewLoginEndsTheOneBefore(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	f.member(f.shop, "bob@example.com", people.Viewer)
	ann.email = "bob@example.com"
	if got := ann.login(password); got != http.StatusSeeOther {
		t.Fatalf("the login is answered %d", got)
	}
	var left int
	f.must(f.db.NewRaw("select count(*) from person_sessions s join people p on p.id = s.person_id where p.email = 'ann@example.com'").Scan(t.Context(), &left))
	if left != 0 {
		t.Errorf("%d logins of the one before are left", left)
	}
	if got := f.audited(f.shop); strings.Count(strings.Join(got, ","), "person:ann@example.com person.logout") > 1 {
		t.Errorf("audited %q", got)
	}
}

// A link begins with the service's address, whatever the request calls its host.
func TestLinksHaveTheServicesAddress(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	if _, page := ann.do("people", "email", "eve@example.com", "role", people.Viewer); !strings.Contains(page, "https://pay.example/panel/invitation?token=") {
		t.Errorf("the link is %s", page)
	}
}

// A key shows as expired from the moment on from which the API refuses it.
func TestAnExpiredKeyIsShown(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	_, err := f.admin.CreateKey(t.Context(), admin.NewKey{Merchant: f.shop})
	f.must(err)
	if _, page := ann.get("developers"); strings.Contains(page, "expired") {
		t.Errorf("a fresh key shows as %s", page)
	}
	_, err = f.db.NewRaw("update keys set expires_at = now()").Exec(t.Context())
	f.must(err)
	if _, page := ann.get("developers"); !strings.Contains(page, "expired") {
		t.Errorf("an expired key shows as %s", page)
	}
}

// A webhook is sent again once while the repetition is still to go out, and 100 are within an hour.
func TestSendingAgainHasALimit(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.fund(f.shop, "100")
	d := f.delivery(f.shop, f.payout(f.shop, "mine", "10").ID)
	dev := f.member(f.shop, "dev@example.com", people.Developer)
	path := "webhooks/" + d.ID.String() + "/redeliver"
	if _, page := dev.do(path); !strings.Contains(page, "will be sent again") {
		t.Fatalf("the first is answered %s", page)
	}
	if _, page := dev.do(path); !strings.Contains(page, "already") {
		t.Errorf("the second is answered %s", page)
	}
	_, err := f.db.NewRaw("update deliveries set status = 'delivered' where redelivery_of is not null").Exec(t.Context())
	f.must(err)
	_, err = f.db.NewRaw(`insert into deliveries (id, merchant_id, subject, event, url, body, redelivery_of, status)
		select gen_random_uuid(), merchant_id, subject, event, url, body, id, 'delivered' from deliveries, generate_series(1, 99) where redelivery_of is null`).Exec(t.Context())
	f.must(err)
	if _, page := dev.do(path); !strings.Contains(page, "too many webhooks were sent again") {
		t.Errorf("the 101st is answered %s", page)
	}
	if got := f.audited(f.shop); strings.Count(strings.Join(got, ","), "webhook.redeliver") != 1 {
		t.Errorf("audited %q", got)
	}
}

// A new code moves no money for a day, unless another owner with an older code confirms it, for the own merchant alone.
func TestANewCodeMovesNoMoney(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	f.member(f.other, "eve@example.com", people.Owner)
	bob := f.member(f.shop, "bob@example.com", people.Finance)
	if code, _ := f.stranger(bob.email).accept(f.invited(f.other, bob.email, people.Finance)); code != http.StatusSeeOther {
		t.Fatalf("bob joins the other merchant: %d", code)
	}
	bob.newCode()
	bob.do("merchant", "merchant", f.shop.String())
	for _, path := range []string{"withdraw/check", "withdraw"} {
		if code, page := bob.do(path, asked...); code != http.StatusForbidden || !strings.Contains(page, "login code is new") {
			t.Errorf("%s with a new code is answered %d %s", path, code, page)
		}
	}
	if _, page := bob.get("withdraw"); !strings.Contains(page, "moves no money of Shop") || strings.Contains(page, `name="amount"`) {
		t.Errorf("the form is shown before it can be used: %s", page)
	}
	if _, page := ann.do("people/trust", "email", bob.email); !strings.Contains(page, "A login code is needed") {
		t.Errorf("an owner without a code confirms: %s", page)
	}
	ann.newCode()
	if _, page := ann.do("people/trust", "email", bob.email); !strings.Contains(page, "login code is new") {
		t.Errorf("an owner with a new code confirms: %s", page)
	}
	f.settle(ann.email)
	for _, path := range []string{"withdraw", "deposit"} {
		if _, page := ann.get(path); !strings.Contains(page, `<select name="what" required><option value="">choose`) {
			t.Errorf("%s has chosen for the person: %s", path, page)
		}
	}
	if _, page := ann.do("people/trust", "email", ann.email); !strings.Contains(page, "another owner") {
		t.Errorf("an owner confirms themselves: %s", page)
	}
	if _, page := ann.do("people/trust", "email", bob.email); !strings.Contains(page, "can move money") {
		t.Errorf("confirming is answered %s", page)
	}
	if code, page := bob.do("withdraw/check", asked...); code != http.StatusOK {
		t.Errorf("after it the check is answered %d %s", code, page)
	}
	bob.do("merchant", "merchant", f.other.String())
	if code, page := bob.do("withdraw/check", asked...); code != http.StatusForbidden {
		t.Errorf("for the other merchant the check is answered %d %s", code, page)
	}
	f.settle(bob.email)
	if code, page := bob.do("withdraw/check", asked...); code != http.StatusOK {
		t.Errorf("a day later the check is answered %d %s", code, page)
	}
	f.must(f.admin.TrustPerson(t.Context(), f.other, bob.email))
	if err := f.admin.TrustPerson(t.Context(), f.other, ann.email); err == nil {
		t.Error("somebody else's person is confirmed")
	}
}

// A link sets a new password, once. The code of before is gone, and the next one is a new one.
func TestALinkForANewPassword(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	bob := f.member(f.shop, "bob@example.com", people.Finance)
	bob.coded()
	made := func() string {
		t.Helper()
		_, page := ann.do("people/reset", "email", bob.email)
		_, link, found := strings.Cut(page, "https://pay.example/panel/reset?token=")
		if !found {
			t.Fatalf("no link on %s", page)
		}
		token, _, _ := strings.Cut(link, `"`)
		return strings.TrimSuffix(strings.Fields(token)[0], "</span>")
	}
	older := made()
	token := made()
	if code, _ := bob.get(""); code != http.StatusOK {
		t.Errorf("a link that nobody has used ends a login: %d", code)
	}
	at := f.stranger(bob.email)
	set := func(token, pass string) int {
		t.Helper()
		code, _, _ := at.ask(http.MethodPost, "reset", url.Values{"token": {token}, "password": {pass}})
		return code
	}
	if code := set(older, password+"2"); code != http.StatusNotFound {
		t.Errorf("an older link is answered %d", code)
	}
	if code := set(token, "short"); code != http.StatusUnprocessableEntity {
		t.Errorf("a short password is answered %d", code)
	}
	if code, page := at.get("reset?token=" + token); code != http.StatusOK || !strings.Contains(page, "Set a new password") {
		t.Errorf("the link shows %d %s", code, page)
	}
	if code := set(token, password+"2"); code != http.StatusSeeOther {
		t.Fatalf("the link is answered %d", code)
	}
	if code := set(token, password+"3"); code != http.StatusNotFound {
		t.Errorf("the link again is answered %d", code)
	}
	if code, _ := bob.get(""); code != http.StatusSeeOther {
		t.Errorf("the older login shows %d", code)
	}
	if code := at.login(password); code != http.StatusUnauthorized {
		t.Errorf("the older password is answered %d", code)
	}
	if code := at.login(password + "2"); code != http.StatusSeeOther {
		t.Errorf("the new password is answered %d", code)
	}
	if code, page := at.do("withdraw/check", asked...); code != http.StatusForbidden || !strings.Contains(page, "login code is needed") {
		t.Errorf("without a code the check is answered %d %s", code, page)
	}
}

// An owner's link ends with what let the owner make it, and is none for a person of other merchants.
func TestALinkIsNoWayIntoOtherMerchants(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.member(f.shop, "ann@example.com", people.Owner)
	bob := f.member(f.shop, "bob@example.com", people.Finance)
	owner := &admin.Admin{Store: f.panelStore, Vault: f.admin.Vault, Actor: people.Actor("ann@example.com")}
	desk := &people.Desk{Store: f.panelStore}
	link := func() string {
		t.Helper()
		made, err := owner.ResetMember(t.Context(), f.shop, bob.email)
		f.must(err)
		_, token, _ := strings.Cut(made.Path, "token=")
		return token
	}
	good := func(token string) bool { _, err := desk.Reset(t.Context(), token); return err == nil }
	token := link()
	if !good(token) {
		t.Error("a fresh link is not good")
	}
	f.must(f.admin.SetPersonRole(t.Context(), f.shop, "ann@example.com", people.Viewer))
	if good(token) {
		t.Error("the link of an owner who is none any more is good")
	}
	f.must(f.admin.SetPersonRole(t.Context(), f.shop, "ann@example.com", people.Owner))
	token = link()
	if code, _ := f.stranger(bob.email).accept(f.invited(f.other, bob.email, people.Finance)); code != http.StatusSeeOther {
		t.Fatalf("bob joins the other merchant: %d", code)
	}
	if good(token) {
		t.Error("the link lets an owner into another merchant")
	}
	if _, err := owner.ResetMember(t.Context(), f.shop, bob.email); err == nil || !strings.Contains(err.Error(), "other merchants") {
		t.Errorf("a link for a person of two merchants: %v", err)
	}
	if _, err := owner.ResetMember(t.Context(), f.other, "ann@example.com"); err == nil {
		t.Error("a link for a person of another merchant")
	}
	made, err := f.admin.ResetPerson(t.Context(), bob.email)
	f.must(err)
	_, operators, _ := strings.Cut(made.Path, "token=")
	_, err = f.db.NewRaw("update person_resets set made_at = now() - interval '1 day' where ended_at is null").Exec(t.Context())
	f.must(err)
	if good(operators) {
		t.Error("a link of yesterday is good")
	}
}
