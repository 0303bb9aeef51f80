package console

import (
	"causeway/internal/ops/admin"
	"causeway/internal/web/qr"
)

// operators lists the operators of the console.
func operators(v *visit) (*page, error) {
	found, err := v.Operators(v.Context())
	if err != nil {
		return nil, err
	}
	t := &table{Columns: []column{{Name: "Name"}, {Name: "Role"}, {Name: "State"}, {Name: "Code"}, {Name: "Made", Wide: true}, {Name: ""}},
		Here: v.URL.Path, CSV: v.URL.Path + "?format=csv"}
	for _, o := range found {
		state := pill("may log in", "good")
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
			row[5] = cell{Forms: []form{{Action: path + "/unlock", Verb: "Unlock", Confirm: "Let " + o.Name + " log in again? Who tried 50 codes knew the password."}}}
		default:
			row[5] = cell{Forms: []form{{Action: path + "/disable", Verb: "Disable", Danger: true,
				Confirm: "Log " + o.Name + " out everywhere, for good?"}}}
		}
		t.Rows = append(t.Rows, row)
	}
	t.file = sheetOf(found, "name role code created_at_utc disabled_at_utc locked_at_utc", func(o *admin.Operator) []string {
		return []string{o.Name, o.Role, yesNo(o.TOTP), moment(o.CreatedAt), momentOr(o.DisabledAt), momentOr(o.LockedAt)}
	})
	out := &page{Title: "Operators", Section: "Operators", List: t,
		Parts: []part{{Note: "A viewer looks. An operator also decides on payouts, webhooks and unclaimed money. " +
			"An admin also changes merchants, keys, the catalogue, prices and operators.", Table: t}}}
	if v.May(admin.RoleAdmin) {
		out.Parts = append(out.Parts, part{Heading: "New operator", Forms: []form{{Action: Prefix + "operators", Verb: "Make", Fields: []field{
			{Name: "name", Label: "Name", Kind: "text", Required: true, Auto: "off"},
			{Name: "role", Label: "Role", Kind: "select", Options: []option{{Value: admin.RoleViewer, Text: "viewer"},
				{Value: admin.RoleOperator, Text: "operator"}, {Value: admin.RoleAdmin, Text: "admin"}}},
			{Name: "password", Label: "Password", Kind: "password", Required: true, Auto: "new-password",
				Hint: "10 characters or more; they change it on their own page"}}}}})
	}
	return out, nil
}

// account is an operator's own page: password, and the code of an authenticator app.
func account(v *visit) (*page, error) {
	out := &page{Title: "Your login", Section: "", Tags: []cell{pill(v.Role, "idle")}}
	if v.Coded {
		out.Parts = append(out.Parts, part{Heading: "Code", Half: true,
			Note: "You log in with a code of your authenticator app. " +
				"When the device is lost, whoever has the command line takes it off: causeway admin operator totp " + v.Name +
				" --drop.", Mood: "good"})
	} else {
		if v.console.lacksCode(v) {
			out.Parts = append(out.Parts, part{Note: "An admin of live books logs in with a code. Take one into use here: until then, no other page opens.",
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
		out.Parts = append(out.Parts, part{Heading: "Log in with a code, too", Half: true,
			Note: "Scan this with an authenticator app, or type the secret into it. Then give the first code: from then on a password alone is not enough, " +
				"and you are logged out everywhere but here.",
			Code: drawn, Facts: []fact{{"Secret", whole(offered.Secret)}},
			Forms: []form{{Action: Prefix + "account/code", Verb: "Use it", Fields: []field{
				{Kind: "user", Value: v.Name}, {Name: "password", Label: "Password", Kind: "password", Required: true, Auto: "current-password"},
				{Name: "code", Label: "Code", Kind: "text", Required: true, Auto: "one-time-code"}}}}})
	}
	out.Parts = append(out.Parts, part{Heading: "Password", Half: true, Note: "Changing it logs you out everywhere.",
		Forms: []form{{Action: Prefix + "account/password", Verb: "Change it", Fields: []field{
			{Kind: "user", Value: v.Name}, {Name: "old", Label: "Password now", Kind: "password", Required: true, Auto: "current-password"},
			{Name: "new", Label: "New password", Kind: "password", Required: true, Auto: "new-password", Hint: "10 characters or more"}}}}})
	return out, nil
}
