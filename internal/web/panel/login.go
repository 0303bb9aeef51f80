package panel

import (
	"errors"
	"net/http"

	"causeway/internal/login"
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// entrance is the content of the pages before a login.
type entrance struct {
	Title string
	To    string // where to go on
	Wrong string
	Email string
	Code  bool // the code is asked for

	Passkeys  bool // there are passkeys here
	ByPasskey bool // a passkey was tried

	Token   string
	Name    string
	Invited *people.Invited // an invitation is accepted
	Reset   bool            // a new password is set by a link
}

// loginPage asks for e-mail address and password, or for the code when these were right.
func (p *Panel) loginPage(w http.ResponseWriter, r *http.Request) {
	to := room.Inside(r.URL.Query().Get("to"), Prefix)
	v, err := p.known(r)
	switch {
	case err == nil && v.session.Passed:
		http.Redirect(w, r, to, http.StatusSeeOther)
	case err != nil && !errors.Is(err, pay.ErrNotFound):
		p.failed(w, r, err)
	default:
		p.entrance(w, http.StatusOK, entrance{To: to, Code: err == nil && people.Waits(v.session)})
	}
}

func (p *Panel) entrance(w http.ResponseWriter, status int, e entrance) {
	if e.Title == "" {
		e.Title = "Log in"
	}
	e.Passkeys = p.desk.Passkeys != nil
	p.write(w, status, "login.html", e)
}

// login takes e-mail address and password. A new login ends the one that the browser had before.
func (p *Panel) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, largestForm)
	email, to := r.PostFormValue("email"), room.Inside(r.PostFormValue("to"), Prefix)
	person, err := p.desk.Login(r.Context(), email, r.PostFormValue("password"), p.Visitors.Origin(r))
	if err == nil {
		err = p.endEarlier(r)
	}
	if err == nil {
		err = p.letIn(w, r, person, people.Entry{})
	}
	switch {
	case err != nil:
		p.notIn(w, r, err, entrance{To: to, Email: email})
	case person.TOTP != nil:
		http.Redirect(w, r, room.Query(Prefix+"login", "to", to), http.StatusSeeOther)
	default:
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
}

// endEarlier ends the login under the cookie that the browser has now: nobody could end it from this browser any more.
func (p *Panel) endEarlier(r *http.Request) error {
	v, err := p.known(r)
	if err == nil {
		err = p.desk.EndSession(r.Context(), v.Person, v.session.ID)
	}
	if errors.Is(err, pay.ErrNotFound) {
		return nil
	}
	return err
}

// letIn begins a session under a new cookie. By says how the person has come in.
func (p *Panel) letIn(w http.ResponseWriter, r *http.Request, person *store.Person, by people.Entry) error {
	token, e := room.NewToken(), by
	e.Session, e.Address, e.Agent = room.HashOf(token), p.Visitors.Origin(r), room.Clean(r.UserAgent())
	if err := p.desk.LetIn(r.Context(), person, e); err != nil {
		return err
	}
	p.cookies.Set(w, r, sessionCookie, token, people.LongestTime)
	return nil
}

// loginCode takes the code after the password. It ends the waiting login, and begins another one under a new cookie.
func (p *Panel) loginCode(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, largestForm)
	to := room.Inside(r.PostFormValue("to"), Prefix)
	waiting, err := p.known(r)
	if err != nil || !people.Waits(waiting.session) {
		http.Redirect(w, r, room.Query(Prefix+"login", "to", to), http.StatusSeeOther)
		return
	}
	err = p.desk.PassCode(r.Context(), waiting.Person.Email, r.PostFormValue("code"), p.Visitors.Origin(r))
	if err == nil {
		err = p.letIn(w, r, waiting.Person, people.Entry{Waited: waiting.session.Hash})
	}
	if err != nil {
		p.notIn(w, r, err, entrance{To: to, Code: true})
		return
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// notIn says why nobody was let in.
func (p *Panel) notIn(w http.ResponseWriter, r *http.Request, err error, e entrance) {
	status := http.StatusUnauthorized
	why, refused := refusal(err)
	switch {
	case refused:
		e.Wrong, status = why+".", http.StatusUnprocessableEntity
	case errors.Is(err, login.ErrTooOften):
		e.Wrong, status = "Too many failed logins. Try again in 15 minutes.", http.StatusTooManyRequests
	case errors.Is(err, people.ErrLocked):
		e.Wrong, e.Code = "You are locked after too many wrong codes. The operator of this service can unlock you.", false
	case errors.Is(err, people.ErrPasskey):
		e.Wrong = "You log in with a passkey: a password alone is not enough."
	case errors.Is(err, people.ErrCopied):
		e.Wrong = "This passkey may have been copied, so it was not accepted. Log in otherwise, and remove it."
	case errors.Is(err, login.ErrNoLogin) && e.ByPasskey:
		e.Wrong = notAccepted
	case errors.Is(err, login.ErrNoLogin) && e.Code:
		e.Wrong = "The code is wrong or was used already. Wait for the next one."
	case errors.Is(err, login.ErrNoLogin) && e.Invited != nil:
		e.Wrong = "The password is wrong."
	case errors.Is(err, login.ErrNoLogin):
		e.Wrong = "The e-mail address or password is wrong."
	default:
		p.failed(w, r, err)
		return
	}
	p.entrance(w, status, e)
}

// logout ends the login. A browser without one is sent to the login as well.
func (p *Panel) logout(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, largestForm)
	if v, err := p.known(r); err == nil && (room.SameToken(r.PostFormValue("csrf"), v.CSRF) || !v.session.Passed) {
		if err := p.desk.EndSession(r.Context(), v.Person, v.session.ID); err != nil && !errors.Is(err, pay.ErrNotFound) {
			p.failed(w, r, err)
			return
		}
		p.cookies.Set(w, r, sessionCookie, "", 0)
	}
	http.Redirect(w, r, Prefix+"login", http.StatusSeeOther)
}
