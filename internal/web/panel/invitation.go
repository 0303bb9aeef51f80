package panel

import (
	"errors"
	"net/http"

	"causeway/internal/pay"
	"causeway/internal/web/room"
)

// invitationPage shows an invitation whose link is still good.
func (p *Panel) invitationPage(w http.ResponseWriter, r *http.Request) {
	if e, ok := p.invited(w, r, r.URL.Query().Get("token")); ok {
		p.entrance(w, http.StatusOK, e)
	}
}

// accept makes the holder of a link a person of the merchant, and leads to the login.
func (p *Panel) accept(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, largestForm)
	e, ok := p.invited(w, r, r.PostFormValue("token"))
	if !ok {
		return
	}
	e.Name = room.Clean(r.PostFormValue("name"))
	p.entered(w, r, e, p.desk.Accept(r.Context(), e.Token, e.Name, r.PostFormValue("password"), p.Visitors.Origin(r)))
}

// entered leads to the login after a link was used, or says why it was not.
func (p *Panel) entered(w http.ResponseWriter, r *http.Request, e entrance, err error) {
	switch {
	case errors.Is(err, pay.ErrNotFound):
		p.noLink(w, r)
	case err != nil:
		p.notIn(w, r, err, e)
	default:
		http.Redirect(w, r, Prefix+"login", http.StatusSeeOther)
	}
}

// noLinkFor answers the request where a link could not be read, and reports it.
func (p *Panel) noLinkFor(w http.ResponseWriter, r *http.Request, err error) bool {
	if errors.Is(err, pay.ErrNotFound) {
		p.noLink(w, r)
	} else if err != nil {
		p.failed(w, r, err)
	}
	return err != nil
}

// invited reads the invitation of a link. Where there is none, it has answered the request itself.
func (p *Panel) invited(w http.ResponseWriter, r *http.Request, token string) (e entrance, ok bool) {
	found, err := p.desk.Invitation(r.Context(), token)
	if p.noLinkFor(w, r, err) {
		return e, false
	}
	return entrance{Title: "You are invited", Token: token, Email: found.Email, Invited: found}, true
}

func (p *Panel) noLink(w http.ResponseWriter, r *http.Request) {
	p.problem(w, r, http.StatusNotFound, "This link no longer works",
		"It works once, within its time, and until it is revoked. Ask for another one.")
}

// resetPage shows a link for a new password that is still good.
func (p *Panel) resetPage(w http.ResponseWriter, r *http.Request) {
	if e, ok := p.resetOf(w, r, r.URL.Query().Get("token")); ok {
		p.entrance(w, http.StatusOK, e)
	}
}

// reset sets the new password, and leads to the login.
func (p *Panel) reset(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, largestForm)
	e, ok := p.resetOf(w, r, r.PostFormValue("token"))
	if !ok {
		return
	}
	p.entered(w, r, e, p.desk.UseReset(r.Context(), e.Token, r.PostFormValue("password")))
}

// resetOf reads the link of a new password. Where there is none, it has answered the request itself.
func (p *Panel) resetOf(w http.ResponseWriter, r *http.Request, token string) (e entrance, ok bool) {
	found, err := p.desk.Reset(r.Context(), token)
	if p.noLinkFor(w, r, err) {
		return e, false
	}
	return entrance{Title: "Set a new password", Token: token, Email: found.Email, Reset: true}, true
}
