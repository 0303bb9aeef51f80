package panel_test

import (
	"net/http"
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
