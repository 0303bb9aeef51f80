package console

import (
	"slices"

	"causeway/internal/ops/admin"
	"causeway/internal/people"
)

// peoplePart lists the people of a merchant and its invitations, with the acts of an admin.
func peoplePart(v *visit, m *admin.Merchant) (part, error) {
	all, err := v.People(v.Context(), m.ID)
	if err != nil {
		return part{}, err
	}
	path, admins := Prefix+"merchants/"+m.ID.String()+"/people", v.May(admin.RoleAdmin)
	t := &table{Columns: []column{{Name: "Person"}, {Name: "Role"}, {Name: "State"}, {Name: "Login code"}, {Name: "Since", Wide: true}, {Name: ""}},
		Empty: "Nobody uses the panel for this merchant."}
	remove := func(email, verb string) cell {
		if !admins {
			return cell{}
		}
		return cell{Forms: []form{{Action: path + "/remove", Verb: verb, Danger: true, Fields: []field{{Name: "email", Kind: "hidden", Value: email}},
			Confirm: verb + " " + email + "? They can do nothing more for " + m.Name + " from now on."}}}
	}
	for _, p := range all.People {
		state := pill("active", "good")
		if p.LockedAt != nil {
			state = pill("locked: 50 wrong codes", "bad")
		}
		acts := remove(p.Email, "Remove")
		if admins {
			acts.Forms = append(personActs(path, &p, m.Name), acts.Forms...)
		}
		t.Rows = append(t.Rows, []cell{{Text: p.Name, Sub: p.Email}, text(p.Role), state, codeOf(&p), when(p.CreatedAt), acts})
	}
	for _, i := range all.Invitations {
		invited := pill("invited", "warn")
		invited.Sub = "until " + when(i.EndsAt).Text
		t.Rows = append(t.Rows, []cell{text(i.Email), text(i.Role), invited, text("–"), when(i.MadeAt), remove(i.Email, "Revoke")})
	}
	out := part{Heading: "People", Table: t, Note: "They use the merchants' panel. What they do is in the audit under person: and their e-mail address."}
	if admins {
		role := field{Name: "role", Label: "Role", Kind: "select"}
		for _, r := range people.Roles {
			role.Options = append(role.Options, option{Value: r, Text: r, Chosen: r == people.Owner})
		}
		out.Forms = []form{{Action: path, Verb: "Invite", Note: "The link is shown once, works once, and lasts three days.",
			Fields: []field{{Name: "email", Label: "E-mail", Kind: "email", Required: true}, role}}}
	}
	return out, nil
}

// codeOf says whether a person logs in with a code or passkeys, and whether the code is too new to move money.
func codeOf(p *admin.Person) cell {
	if p.TOTP && !p.Settled {
		return pill("new: moves no money yet", "warn")
	}
	out := text(yesNo(p.TOTP))
	if p.Passkeys > 0 {
		out.Sub = "passkeys: " + number(int64(p.Passkeys))
	}
	return out
}

// personActs are the acts about a person's login: a link for a lost password or device, and the word that a new code is the person's own.
func personActs(path string, p *admin.Person, merchant string) []form {
	email := []field{{Name: "email", Kind: "hidden", Value: p.Email}}
	out := []form{{Action: path + "/reset", Verb: "Reset link", Fields: email,
		Confirm: "Make a link for " + p.Email + " to set a new password and log in without a code or a passkey? Make sure that it is they who ask."}}
	if p.TOTP && !p.Settled {
		out = append(out, form{Action: path + "/trust", Verb: "Confirm code", Fields: email,
			Confirm: "Let " + p.Email + " move the money of " + merchant + " with their new code? Ask them first whether they have set it up."})
	}
	return out
}

// resetPerson makes a link by which a person of the merchant sets a new password, and shows it this once.
func resetPerson(v *visit) (outcome, error) {
	merchant, email := id(v.PathValue("id")), v.given("email")
	all, err := v.People(v.Context(), merchant)
	if err != nil {
		return outcome{}, err
	}
	if !slices.ContainsFunc(all.People, func(p admin.Person) bool { return p.Email == email }) {
		return outcome{}, admin.Refuse("there is no person " + email + " of this merchant")
	}
	made, err := v.ResetPerson(v.Context(), email)
	if err != nil {
		return outcome{}, err
	}
	return outcome{show: shownOnce("Reset link of "+made.Email, "merchants/"+merchant.String(),
		"Send this link to "+made.Email+" by a way that nobody else reads. It works once, for a day.", fact{Name: "Link", Cell: whole(v.console.PanelAt + made.Path)})}, nil
}

// trustPerson confirms the new code of a person of the merchant.
func trustPerson(v *visit) (outcome, error) {
	err := v.TrustPerson(v.Context(), id(v.PathValue("id")), v.given("email"))
	return said(v.given("email")+" moves the merchant's money from now on.", err)
}

// invitePerson makes a link for a person of a merchant, and shows it this once.
func invitePerson(v *visit) (outcome, error) {
	merchant := id(v.PathValue("id"))
	made, err := v.InvitePerson(v.Context(), merchant, v.given("email"), v.given("role"))
	if err != nil {
		return outcome{}, err
	}
	return outcome{show: shownOnce("Invitation of "+made.Email, "merchants/"+merchant.String(),
		"Send this link to "+made.Email+". Whoever opens it first can use it.", fact{Name: "Link", Cell: whole(v.console.PanelAt + made.Path)})}, nil
}

func removePerson(v *visit) (outcome, error) {
	err := v.RemovePersonOrInvitation(v.Context(), id(v.PathValue("id")), v.given("email"))
	return said(v.given("email")+" was removed.", err)
}
