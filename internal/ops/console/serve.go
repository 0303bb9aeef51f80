package console

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/web/room"
)

// errNoPage means there is nothing at an address.
var errNoPage = errors.New("no such page")

// pageFunc makes a page for an operator logged in.
type pageFunc func(v *visit) (*page, error)

// act is an operator's act: the role it needs, and its function. The function returns a sentence about the act and where to go on,
// or a page of its own for something shown once.
type act struct {
	role string
	do   func(v *visit) (done outcome, err error)
}

type outcome struct {
	said   string
	to     string // below Prefix
	show   *page
	cookie string // of the session from now on; empty for the one of before
}

func escape(text string) string { return url.QueryEscape(text) }

// page answers a page to an operator logged in.
func (c *Console) page(make pageFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, whole *http.Request) {
		r, cancel := bounded(whole)
		defer cancel()
		v, ok := c.enter(w, r)
		if !ok {
			return
		}
		v.All = r.URL.Query().Get("format") == "csv"
		p, err := make(v)
		if err != nil {
			c.failed(w, r, err)
			return
		}
		if v.All && v.Wrong != "" {
			c.problem(w, r, http.StatusBadRequest, "This filter cannot be read", v.Wrong)
			return
		}
		if v.All && p.List != nil {
			c.export(w, whole, p, make)
			return
		}
		c.show(w, r, v, p, http.StatusOK)
	}
}

// enter returns the visit of an operator logged in. Otherwise it has answered the request itself.
func (c *Console) enter(w http.ResponseWriter, r *http.Request) (*visit, bool) {
	v, err := c.known(r)
	switch {
	case err == nil && v.session.Passed:
		return v, !c.sentForCode(w, r, v)
	case err == nil || errors.Is(err, pay.ErrNotFound):
		c.toLogin(w, r)
	default:
		c.failed(w, r, err)
	}
	return nil, false
}

func (c *Console) show(w http.ResponseWriter, r *http.Request, v *visit, p *page, status int) {
	counts, err := v.waits(r.Context())
	if err != nil {
		c.failed(w, r, err)
		return
	}
	p.Visit, p.CSRF, p.At = v, v.CSRF, v.URL.RequestURI()
	p.Menu, p.Flash = c.menu(p.Section, counts), c.cookies.TakeFlash(w, r, flashCookie)
	c.write(w, status, "page.html", p)
}

// largestForm is how many bytes a form has at most.
const largestForm = 64 << 10

// act runs an act for an operator with its role, and shows the result. If needs is true, the operator has given a proof within the
// last minutes, or is asked for one.
func (c *Console) act(a act, needs func(*visit) bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r, cancel := bounded(r)
		defer cancel()
		v, ok := c.enter(w, r)
		if !ok {
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, largestForm)
		if err := r.ParseForm(); err != nil || !v.ours(r.PostForm.Get("csrf")) {
			c.problem(w, r, http.StatusForbidden, "This form has expired", "Go back, reload the page and try again.")
			return
		}
		if !v.May(a.role) {
			c.problem(w, r, http.StatusForbidden, "Your role cannot do this", "This needs the role "+a.role+"; yours is "+v.Role+".")
			return
		}
		if needs != nil && needs(v) && !c.proves(w, r, v) {
			return
		}
		done, err := a.do(v)
		var refused admin.Refusal
		switch {
		case errors.As(err, &refused):
			c.cookies.SetFlash(w, r, flashCookie, flash{Mood: "bad", Text: refused.Error()})
			http.Redirect(w, r, back(r), http.StatusSeeOther)
		case err != nil:
			c.failed(w, r, err)
		case done.show != nil:
			c.show(w, r, v, done.show, http.StatusOK)
		default:
			if done.cookie != "" {
				c.cookies.Set(w, r, sessionCookie, done.cookie, longestTime)
			}
			c.cookies.SetFlash(w, r, flashCookie, flash{Mood: "good", Text: done.said})
			to := back(r)
			if done.to != "" {
				to = Prefix + done.to
			}
			http.Redirect(w, r, to, http.StatusSeeOther)
		}
	}
}

// back is the page a form was on, never one of another site. A form asking for a proof has its own value before the act's.
func back(r *http.Request) string {
	var last string
	for _, last = range r.PostForm["back"] {
	}
	return room.Inside(last, Prefix)
}

// failed answers an error: nothing there, or a failure of ours. Only the log explains a failure.
func (c *Console) failed(w http.ResponseWriter, r *http.Request, err error) {
	var refused admin.Refusal
	switch {
	case errors.As(err, &refused):
		c.problem(w, r, http.StatusNotFound, "Not found", refused.Error()+".")
	case errors.Is(err, errNoPage), errors.Is(err, pay.ErrNotFound):
		c.problem(w, r, http.StatusNotFound, "Not found",
			"There is nothing at this address. Use the search box to find payins, payouts, transfers, wallets and merchants.")
	case errors.Is(r.Context().Err(), context.Canceled):
		c.Log.WithError(err).WithField("path", r.URL.Path).Debug("the client hung up")
		panic(http.ErrAbortHandler)
	default:
		c.Log.WithError(err).WithField("path", r.URL.Path).Error("the console could not answer")
		c.problem(w, r, http.StatusInternalServerError, "Something went wrong",
			"The log says why. Nothing was changed unless the audit log shows it. You can safely reload the page.")
	}
}

func (c *Console) problem(w http.ResponseWriter, r *http.Request, status int, title, text string) {
	p := &page{Title: title, Parts: []part{{Note: text, Mood: "warn"}}}
	if v, err := c.known(r); err == nil && v.session.Passed {
		c.show(w, r, v, p, status)
		return
	}
	c.write(w, status, "plain.html", p)
}
