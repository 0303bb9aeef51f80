package panel

import (
	"errors"

	"causeway/internal/login"
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/web/qr"
	"causeway/internal/web/room"
)

// account is a person's own page: the code of an authenticator app, the password, the passkeys, and the logins.
func account(v *visit) (*room.Page, error) {
	out := &room.Page{Title: "Your login", Tags: []room.Cell{room.Pill(v.Person.Email, "idle")}}
	code, err := codePart(v)
	if err != nil {
		return nil, err
	}
	sessions, err := sessionsPart(v)
	if err != nil {
		return nil, err
	}
	passkeys, err := passkeysPart(v)
	if err != nil {
		return nil, err
	}
	messages, err := messagesPart(v)
	if err != nil {
		return nil, err
	}
	out.Parts = append([]room.Part{code, {Heading: "Password", Half: true, Note: "Changing it logs you out everywhere.",
		Forms: []room.Form{{Action: Prefix + "account/password", Verb: "Change password", Fields: []room.Field{
			{Kind: "user", Value: v.Person.Email}, {Name: "old", Label: "Current password", Kind: "password", Required: true, Auto: "current-password"},
			{Name: "new", Label: "New password", Kind: "password", Required: true, Auto: "new-password", Hint: "10 characters or more"}}}}}}, append(passkeys, messages, sessions)...)
	return out, nil
}

// roles are those of the person for their merchants.
func (v *visit) roles() []string {
	out := make([]string, len(v.Merchants))
	for i, m := range v.Merchants {
		out[i] = m.Role
	}
	return out
}

// messagesPart has the switches of the topics that the person is told of by e-mail.
func messagesPart(v *visit) (room.Part, error) {
	out := room.Part{Heading: "Messages", Note: "You are told of these by e-mail, at " + v.Person.Email + "."}
	if !v.panel.Mails {
		out.Note, out.Mood = "This service sends no e-mail. The operator can set it up.", "warn"
	}
	found, err := v.panel.desk.Switches(v.Context(), v.Person, v.roles())
	if err != nil {
		return out, err
	}
	field := room.Field{Name: "topics", Label: "Tell me of", Kind: "checks"}
	for _, s := range found {
		field.Options = append(field.Options, room.Option{Value: string(s.Topic), Text: s.Words, Chosen: s.On})
	}
	out.Forms = []room.Form{{Action: Prefix + "account/messages", Verb: "Save", Fields: []room.Field{field}}}
	return out, nil
}

// setMessages switches topics on and off.
func setMessages(v *visit) (outcome, error) {
	return outcome{said: "Your choice was saved."}, v.panel.desk.SetSwitches(v.Context(), v.Person, v.roles(), v.PostForm["topics"])
}

// codePart offers a secret for an authenticator app to somebody without one.
func codePart(v *visit) (room.Part, error) {
	if v.Person.TOTP != nil {
		return room.Part{Heading: "Login code", Half: true, Mood: "good",
			Note: "You log in with a code from your authenticator app. If you lose the device, an owner of your merchant or the operator of this service can make a link for a new beginning."}, nil
	}
	offered, err := v.panel.desk.Offer(v.Context(), v.Person, v.session.Hash)
	if err != nil {
		return room.Part{}, err
	}
	drawn, err := qr.Make(offered.URL)
	if err != nil {
		return room.Part{}, err
	}
	return room.Part{Heading: "Log in with a code", Half: true,
		Note: "Scan this with an authenticator app, or type the secret into it. Then enter the first code. From then on, a password alone is not enough, " +
			"and you are logged out everywhere else. Money can be moved only with a code or a passkey, a day after it was set up.",
		Code: drawn, Facts: []room.Fact{{Name: "Secret", Cell: room.Whole(offered.Secret)}},
		Forms: []room.Form{{Action: Prefix + "account/code", Verb: "Set up code", Fields: []room.Field{
			{Kind: "user", Value: v.Person.Email}, {Name: "password", Label: "Password", Kind: "password", Required: true, Auto: "current-password"},
			{Name: "code", Label: "Code", Kind: "text", Required: true, Auto: "one-time-code"}}}}}, nil
}

// sessionsPart lists the logins of a person.
func sessionsPart(v *visit) (room.Part, error) {
	found, err := v.panel.desk.Sessions(v.Context(), v.Person)
	if err != nil {
		return room.Part{}, err
	}
	t := &room.Table{Columns: []room.Column{{Name: "Since"}, {Name: "Last used"}, {Name: "From"}, {Name: "Browser", Wide: true}, {Name: ""}}}
	for _, s := range found {
		last := room.Cell{Forms: []room.Form{{Action: Prefix + "account/sessions/" + s.ID.String() + "/end", Verb: "End", Danger: true}}}
		if s.ID == v.session.ID {
			last = room.Pill("this one", "good")
		}
		t.Rows = append(t.Rows, []room.Cell{room.When(s.CreatedAt), room.When(s.SeenAt), room.Text(s.Address),
			{Text: room.Cut(s.Agent), Full: s.Agent}, last})
	}
	return room.Part{Heading: "Logins", Note: "A login ends after half an hour without use, and after twelve hours.", Table: t}, nil
}

// checkPassword refuses any other than the person's password. It counts as a failed login.
func checkPassword(v *visit, given string) error {
	_, err := v.panel.desk.Login(v.Context(), v.Person.Email, given, v.panel.Visitors.Origin(v.Request))
	switch {
	case errors.Is(err, login.ErrTooOften), errors.Is(err, people.ErrLocked):
		return people.Refusal(err.Error())
	case errors.Is(err, login.ErrNoLogin):
		return people.Refusal("the current password is wrong")
	}
	return err
}

func confirmCode(v *visit) (outcome, error) {
	if err := checkPassword(v, v.PostForm.Get("password")); err != nil {
		return outcome{}, err
	}
	fresh := room.NewToken()
	return outcome{said: "From now on, logging in also takes a code.", cookie: fresh},
		v.panel.desk.Confirm(v.Context(), v.Person, v.given("code"), v.session.Hash, room.HashOf(fresh))
}

func changePassword(v *visit) (outcome, error) {
	if err := checkPassword(v, v.PostForm.Get("old")); err != nil {
		return outcome{}, err
	}
	return outcome{said: "The password was changed.", to: "login"},
		v.panel.desk.SetPassword(v.Context(), v.Person, v.PostForm.Get("new"), v.session.Hash)
}

func endSession(v *visit) (outcome, error) {
	err := v.panel.desk.EndSession(v.Context(), v.Person, room.ID(v.PathValue("id")))
	if errors.Is(err, pay.ErrNotFound) {
		err = errNoPage
	}
	return outcome{said: "The login was ended."}, err
}
