package console_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"causeway/internal/ops/admin"
)

// board is the guarded dashboard of the queues. It counts the requests passed to it.
func (d *desk) board(passed *atomic.Int64) http.Handler {
	return d.console.Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		passed.Add(1)
		_, _ = io.WriteString(w, "the queues")
	}), admin.RoleOperator)
}

// send asks a handler with the login of a person.
func (p *person) send(h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	p.d.t.Helper()
	request := httptest.NewRequestWithContext(p.d.t.Context(), method, p.d.url+path, nil)
	for _, cookie := range p.http.Jar.Cookies(request.URL) {
		request.AddCookie(cookie)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, request)
	return answer
}

// onQueues returns the audit's rows of queues, oldest first.
func (d *desk) onQueues() []string {
	d.t.Helper()
	var out []string
	must(d.t, d.db.NewRaw(`select concat_ws(' ', actor, action, subject, after->>'method', after->>'path') from audit
		where subject ~ '^queue' order by id`).Scan(d.t.Context(), &out))
	return out
}

// Changes of a queue or its tasks are in the audit. Looks and refusals are not.
//
// Covers operator §Console: Every act is one that
func TestActsOnQueuesAreAudited(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleOperator)
	d.operator("vic", admin.RoleViewer)
	ann, vic := d.person(), d.person()
	ann.login("ann", password)
	vic.login("vic", password)
	var passed atomic.Int64
	board := d.board(&passed)
	const queue = "/queues/api/queues/signing"
	for _, act := range [][2]string{{"POST", queue + ":pause"}, {"POST", queue + ":resume"}, {"DELETE", queue},
		{"DELETE", queue + "/pending_tasks:delete_all"}, {"DELETE", queue + "/retry_tasks/payout:send"}, {"POST", queue + "/retry_tasks/a:b:run"},
		{"POST", queue + "/groups/g/aggregating_tasks:batch_run"}, {"POST", "/queues/api/queues/odd%00%FF:pause"}, {"PATCH", "/queues/"}} {
		if status := ann.send(board, act[0], act[1]).Code; status != http.StatusOK {
			t.Errorf("%s %s is answered %d", act[0], act[1], status)
		}
	}
	for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
		if status := vic.send(board, method, queue).Code; status != http.StatusOK {
			t.Errorf("a viewer's %s is answered %d", method, status)
		}
	}
	if status := vic.send(board, "POST", queue+":pause").Code; status != http.StatusForbidden {
		t.Errorf("a viewer's act is answered %d", status)
	}
	if status := ann.send(board, "POST", queue+":pause", "Sec-Fetch-Site", "same-site").Code; status != http.StatusForbidden {
		t.Errorf("an act from another site is answered %d", status)
	}
	if n := passed.Load(); n != 12 {
		t.Errorf("%d requests passed", n)
	}
	want := []string{
		"ann queue.pause queue:signing POST " + queue + ":pause",
		"ann queue.resume queue:signing POST " + queue + ":resume",
		"ann queue.delete queue:signing DELETE " + queue,
		"ann task.delete queue:signing DELETE " + queue + "/pending_tasks:delete_all",
		"ann task.delete queue:signing DELETE " + queue + "/retry_tasks/payout:send",
		"ann task.run queue:signing POST " + queue + "/retry_tasks/a:b:run",
		"ann task.batch_run queue:signing POST " + queue + "/groups/g/aggregating_tasks:batch_run",
		"ann queue.pause queues POST /queues/api/queues/odd%00%FF:pause",
		"ann queue.patch queues PATCH /queues/",
	}
	if got := d.onQueues(); !slices.Equal(got, want) {
		t.Errorf("the audit has\n%s\nand not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// An act is not done if it cannot be audited.
//
// Covers operator §Console: Every act is one that
func TestAnActOnAQueueThatCannotBeAuditedIsNotDone(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleOperator)
	ann := d.person()
	ann.login("ann", password)
	d.exec("alter table audit add check (subject !~ '^queue') not valid")
	var passed atomic.Int64
	board := d.board(&passed)
	if status := ann.send(board, "POST", "/queues/api/queues/signing:pause").Code; status != http.StatusInternalServerError || passed.Load() != 0 {
		t.Errorf("%d, and %d requests passed", status, passed.Load())
	}
	if status := ann.send(board, "GET", "/queues/").Code; status != http.StatusOK {
		t.Errorf("who looks is answered %d", status)
	}
}

// A browser on TLS is told to stay with it, and no other is.
func TestBrowsersStayWithTLS(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	login := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.PostForm = map[string][]string{"name": {"ann"}, "password": {password}}
		d.console.ServeHTTP(w, r)
	})
	for proto, want := range map[string]string{"": "", "http": "", "https": "max-age=31536000"} {
		for name, answer := range map[string]*httptest.ResponseRecorder{
			"who has no login": d.person().send(d.console, "GET", "/console/", "X-Forwarded-Proto", proto),
			"a login":          d.person().send(login, "POST", "/console/login", "X-Forwarded-Proto", proto),
			"the queues":       d.person().send(d.board(new(atomic.Int64)), "GET", "/queues/", "X-Forwarded-Proto", proto),
		} {
			if got := answer.Header().Get("Strict-Transport-Security"); got != want || answer.Code != http.StatusSeeOther {
				t.Errorf("over %q %s is answered %d with %q", proto, name, answer.Code, got)
			}
		}
	}
}
