package panel

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"causeway/internal/login"
	"causeway/internal/people"
	"causeway/internal/web/room"
)

// proofField is the name of the field with the password or the code.
const proofField = "proof"

// proves reports whether the person may do an act now: with a code where the act takes one, and with a fresh proof where it takes one.
// Otherwise it has answered the request, and where a proof is missing it asks for one and sends the form's values again.
func (p *Panel) proves(w http.ResponseWriter, r *http.Request, v *visit, a act) bool {
	if a.code != nil && a.code(v) && v.Person.TOTP == nil {
		p.problem(w, r, http.StatusForbidden, "A login code is needed",
			"This moves money or lets someone do so. Set up a code from an authenticator app on your own page first.")
		return false
	}
	if a.code != nil && a.code(v) && !v.member.Settled {
		p.problem(w, r, http.StatusForbidden, "Your login code is new", "A new code moves no money of "+v.Called+" before "+room.MomentOr(v.member.SettlesAt)+
			" UTC. Another owner can confirm it earlier on the page \"People\", and so can the operator of this service.")
		return false
	}
	if a.proof == nil || !a.proof(v) || v.session.Fresh {
		return true
	}
	wrong := ""
	if r.PostForm.Has(proofField) {
		err := p.desk.Prove(r.Context(), v.Person, r.PostForm.Get(proofField), p.Visitors.Origin(r), v.session.Hash)
		switch {
		case err == nil:
			return true
		case errors.Is(err, login.ErrNoLogin) && v.Person.TOTP != nil:
			wrong = "The code is wrong or was used already. Wait for the next one."
		case errors.Is(err, login.ErrNoLogin):
			wrong = "The password is wrong."
		case errors.Is(err, login.ErrTooOften), errors.Is(err, people.ErrLocked):
			wrong = err.Error() + "."
		default:
			p.failed(w, r, err)
			return false
		}
	}
	p.show(w, r, v, askProof(v, wrong), http.StatusForbidden)
	return false
}

// always takes a proof, whatever the form says.
func always(*visit) bool { return true }

// askProof is a page asking for the password, or for a code where the person logs in with one.
func askProof(v *visit, wrong string) *room.Page {
	asked := room.Field{Name: proofField, Label: "Password", Kind: "password", Required: true, Auto: "current-password"}
	if v.Person.TOTP != nil {
		asked = room.Field{Name: proofField, Label: "Code", Kind: "text", Required: true, Auto: "one-time-code"}
	}
	f := room.Form{Action: v.URL.Path, Verb: "Continue", Back: back(v.Request),
		Fields: append([]room.Field{{Kind: "user", Value: v.Person.Email}, asked}, again(v)...)}
	made := &room.Page{Title: "Confirm that it is you", Parts: []room.Part{{
		Note:  "This act changes who can reach your money. Enter your " + strings.ToLower(asked.Label) + " again; it is valid for five minutes.",
		Forms: []room.Form{f}}}}
	if wrong != "" {
		made.Parts = append([]room.Part{{Note: wrong, Mood: "bad"}}, made.Parts...)
	}
	return made
}

// again are the values of a form as hidden fields.
func again(v *visit) (out []room.Field) {
	for _, name := range slices.Sorted(maps.Keys(v.PostForm)) {
		if name == proofField || name == "csrf" || name == "back" {
			continue
		}
		for _, value := range v.PostForm[name] {
			out = append(out, room.Field{Name: name, Kind: "hidden", Value: value})
		}
	}
	return out
}
