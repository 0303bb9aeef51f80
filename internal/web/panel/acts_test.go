package panel_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/people"
	"causeway/internal/web/panel"
)

// filled is the path of an act or a page with ids that nobody has.
func filled(path string) string {
	path = strings.TrimSuffix(path, "{$}")
	for strings.Contains(path, "{") {
		before, after, _ := strings.Cut(path, "{")
		_, after, _ = strings.Cut(after, "}")
		path = before + uuid.NewString() + after
	}
	return path
}

// Every act is tried by every role, without a token of a form, and without a login.
func TestEveryActByEveryRole(t *testing.T) {
	t.Parallel()
	f := open(t)
	nobody := f.stranger("nobody@example.com")
	for _, role := range people.Roles {
		p := f.member(f.shop, role+"@example.com", role)
		for path, right := range panel.RightOf() {
			if strings.HasPrefix(path, "account/") || path == "merchant" {
				continue // of everybody's own login
			}
			code, page := p.do(filled(path))
			refused := code == http.StatusForbidden && strings.Contains(page, "Your role cannot do this")
			if refused == people.May(role, right) {
				t.Errorf("%s by %s is answered %d", path, role, code)
			}
			if code, _, page := p.ask(http.MethodPost, filled(path), url.Values{"csrf": {"x"}}); code != http.StatusForbidden || !strings.Contains(page, "expired") {
				t.Errorf("%s by %s without a token is answered %d", path, role, code)
			}
		}
	}
	for path := range panel.RightOf() {
		if code, _, _ := nobody.ask(http.MethodPost, filled(path), url.Values{}); code != http.StatusUnauthorized {
			t.Errorf("%s by nobody is answered %d", path, code)
		}
	}
	for _, path := range panel.Paths() {
		if code, to, _ := nobody.ask(http.MethodGet, filled(path), nil); code != http.StatusSeeOther || !strings.HasPrefix(to, "/panel/login?to=") {
			t.Errorf("%s shows %d to nobody", path, code)
		}
	}
}

// The rights are as the documents say.
func TestRights(t *testing.T) {
	t.Parallel()
	want := map[people.Act][]string{
		people.Look: {"owner", "finance", "developer", "viewer"}, people.People: {"owner"}, people.Keys: {"owner", "developer"},
		people.Webhooks: {"owner", "developer"}, people.Withdraw: {"owner", "finance"}, people.Deposit: {"owner", "finance"}, people.Shop: {"owner"},
		people.Embed: {"owner", "developer"},
	}
	for act, roles := range want {
		for _, role := range append(people.Roles, "", "admin") {
			if people.May(role, act) != slices.Contains(roles, role) {
				t.Errorf("%q may %q: %v", role, act, people.May(role, act))
			}
		}
	}
	if people.May(people.Owner, "anything else") {
		t.Error("an act of no kind is somebody's")
	}
}

// What is another merchant's, or another person's, is not there.
func TestWhatIsAnothers(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	bob := f.member(f.other, "bob@example.com", people.Owner)
	f.invited(f.other, "eve@example.com", people.Viewer)
	theirs, err := f.admin.People(t.Context(), f.other)
	f.must(err)
	sessions, err := f.admin.Store.MembershipsOf(t.Context(), uuid.Nil)
	f.must(err)
	if len(sessions) > 0 {
		t.Fatal("nobody acts for a merchant")
	}
	var session string
	f.must(f.db.NewRaw("select s.id from person_sessions s join people p on p.id = s.person_id where p.email = ?", bob.email).Scan(t.Context(), &session))
	for path, fields := range map[string][]string{
		"people/invitations/" + theirs.Invitations[0].ID.String() + "/end": nil,
		"account/sessions/" + session + "/end":                             nil,
		"merchant":                                                         {"merchant", f.other.String()},
	} {
		if code, _ := ann.do(path, fields...); code != http.StatusNotFound {
			t.Errorf("%s is answered %d", path, code)
		}
	}
	for _, path := range []string{"people/role", "people/remove"} {
		if _, page := ann.do(path, "email", bob.email, "role", people.Viewer); !strings.Contains(page, "no person") {
			t.Errorf("%s of another's person says %s", path, page)
		}
	}
	if _, page := ann.get("audit"); strings.Contains(page, "bob@") || !strings.Contains(page, "ann@") {
		t.Errorf("the audit shows %s", page)
	}
	if code, _ := bob.get(""); code != http.StatusOK {
		t.Errorf("the other's session is gone: %d", code)
	}
}

// Pages are nobody's to frame, and a sender of too many requests waits.
func TestHeaders(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	for _, path := range append(panel.Paths(), "login", "invitation?token=x", "reset?token=x", "nothing", "payins?format=csv", "links/{id}/code.svg") {
		response, err := ann.http.Get(f.url + "/panel/" + filled(path))
		f.must(err)
		f.must(response.Body.Close())
		for name, want := range map[string]string{"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin"} {
			if got := response.Header.Get(name); got != want {
				t.Errorf("%s of %s is %q", name, path, got)
			}
		}
	}
	if code, _, _ := f.stranger("x").ask(http.MethodGet, "login", nil, "X-Too-Many", "1"); code != http.StatusTooManyRequests {
		t.Errorf("too many requests are answered %d", code)
	}
	if code, _, _ := f.stranger("x").ask(http.MethodPost, "login", url.Values{}, "Sec-Fetch-Site", "cross-site"); code != http.StatusForbidden {
		t.Errorf("a form of another site is answered %d", code)
	}
}
