package console

import (
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
		t.Rows = append(t.Rows, []cell{{Text: p.Name, Sub: p.Email}, text(p.Role), state, text(yesNo(p.TOTP)), when(p.CreatedAt), remove(p.Email, "Remove")})
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
