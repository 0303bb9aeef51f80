package panel

import (
	"cmp"
	"errors"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/web/room"
)

// peoplePage lists the people of the merchant, with the acts of an owner.
func peoplePage(v *visit) (*room.Page, error) {
	all, err := v.admin().People(v.Context(), v.Merchant)
	if err != nil {
		return nil, err
	}
	owner := v.May(people.People)
	t := &room.Table{Columns: []room.Column{{Name: "Person"}, {Name: "Role"}, {Name: "Login code"}, {Name: "Since", Wide: true}, {Name: ""}}}
	for i := range all.People {
		t.Rows = append(t.Rows, personRow(v, &all.People[i], owner))
	}
	out := &room.Page{Title: "People", Section: "People", Parts: []room.Part{{Table: t, Note: "An owner does everything. Finance moves money. " +
		"A developer has API keys and webhooks. A viewer looks. Every role sees every page."}}}
	if len(all.Invitations) > 0 {
		out.Parts = append(out.Parts, invitationsPart(all.Invitations, owner))
	}
	if owner {
		out.Parts = append(out.Parts, room.Part{Heading: "Invite someone", Forms: []room.Form{{Action: Prefix + "people", Verb: "Make a link",
			Note:   "The link is shown once, works once, and lasts three days. Send it to the person yourself.",
			Fields: []room.Field{{Name: "email", Label: "E-mail", Kind: "email", Required: true}, roleField("")}}}})
	}
	return out, nil
}

func personRow(v *visit, m *admin.Person, owner bool) []room.Cell {
	coded := room.Text(room.YesNo(m.TOTP))
	if m.Passkeys > 0 {
		coded.Sub = "passkeys: " + room.Number(int64(m.Passkeys))
	}
	switch {
	case m.LockedAt != nil:
		coded = room.Pill("locked: 50 wrong codes", "bad")
	case m.TOTP && !m.Settled:
		coded = room.Pill("new: moves no money yet", "warn")
	}
	row := []room.Cell{{Text: m.Name, Sub: m.Email}, room.Text(m.Role), coded, room.When(m.CreatedAt), {}}
	if owner && m.Email != v.Person.Email {
		who := room.Field{Name: "email", Kind: "hidden", Value: m.Email}
		acts := []room.Form{
			{Action: Prefix + "people/role", Verb: "Set role", Quiet: true, Fields: []room.Field{who, roleField(m.Role)}},
			{Action: Prefix + "people/remove", Verb: "Remove", Danger: true, Fields: []room.Field{who},
				Confirm: "Remove " + m.Email + " from " + v.Called + "? They can do nothing more here from now on."},
			{Action: Prefix + "people/reset", Verb: "New password", Quiet: true, Fields: []room.Field{who},
				Confirm: "Make a link for " + m.Email + " to set a new password? With it they log in without the code of before."}}
		if m.TOTP && !m.Settled {
			acts = append(acts, room.Form{Action: Prefix + "people/trust", Verb: "Confirm the code", Quiet: true, Fields: []room.Field{who},
				Confirm: "Ask " + m.Email + " whether they have set up a code. With it they can move money from now on."})
		}
		row[4] = room.Cell{Forms: acts}
	}
	return row
}

func roleField(chosen string) room.Field {
	f := room.Field{Name: "role", Label: "Role", Kind: "select"}
	for _, role := range people.Roles {
		f.Options = append(f.Options, room.Option{Value: role, Text: role, Chosen: role == cmp.Or(chosen, people.Viewer)})
	}
	return f
}

func invitationsPart(open []admin.Invitation, owner bool) room.Part {
	t := &room.Table{Columns: []room.Column{{Name: "E-mail"}, {Name: "Role"}, {Name: "Good until"}, {Name: ""}}}
	for _, i := range open {
		row := []room.Cell{room.Text(i.Email), room.Text(i.Role), room.When(i.EndsAt), {}}
		if owner {
			row[3] = room.Cell{Forms: []room.Form{{Action: Prefix + "people/invitations/" + i.ID.String() + "/end", Verb: "Revoke", Danger: true,
				Confirm: "Revoke the invitation of " + i.Email + "? The link works no more."}}}
		}
		t.Rows = append(t.Rows, row)
	}
	return room.Part{Heading: "Invitations", Table: t}
}

