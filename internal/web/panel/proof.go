package panel

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"causeway/internal/login"
	"causeway/internal/people"
	"causeway/internal/web/room"
)

// proofField is the name of the field with the password or the code.
const proofField = "proof"

// proves reports whether the person may do an act now: with a code where the act takes one, and with a fresh proof where it takes one.
// Otherwise it has answered the request, and where a proof is missing it asks for one and sends the form's values again.
func (p *Panel) proves(w http.ResponseWriter, r *http.Request, v *visit, a act) bool {
	if a.code != nil && a.code(v) && !v.coded() {
		p.problem(w, r, http.StatusForbidden, "A login code is needed",
			"This moves money or lets someone do so. Set up a code from an authenticator app, or a passkey, on your own page first.")
		return false
	}
	if settled, settles := v.settled(); a.code != nil && a.code(v) && !settled {
		p.tooNew(w, r, v, settles)
		return false
	}
	if a.proof == nil || !a.proof(v) || v.session.Fresh && !a.anew {
		return true
	}
	wrong := ""
	if r.PostForm.Has(proofField) {
		err := p.desk.Prove(r.Context(), v.Person, r.PostForm.Get(proofField), p.Visitors.Origin(r), v.session)
		switch {
		case err == nil:
			return true
		case errors.Is(err, login.ErrNoLogin) && v.session.PasskeyID.Valid:
			wrong = notAccepted
		case errors.Is(err, login.ErrNoLogin) && v.Person.TOTP != nil:
			wrong = "The code is wrong or was used already. Wait for the next one."
		case errors.Is(err, login.ErrNoLogin):
			wrong = "The password is wrong."
		case errors.Is(err, login.ErrTooOften), errors.Is(err, people.ErrLocked), errors.Is(err, people.ErrCopied):
			wrong = err.Error() + "."
		default:
			p.failed(w, r, err)
			return false
		}
	}
	p.show(w, r, v, askProof(v, wrong), http.StatusForbidden)
	return false
}

// tooNew says until when a new code or passkey moves no money.
func (p *Panel) tooNew(w http.ResponseWriter, r *http.Request, v *visit, settles *time.Time) {
	title := "Your login code is new"
	if v.session.PasskeyID.Valid {
		title = "Your passkey is new"
	}
	p.problem(w, r, http.StatusForbidden, title, v.waits(settles))
}

// waits says when a new code or passkey moves money, and the people to let it earlier.
func (v *visit) waits(settles *time.Time) string {
	if v.session.PasskeyID.Valid {
		return "A new passkey moves no money before " + room.MomentOr(settles) + " UTC."
	}
	return "A new code moves no money of " + v.Called + " before " + room.MomentOr(settles) +
		" UTC. Another owner can confirm it earlier on the page \"People\", and so can the operator of this service."
}

// always takes a proof, whatever the form says.
func always(*visit) bool { return true }

// askProof is a page asking for the password, or for a code where the person logs in with one.
func askProof(v *visit, wrong string) *room.Page {
	asked := room.Field{Name: proofField, Label: "Password", Kind: "password", Required: true, Auto: "current-password"}
	if v.coded() {
		asked = v.codeField(proofField)
	}
	again := "Enter your " + strings.ToLower(asked.Label) + " again; it is valid for five minutes."
	if v.session.PasskeyID.Valid {
		again = "Confirm it with your passkey; that is valid for five minutes."
	}
	f := room.Form{Action: v.URL.Path, Verb: "Continue", Back: back(v.Request),
		Fields: append([]room.Field{{Kind: "user", Value: v.Person.Email}, asked}, v.sentAgain()...)}
	made := &room.Page{Title: "Confirm that it is you", Parts: []room.Part{{
		Note:  "This act changes who can reach your money. " + again,
		Forms: []room.Form{f}}}}
	if wrong != "" {
		made.Parts = append([]room.Part{{Note: wrong, Mood: "bad"}}, made.Parts...)
	}
	return made
}

// sentAgain are the values of a form as hidden fields.
func (v *visit) sentAgain() (out []room.Field) {
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
