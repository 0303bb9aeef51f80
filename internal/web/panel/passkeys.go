package panel

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"causeway/internal/login"
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

const (
	// challengePath is the address of challenges for the passkey of a login, below Prefix.
	challengePath = "account/passkeys/challenge"
	// passkeyCookie binds a login by passkey to its browser.
	passkeyCookie = "causeway-panel-passkey"
	passkeyTime   = 5 * time.Minute

	notAccepted = "The passkey was not accepted. Try again."
)

// codeField asks for a code, or for the passkey of this login.
func (v *visit) codeField(name string) room.Field {
	if v.session.PasskeyID.Valid {
		return room.Field{Name: name, Label: "Passkey", Kind: "passkey", Value: Prefix + challengePath}
	}
	return room.Field{Name: name, Label: "Code", Kind: "text", Required: true, Auto: "one-time-code"}
}

// byPasskey reports whether the login began with a passkey: a proof by it is then to be had.
func byPasskey(v *visit) bool { return v.session.PasskeyID.Valid }

// challengeFor answers a challenge as JSON for the script.
func (p *Panel) challengeFor(w http.ResponseWriter, r *http.Request, made *people.Challenge, err error) {
	body, unwritten := json.Marshal(made)
	if err := errors.Join(err, unwritten); err != nil {
		p.failed(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // the reader has gone
}

// loginChallenge begins a login by passkey.
func (p *Panel) loginChallenge(w http.ResponseWriter, r *http.Request) {
	token := room.NewToken()
	made, err := p.desk.BeginPasskeyLogin(r.Context(), room.HashOf(token))
	p.cookies.Set(w, r, passkeyCookie, token, passkeyTime)
	p.challengeFor(w, r, made, err)
}

// proofChallenge begins a proof by the passkey of a login.
func (p *Panel) proofChallenge(w http.ResponseWriter, r *http.Request) {
	v, ok := p.enter(w, r)
	if !ok {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, largestForm)
	if !room.SameToken(r.PostFormValue("csrf"), v.CSRF) || !v.session.PasskeyID.Valid {
		p.problem(w, r, http.StatusForbidden, "This form has expired", "Go back, reload the page and try again.")
		return
	}
	made, err := p.desk.BeginPasskeyProof(r.Context(), v.Person, v.session)
	p.challengeFor(w, r, made, err)
}

// loginPasskey lets a person in by a signature. It ends the login that the browser had before.
func (p *Panel) loginPasskey(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, largestForm)
	to := room.Inside(r.PostFormValue("to"), Prefix)
	person, key, err := p.desk.LoginPasskey(r.Context(), r.PostFormValue("passkey"), room.HashOf(p.cookies.Get(r, passkeyCookie)), p.Visitors.Origin(r))
	if err == nil {
		err = p.endEarlier(r)
	}
	if err == nil {
		err = p.letIn(w, r, person, people.Entry{Passkey: uuid.NullUUID{UUID: key, Valid: true}})
	}
	p.cookies.Set(w, r, passkeyCookie, "", 0)
	if err != nil {
		p.notIn(w, r, err, entrance{To: to, ByPasskey: true})
		return
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// passkeysPart lists the passkeys of a person, and offers to add one.
func passkeysPart(v *visit) ([]room.Part, error) {
	if v.panel.desk.Passkeys == nil {
		return nil, nil
	}
	found, err := v.panel.desk.OwnPasskeys(v.Context(), v.Person)
	if err != nil {
		return nil, err
	}
	t := &room.Table{Columns: []room.Column{{Name: "Passkey"}, {Name: "Added"}, {Name: "Last used", Wide: true}, {Name: ""}}, Empty: "You have no passkey."}
	for i := range found {
		t.Rows = append(t.Rows, passkeyRow(&found[i]))
	}
	out := room.Part{Heading: "Passkeys", Table: t, Note: "A passkey logs you in by a finger, a face or the PIN of a device, instead of the password and a code. " +
		"Once you have one, a password alone is not enough. It can move money a day after it was added."}
	if len(found) < people.MostPasskeys {
		out.Forms = []room.Form{{Action: Prefix + "account/passkeys", Verb: "Add a passkey",
			Fields: []room.Field{{Name: "name", Label: "Name", Kind: "text", Required: true, Hint: "by which you know the device again"}}}}
	}
	return []room.Part{out}, nil
}

func passkeyRow(k *store.Passkey) []room.Cell {
	at := Prefix + "account/passkeys/" + k.ID.String()
	name := room.Cell{Text: k.Name}
	if k.Synced {
		name.Sub = "may be on several devices"
	}
	added := room.When(k.AddedAt)
	if !k.Settled {
		added = room.Pill("new: moves no money yet", "warn")
	}
	return []room.Cell{name, added, room.WhenOr(k.UsedAt, "never"), {Forms: []room.Form{
		{Action: at + "/name", Verb: "Rename", Quiet: true, Fields: []room.Field{{Name: "name", Label: "Name", Kind: "text", Value: k.Name, Required: true}}},
		{Action: at + "/end", Verb: "Remove", Danger: true, Confirm: "Remove the passkey " + k.Name + "? It logs you in no more, and its logins end."}}}}
}

// newPasskey shows the form with the challenge of a new passkey.
func newPasskey(v *visit) (outcome, error) {
	if v.panel.desk.Passkeys == nil {
		return outcome{}, errNoPage
	}
	name, err := people.PasskeyName(v.given("name"))
	if err != nil {
		return outcome{}, err
	}
	made, err := v.panel.desk.BeginPasskey(v.Context(), v.Person, v.session.Hash)
	if err != nil {
		return outcome{}, err
	}
	options, err := json.Marshal(made)
	if err != nil {
		return outcome{}, fmt.Errorf("write a challenge: %w", err)
	}
	return outcome{show: &room.Page{Title: "Add the passkey " + name, Up: &room.Link{Text: "Your login", Href: Prefix + "account"}, Parts: []room.Part{{
		Note: "Your browser asks for your finger, your face or a PIN, and keeps the passkey.",
		Forms: []room.Form{{Action: Prefix + "account/passkeys/add", Verb: "Make it now", Back: Prefix + "account", Fields: []room.Field{
			{Name: "name", Kind: "hidden", Value: name}, {Name: "made", Label: "Passkey", Kind: "passkey", Value: string(options)}}}}}}}}, nil
}

func addPasskey(v *visit) (outcome, error) {
	if v.panel.desk.Passkeys == nil {
		return outcome{}, errNoPage
	}
	fresh := room.NewToken()
	return outcome{said: "The passkey was added.", to: "account", cookie: fresh},
		v.panel.desk.AddPasskey(v.Context(), v.Person, v.session.Hash, room.HashOf(fresh), v.given("name"), v.given("made"))
}

func namePasskey(v *visit) (outcome, error) {
	return outcome{said: "The passkey has its new name.", to: "account"},
		noneOfMine(v.panel.desk.NamePasskey(v.Context(), v.Person, v.session.Hash, room.ID(v.PathValue("id")), v.given("name")))
}

func removePasskey(v *visit) (outcome, error) {
	return outcome{said: "The passkey was removed.", to: "account"},
		noneOfMine(v.panel.desk.RemovePasskey(v.Context(), v.Person, v.session.Hash, room.ID(v.PathValue("id"))))
}

// noneOfMine answers another person's passkey as none.
func noneOfMine(err error) error {
	if errors.Is(err, pay.ErrNotFound) || errors.Is(err, login.ErrNoLogin) {
		return errNoPage
	}
	return err
}
