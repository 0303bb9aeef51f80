package console

import (
	"causeway/internal/ops/admin"
	"causeway/internal/web/qr"
	"causeway/internal/web/room"
)

// operators lists the operators of the console.
func operators(v *visit) (*page, error) {
	found, err := v.Operators(v.Context())
	if err != nil {
		return nil, err
	}
	t := &table{Columns: []column{{Name: "Name"}, {Name: "Role"}, {Name: "State"}, {Name: "Login code"}, {Name: "Created", Wide: true}, {Name: ""}},
		Here: v.URL.Path, CSV: v.URL.Path + "?format=csv"}
	for _, o := range found {
		state := pill("active", "good")
		switch {
		case o.DisabledAt != nil:
			state = pill("disabled", "idle")
		case o.LockedAt != nil:
			state = pill("locked: 50 wrong codes", "bad")
		}
		row := []cell{text(o.Name), text(o.Role), state, text(yesNo(o.TOTP)), when(o.CreatedAt), {}}
		path := Prefix + "operators/" + o.Name
		switch {
		case !v.May(admin.RoleAdmin) || o.Name == v.Name:
		case o.DisabledAt != nil:
			row[5] = cell{Forms: []form{{Action: path + "/enable", Verb: "Enable", Quiet: true, Confirm: "Let " + o.Name + " log in again?"}}}
		case o.LockedAt != nil:
			row[5] = cell{Forms: []form{{Action: path + "/unlock", Verb: "Unlock", Confirm: "Let " + o.Name + " log in again? Whoever tried 50 codes knew the password."}}}
		default:
			row[5] = cell{Forms: []form{{Action: path + "/disable", Verb: "Disable", Danger: true,
				Confirm: "Disable " + o.Name + " and log them out everywhere?"}}}
		}
		t.Rows = append(t.Rows, row)
	}
	t.File = room.SheetOf(found, "name role code created_at_utc disabled_at_utc locked_at_utc", func(o *admin.Operator) []string {
		return []string{o.Name, o.Role, yesNo(o.TOTP), moment(o.CreatedAt), momentOr(o.DisabledAt), momentOr(o.LockedAt)}
	})
	out := &page{Title: "Operators", Section: "Operators", List: t,
		Parts: []part{{Note: "A viewer can look at everything. An operator also decides on payouts, webhooks and unclaimed money. " +
			"An admin also changes merchants, keys, the catalogue, prices and operators.", Table: t}}}
	if v.May(admin.RoleAdmin) {
		out.Parts = append(out.Parts, part{Heading: "New operator", Forms: []form{{Action: Prefix + "operators", Verb: "Create operator", Fields: []field{
			{Name: "name", Label: "Name", Kind: "text", Required: true, Auto: "off"},
			{Name: "role", Label: "Role", Kind: "select", Options: []option{{Value: admin.RoleViewer, Text: "viewer"},
				{Value: admin.RoleOperator, Text: "operator"}, {Value: admin.RoleAdmin, Text: "admin"}}},
			{Name: "password", Label: "Password", Kind: "password", Required: true, Auto: "new-password",
				Hint: "10 characters or more; they can change it on their own page"}}}}})
	}
	return out, nil
}

// account is an operator's own page: password, and the code of an authenticator app.
func account(v *visit) (*page, error) {
	out := &page{Title: "Your login", Section: "", Tags: []cell{pill(v.Role, "idle")}}
	if v.Coded {
		out.Parts = append(out.Parts, part{Heading: "Login code", Half: true,
			Note: "You log in with a code from your authenticator app. " +
				"If you lose the device, someone with the command line can switch the code off: causeway admin operator totp " + v.Name +
				" --drop.", Mood: "good"})
	} else {
		if v.console.lacksCode(v) {
			out.Parts = append(out.Parts, part{Note: "Admins of live books log in with a code. Set it up here; until then, no other page opens.",
				Mood: "warn"})
		}
		offered, err := v.OfferOwnTOTP(v.Context(), v.Name, v.session.Hash)
		if err != nil {
			return nil, err
		}
		drawn, err := qr.Make(offered.URL)
		if err != nil {
			return nil, err
		}
		out.Parts = append(out.Parts, part{Heading: "Log in with a code", Half: true,
			Note: "Scan this with an authenticator app, or type the secret into it. Then enter the first code. From then on, a password alone is not enough, " +
				"and you are logged out everywhere else.",
			Code: drawn, Facts: []fact{{Name: "Secret", Cell: whole(offered.Secret)}},
			Forms: []form{{Action: Prefix + "account/code", Verb: "Set up code", Fields: []field{
				{Kind: "user", Value: v.Name}, {Name: "password", Label: "Password", Kind: "password", Required: true, Auto: "current-password"},
				{Name: "code", Label: "Code", Kind: "text", Required: true, Auto: "one-time-code"}}}}})
	}
	out.Parts = append(out.Parts, part{Heading: "Password", Half: true, Note: "Changing it logs you out everywhere.",
		Forms: []form{{Action: Prefix + "account/password", Verb: "Change password", Fields: []field{
			{Kind: "user", Value: v.Name}, {Name: "old", Label: "Current password", Kind: "password", Required: true, Auto: "current-password"},
			{Name: "new", Label: "New password", Kind: "password", Required: true, Auto: "new-password", Hint: "10 characters or more"}}}}})
	messages, err := messagesPart(v)
	out.Parts = append(out.Parts, messages)
	return out, err
}
