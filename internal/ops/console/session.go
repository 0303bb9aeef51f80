package console

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// How long a login lasts: without being used, and at most.
const (
	idleTime    = 30 * time.Minute
	longestTime = 12 * time.Hour
	codeTime    = 5 * time.Minute // between the password and the code
	proofTime   = 5 * time.Minute // how long a password or a code stands for acts in need of a fresh one
)

// The cookies.
const (
	sessionCookie = "causeway-console"
	flashCookie   = "causeway-flash"
)

// visit is one request of an operator logged in.
type visit struct {
	*room.Asked
	*admin.Admin
	Name    string
	Role    string
	CSRF    string
	Coded   bool // logs in with a code
	console *Console
	session *store.Session
	waiting *store.WaitingCounts // once they are asked for
}

// May reports whether the operator has the rights of a role.
func (v *visit) May(role string) bool { return admin.MayAct(v.Role, role) }

// waits counts the matters waiting for a person, once for each request.
func (v *visit) waits(ctx context.Context) (store.WaitingCounts, error) {
	if v.waiting == nil {
		counts, err := v.Store.WaitingCounts(ctx)
		if err != nil {
			return counts, err
		}
		v.waiting = &counts
	}
	return *v.waiting, nil
}

// known returns the visit of a request's sender; pay.ErrNotFound is nobody.
func (c *Console) known(r *http.Request) (*visit, error) {
	token := c.cookies.Get(r, sessionCookie)
	if token == "" {
		return nil, pay.ErrNotFound
	}
	s, err := c.Store.SessionOf(r.Context(), room.HashOf(token), idleTime, longestTime, proofTime)
	if err != nil {
		return nil, err
	}
	return &visit{Asked: &room.Asked{Request: r}, Admin: &admin.Admin{Store: c.Store, Vault: c.Vault, Actor: s.Operator.Name}, Name: s.Operator.Name,
		Role: s.Operator.Role, CSRF: room.CSRFOf(token), Coded: s.Operator.TOTP != nil, console: c, session: s}, nil
}

// Guard lets operators logged in pass to h. Looking takes any role. A change takes the role change, and is in the audit before h
// hears of it. Before there is an operator, everybody passes, and nobody on live books.
func (c *Console) Guard(h http.Handler, change string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		room.Strictly(w, r)
		started, err := c.Started(r.Context())
		if err != nil {
			c.failed(w, r, err)
			return
		}
		if !started && !c.LiveBooks {
			h.ServeHTTP(w, r)
			return
		}
		v, err := c.known(r)
		switch {
		case err == nil && v.session.Passed:
			if !c.sentForCode(w, r, v) && (looks(r) || c.admits(w, r, v, change)) {
				h.ServeHTTP(w, r)
			}
		case err == nil || errors.Is(err, pay.ErrNotFound):
			c.toLogin(w, r)
		default:
			c.failed(w, r, err)
		}
	})
}

// sentForCode sends an admin of live books without a code to take one into use, and reports whether it did.
func (c *Console) sentForCode(w http.ResponseWriter, r *http.Request, v *visit) bool {
	const own = Prefix + "account"
	if !c.lacksCode(v) || r.URL.Path == own || strings.HasPrefix(r.URL.Path, own+"/") {
		return false
	}
	if looks(r) && !strings.Contains(r.URL.Path, "/api/") {
		http.Redirect(w, r, own, http.StatusSeeOther)
	} else {
		http.Error(w, "admins of live books log in with a code: set it up at "+own, http.StatusForbidden)
	}
	return true
}

// lacksCode reports whether an operator has yet to take a code into use.
func (c *Console) lacksCode(v *visit) bool {
	return c.LiveBooks && v.Role == admin.RoleAdmin && !v.Coded
}

// looks reports whether a request changes nothing.
func looks(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions
}

// foreign finds requests sent by a browser for a page of another site: they are no act of its operator.
var foreign = http.NewCrossOriginProtection()

// admits reports whether a change may go on, and then has written it into the audit. Otherwise it has answered the request itself.
func (c *Console) admits(w http.ResponseWriter, r *http.Request, v *visit, change string) bool {
	if !v.May(change) {
		http.Error(w, "your role can view this but not change it", http.StatusForbidden)
		return false
	}
	if err := foreign.Check(r); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return false
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	action, subject := actOf(r)
	err := c.Store.AddAudit(ctx, v.Name, action, subject, nil, map[string]string{"method": r.Method, "path": r.URL.EscapedPath()})
	if err != nil {
		c.failed(w, r, err)
		return false
	}
	return true
}

// The parts of addresses of the queues' dashboard, such as /queues/api/queues/signing/retry_tasks:run_all.
var (
	queueAt = regexp.MustCompile(`^/queues/api/queues/([\w.-]+)(?:$|[/:])(.*_tasks)?`)
	verbAt  = regexp.MustCompile(`:([a-z_]+)$`)
)

// actOf names an act on the queues for the audit: on a queue or on tasks of it, by the verb of the address or by the method.
func actOf(r *http.Request) (action, subject string) {
	action, subject = "queue.", "queues"
	if found := queueAt.FindStringSubmatch(r.URL.Path); found != nil {
		subject = "queue:" + found[1]
		if found[2] != "" {
			action = "task."
		}
	}
	if verb := verbAt.FindStringSubmatch(r.URL.Path); verb != nil && r.Method == http.MethodPost {
		return action + verb[1], subject
	}
	return action + strings.ToLower(r.Method), subject
}

// toLogin sends a browser to the login and back afterwards. It tells a program to log in.
func (c *Console) toLogin(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || strings.Contains(r.URL.Path, "/api/") {
		http.Error(w, "log in at "+Prefix+"login", http.StatusUnauthorized)
		return
	}
	http.Redirect(w, r, Prefix+"login?to="+escape(r.URL.RequestURI()), http.StatusSeeOther)
}

// bounded gives a page's questions to the database a time limit.
func bounded(r *http.Request) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	return r.WithContext(ctx), cancel
}

func (v *visit) ours(token string) bool { return room.SameToken(token, v.CSRF) }
