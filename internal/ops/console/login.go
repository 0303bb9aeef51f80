package console

import (
	"errors"
	"net/http"
	"time"

	"causeway/internal/ops/admin"
	"causeway/internal/web/room"
)

// entrance is the content of the login pages.
type entrance struct {
	Title    string
	To       string // where to go on
	Wrong    string
	Name     string
	Code     bool // the code is asked for
	Started  bool // there are operators
	Closed   bool // and before, nothing else of the port is open
	First    bool // the first operator is made, by a link
	Token    string
	DemoName string
	DemoPass string
}

// loginPage asks for name and password, or for the code when these were right.
func (c *Console) loginPage(w http.ResponseWriter, r *http.Request) {
	v, err := c.known(r)
	if err == nil && v.session.Passed {
		http.Redirect(w, r, room.Inside(r.URL.Query().Get("to"), Prefix), http.StatusSeeOther)
		return
	}
	c.entrance(w, r, http.StatusOK, entrance{To: r.URL.Query().Get("to"), Code: err == nil && time.Since(v.session.CreatedAt) < codeTime})
}

func (c *Console) entrance(w http.ResponseWriter, r *http.Request, status int, e entrance) {
	started, err := c.Started(r.Context())
	if err != nil {
		c.failed(w, r, err)
		return
	}
	e.Title, e.Started, e.Closed, e.To = "Log in", started, c.LiveBooks, room.Inside(e.To, Prefix)
	if c.Demo != nil {
		e.DemoName, e.DemoPass = c.Demo()
	}
	c.write(w, status, "login.html", e)
}

// login takes name and password. A new login replaces whatever the browser had before.
func (c *Console) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, largestForm)
	name, password, to := r.PostFormValue("name"), r.PostFormValue("password"), r.PostFormValue("to")
	a := &admin.Admin{Store: c.Store, Vault: c.Vault, Actor: name}
	o, err := a.Login(r.Context(), name, password, c.Origin(r))
	if err != nil {
		c.notIn(w, r, err, entrance{To: to, Name: name})
		return
	}
	token := room.NewToken()
	if err := a.LetIn(r.Context(), o, room.HashOf(token), nil, c.Origin(r)); err != nil {
		c.notIn(w, r, err, entrance{To: to, Name: name})
		return
	}
	c.cookies.Set(w, r, sessionCookie, token, longestTime)
	if o.TOTP != nil {
		http.Redirect(w, r, Prefix+"login?to="+escape(room.Inside(to, Prefix)), http.StatusSeeOther)
		return
	}
	http.Redirect(w, r, room.Inside(to, Prefix), http.StatusSeeOther)
}

// loginCode takes the code after the password. It ends the waiting login, and begins another one under a new cookie.
func (c *Console) loginCode(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, largestForm)
	waiting, err := c.known(r)
	to := r.PostFormValue("to")
	if err != nil || waiting.session.Passed || time.Since(waiting.session.CreatedAt) > codeTime {
		http.Redirect(w, r, Prefix+"login?to="+escape(room.Inside(to, Prefix)), http.StatusSeeOther)
		return
	}
	if err := waiting.PassCode(r.Context(), waiting.Name, r.PostFormValue("code"), c.Origin(r)); err != nil {
		c.notIn(w, r, err, entrance{To: to, Code: true})
		return
	}
	token := room.NewToken()
	if err := waiting.LetIn(r.Context(), waiting.session.Operator, room.HashOf(token), waiting.session.Hash, c.Origin(r)); err != nil {
		c.notIn(w, r, err, entrance{To: to})
		return
	}
	c.cookies.Set(w, r, sessionCookie, token, longestTime)
	http.Redirect(w, r, room.Inside(to, Prefix), http.StatusSeeOther)
}

// notIn says why nobody was let in.
func (c *Console) notIn(w http.ResponseWriter, r *http.Request, err error, e entrance) {
	switch {
	case errors.Is(err, admin.ErrTooOften):
		e.Wrong = "Too many failed logins. Try again in 15 minutes."
		c.entrance(w, r, http.StatusTooManyRequests, e)
	case errors.Is(err, admin.ErrLocked):
		e.Wrong, e.Code = "This operator is locked after too many wrong codes. Another admin can unlock it.", false
		c.entrance(w, r, http.StatusUnauthorized, e)
	case errors.Is(err, admin.ErrNoLogin) && e.Code:
		e.Wrong = "The code is wrong or was used already. Wait for the next one."
		c.entrance(w, r, http.StatusUnauthorized, e)
	case errors.Is(err, admin.ErrNoLogin):
		e.Wrong = "The name or password is wrong."
		c.entrance(w, r, http.StatusUnauthorized, e)
	default:
		c.failed(w, r, err)
	}
}

// logout ends the login. A browser without one is sent to the login as well.
func (c *Console) logout(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, largestForm)
	if v, err := c.known(r); err == nil && (v.ours(r.PostFormValue("csrf")) || !v.session.Passed) {
		if err := v.LoggedOut(r.Context(), v.session.Hash); err != nil {
			c.failed(w, r, err)
			return
		}
		c.cookies.Set(w, r, sessionCookie, "", 0)
	}
	http.Redirect(w, r, Prefix+"login", http.StatusSeeOther)
}
