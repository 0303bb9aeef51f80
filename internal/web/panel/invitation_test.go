package panel_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"causeway/internal/people"
)

// A link makes its holder a person of the merchant in its role, once.
func TestALinkIsGoodOnce(t *testing.T) {
	t.Parallel()
	f := open(t)
	token := f.invited(f.shop, "Ann@Example.com", people.Developer)
	ann := f.stranger("ann@example.com")
	if code, page := ann.get("invitation?token=" + token); code != http.StatusOK || !strings.Contains(page, "Shop &amp; Sons") || !strings.Contains(page, "developer") {
		t.Fatalf("the link shows %d %s", code, page)
	}
	if code, page := ann.accept(token); code != http.StatusSeeOther {
		t.Fatalf("accepting is answered %d %s", code, page)
	}
	if code, _ := f.stranger("ann@example.com").accept(token); code != http.StatusNotFound {
		t.Errorf("the link is taken twice: %d", code)
	}
	if code := ann.login(password); code != http.StatusSeeOther {
		t.Errorf("the login is answered %d", code)
	}
	if code, page := ann.get(""); code != http.StatusOK || !strings.Contains(page, "No balance yet") {
		t.Errorf("the balances are %d %s", code, page)
	}
	if got := strings.Join(f.audited(f.shop), ", "); got != "person:ann@example.com person.join, person:ann@example.com person.login" {
		t.Errorf("the audit has %s", got)
	}
}

// A link is no good after three days, once it is revoked, or with anything else in it.
func TestLinksEnd(t *testing.T) {
	t.Parallel()
	f := open(t)
	late, revoked := f.invited(f.shop, "late@example.com", people.Viewer), f.invited(f.shop, "revoked@example.com", people.Viewer)
	_, err := f.db.NewRaw("update invitations set made_at = now() - interval '3 days 1 second' where email like 'late%'").Exec(t.Context())
	f.must(err)
	all, err := f.admin.People(t.Context(), f.shop)
	f.must(err)
	if len(all.Invitations) != 1 || all.Invitations[0].Email != "revoked@example.com" {
		t.Fatalf("open are %+v", all.Invitations)
	}
	f.must(f.admin.RevokeInvitation(t.Context(), f.shop, all.Invitations[0].ID))
	for _, token := range []string{late, revoked, "", "x", late + "x"} {
		p := f.stranger("late@example.com")
		if code, _ := p.get("invitation?token=" + token); code != http.StatusNotFound {
			t.Errorf("link %q shows %d", token, code)
		}
		if code, _ := p.accept(token); code != http.StatusNotFound {
			t.Errorf("link %q is taken: %d", token, code)
		}
	}
	if all, err = f.admin.People(t.Context(), f.shop); err != nil || len(all.People) > 0 {
		t.Errorf("people are %+v: %v", all.People, err)
	}
}

// Somebody of another merchant joins by their own password; a wrong one is a failed login and leaves the link good.
func TestOnePersonInTwoMerchants(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	token := f.invited(f.other, "ann@example.com", people.Viewer)
	wrong := url.Values{"token": {token}, "password": {"another password"}}
	if code, _, page := ann.ask(http.MethodPost, "invitation", wrong); code != http.StatusUnauthorized || !strings.Contains(page, "password is wrong") {
		t.Fatalf("a wrong password is answered %d %s", code, page)
	}
	if code, page := ann.accept(token); code != http.StatusSeeOther {
		t.Fatalf("the right one is answered %d %s", code, page)
	}
	before := ann.csrf()
	if code, page := ann.do("merchant", "merchant", f.other.String()); code != http.StatusSeeOther || !strings.Contains(page, "another merchant") {
		t.Fatalf("the switch is answered %d %s", code, page)
	}
	if _, page := ann.get("people"); strings.Contains(page, "Make a link") {
		t.Error("a viewer of one merchant is its owner, as of another")
	}
	if got := strings.Join(f.audited(f.other), ", "); got != "person:ann@example.com person.join, person:ann@example.com person.switch" {
		t.Errorf("the other merchant's audit has %s", got)
	}
	ann.do("merchant", "merchant", f.shop.String())
	ann.do("merchant", "merchant", f.other.String())
	if code, _, page := ann.ask(http.MethodPost, "people", url.Values{"csrf": {before}}); code != http.StatusForbidden || !strings.Contains(page, "expired") {
		t.Errorf("a form of one merchant is taken for the other: %d %s", code, page)
	}
}

// The owner invites, changes roles and removes; nobody changes themselves.
func TestAnOwnerHasPeople(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann, bob := f.member(f.shop, "ann@example.com", people.Owner), f.member(f.shop, "bob@example.com", people.Viewer)
	code, page := ann.do("people", "email", "eve@example.com", "role", people.Finance)
	_, link, found := strings.Cut(page, "/panel/invitation?token=")
	if code != http.StatusOK || !found {
		t.Fatalf("the invitation is answered %d %s", code, page)
	}
	token, _, _ := strings.Cut(link, `"`)
	if code, page := f.stranger("eve@example.com").accept(token); code != http.StatusSeeOther {
		t.Errorf("the link is answered %d %s", code, page)
	}
	ann.do("people/role", "email", bob.email, "role", people.Owner)
	if _, page := bob.get("people"); !strings.Contains(page, "Make a link") {
		t.Error("an owner cannot invite")
	}
	if _, page := bob.do("people/role", "email", bob.email, "role", people.Viewer); !strings.Contains(page, "another owner must") {
		t.Errorf("an owner changes their own role: %s", page)
	}
	bob.do("people/role", "email", ann.email, "role", people.Viewer)
	if code, _ := ann.do("people/remove", "email", bob.email); code != http.StatusForbidden {
		t.Errorf("a viewer removes somebody: %d", code)
	}
	bob.do("people/remove", "email", ann.email)
	if code, page := ann.get(""); code != http.StatusForbidden || !strings.Contains(page, "no merchant") {
		t.Errorf("somebody removed sees %d %s", code, page)
	}
	if code, _ := ann.get("account"); code != http.StatusOK {
		t.Errorf("their own page is %d", code)
	}
}

// Nobody comes back by a link from before: neither one made by somebody removed, nor an older one to the same address.
func TestALinkDoesNotOutliveItsMaker(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann, bob := f.member(f.shop, "ann@example.com", people.Owner), f.member(f.shop, "bob@example.com", people.Owner)
	_, page := bob.do("people", "email", "bob2@example.com", "role", people.Owner)
	_, link, _ := strings.Cut(page, "/panel/invitation?token=")
	made, _, _ := strings.Cut(link, `"`)
	older := f.invited(f.shop, "eve@example.com", people.Owner)
	newer := f.invited(f.shop, "eve@example.com", people.Viewer)
	ann.do("people/remove", "email", bob.email)
	for name, token := range map[string]string{"made by somebody removed": made, "older": older} {
		if code, _ := f.stranger("bob2@example.com").accept(token); code != http.StatusNotFound || token == "" {
			t.Errorf("the link %s is answered %d", name, code)
		}
	}
	if code, page := f.stranger("eve@example.com").accept(newer); code != http.StatusSeeOther {
		t.Errorf("the newer link is answered %d %s", code, page)
	}
}