// invite makes a link, and shows it this once.
func invite(v *visit) (outcome, error) {
	made, err := v.admin().InvitePerson(v.Context(), v.Merchant, v.given("email"), v.given("role"))
	if err != nil {
		return outcome{}, err
	}
	return outcome{show: shownOnce("Invitation of "+made.Email, "people", v.handed("Send this link to "+made.Email+".")+" Whoever opens it first can use it.",
		room.Fact{Name: "Link", Cell: room.Whole(v.panel.Address + made.Path)})}, nil
}

// handed says how a link reaches its person.
func (v *visit) handed(byHand string) string {
	if v.panel.Mails {
		return "The link is sent by e-mail, too."
	}
	return byHand
}

// shownOnce is a page with secrets nobody can see again.
func shownOnce(title, path, note string, secrets ...room.Fact) *room.Page {
	return &room.Page{Title: title, Up: &room.Link{Text: "Back", Href: Prefix + path},
		Parts: []room.Part{{Note: "Copy this now. It is shown only once and cannot be shown again.", Mood: "warn", Secrets: secrets}, {Note: note}}}
}

// someoneElse refuses an owner's act on the owner: a merchant would be left without one by mistake.
func someoneElse(v *visit) error {
	if people.Address(v.given("email")) == v.Person.Email {
		return admin.Refuse("another owner must change your own role")
	}
	return nil
}

func setRole(v *visit) (outcome, error) {
	err := someoneElse(v)
	if err == nil {
		err = v.admin().SetPersonRole(v.Context(), v.Merchant, v.given("email"), v.given("role"))
	}
	return outcome{said: v.given("email") + " is now " + v.given("role") + "."}, err
}

func removePerson(v *visit) (outcome, error) {
	err := someoneElse(v)
	if err == nil {
		err = v.admin().RemovePerson(v.Context(), v.Merchant, v.given("email"))
	}
	return outcome{said: v.given("email") + " was removed."}, err
}

// trustPerson lets a person move money with a new code.
func trustPerson(v *visit) (outcome, error) {
	err := someoneElse(v)
	if err == nil {
		err = v.admin().TrustPerson(v.Context(), v.Merchant, v.given("email"))
	}
	return outcome{said: v.given("email") + " can move money with the code, as far as the role lets them."}, err
}

// resetPerson makes a link for a person who has lost the password or the code, and shows it this once.
func resetPerson(v *visit) (outcome, error) {
	if err := someoneElse(v); err != nil {
		return outcome{}, err
	}
	made, err := v.admin().ResetMember(v.Context(), v.Merchant, v.given("email"))
	if err != nil {
		return outcome{}, err
	}
	return outcome{show: shownOnce("New password of "+made.Email, "people", v.handed("Send this link to "+made.Email+".")+" It works once, within a day. Whoever opens it first can use it.",
		room.Fact{Name: "Link", Cell: room.Whole(v.panel.Address + made.Path)})}, nil
}

func revokeInvitation(v *visit) (outcome, error) {
	err := v.admin().RevokeInvitation(v.Context(), v.Merchant, room.ID(v.PathValue("id")))
	if _, refused := refusal(err); refused {
		err = errNoPage // another merchant's looks as one that never was
	}
	return outcome{said: "The invitation was revoked."}, err
}

// chooseMerchant turns the session to another merchant of the person.
func chooseMerchant(v *visit) (outcome, error) {
	err := v.panel.desk.Choose(v.Context(), v.Person, v.session.Hash, room.ID(v.given("merchant")))
	if errors.Is(err, pay.ErrNotFound) {
		err = errNoPage
	}
	return outcome{said: "You now look at another merchant."}, err
}
