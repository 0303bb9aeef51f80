package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"causeway/internal/ops/admin"
)

// On live books nothing of the port is open before there is an operator, and the first start has a link to make the first one. The
// link is good once, for a day, and until there is an operator; other books have none.
//
// Covers operator §Console: On live books nothing is open
func TestTheFirstOperatorOfLiveBooks(t *testing.T) {
	t.Parallel()
	d := open(t)
	p := d.person()
	if link, err := d.console.FirstLink(t.Context()); err != nil || link != "" {
		t.Errorf("other books have the link %q, %v", link, err)
	}
	d.console.LiveBooks = true
	if status, to, _ := p.ask(http.MethodGet, "/queues/", nil); status != http.StatusSeeOther || !strings.HasPrefix(to, "/console/login") {
		t.Errorf("the queues answer %d to %s", status, to)
	}
	if _, body := p.get("/console/login"); strings.Contains(body, "are open to whoever reaches it") || !strings.Contains(body, "causeway admin operator create") {
		t.Error("the login does not say what holds on live books")
	}
	old, err := d.console.FirstLink(t.Context())
	must(t, err)
	if again, err := d.console.FirstLink(t.Context()); err != nil || again != "" || old == "" {
		t.Errorf("the first start has %q, the second %q, %v", old, again, err)
	}
	d.exec("update first_operator set made_at = now() - interval '25 hours'")
	if status, _ := p.get(old); status != http.StatusNotFound {
		t.Errorf("after a day the link is answered %d", status)
	}
	link, err := d.console.FirstLink(t.Context())
	must(t, err)
	if status, _ := p.get("/console/first?token=guess"); status != http.StatusNotFound {
		t.Errorf("a guess is answered %d", status)
	}
	status, body := p.get(link)
	if status != http.StatusOK || !strings.Contains(body, "The first operator") {
		t.Fatalf("the link is answered %d", status)
	}
	_, token, _ := strings.Cut(link, "token=")
	make := func(name, pass string) (int, string) {
		status, _, body := d.person().ask(http.MethodPost, "/console/first", url.Values{"token": {token}, "name": {name}, "password": {pass}})
		return status, body
	}
	if status, body := make("ann", "short"); status != http.StatusUnprocessableEntity || !strings.Contains(body, "at least 10") {
		t.Errorf("a short password is answered %d", status)
	}
	var made atomic.Int32
	var together sync.WaitGroup
	for _, name := range []string{"ann", "bob", "eve"} {
		together.Go(func() {
			if status, _ := make(name, password); status == http.StatusSeeOther {
				made.Add(1)
			}
		})
	}
	together.Wait()
	found, err := d.admin.Operators(t.Context())
	must(t, err)
	if made.Load() != 1 || len(found) != 1 || found[0].Role != admin.RoleAdmin {
		t.Errorf("%d were made of one link: %+v", made.Load(), found)
	}
	if status, _ := p.get(link); status != http.StatusNotFound {
		t.Errorf("a link that was used is answered %d", status)
	}
	if link, err := d.console.FirstLink(t.Context()); err != nil || link != "" {
		t.Errorf("with an operator there is the link %q, %v", link, err)
	}
}
