package console

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/web/room"
)

func keysPart(v *visit, m *admin.Merchant) part {
	path := Prefix + "merchants/" + m.ID.String()
	t := &table{Columns: []column{{Name: "Key"}, {Name: "State"}, {Name: "Scopes"}, {Name: "IP addresses"},
		{Name: "Daily limit", Right: true}, {Name: "Created", Wide: true}, {Name: ""}}, Empty: "No keys yet. The merchant needs one to use the API."}
	for i := range m.Keys {
		k := &m.Keys[i]
		row := []cell{whole(k.ID), room.KeyState(k.RevokedAt, k.ExpiresAt, time.Now(), k.Signs, k.SecretUsable), text(scopes(k)), text(orText(strings.Join(k.IPs, ", "), "anywhere")),
			moneyOr(k.DailyLimitUSD, "USD", "no limit"), when(k.CreatedAt), {}}
		if v.May(admin.RoleAdmin) && k.RevokedAt == nil {
			row[6] = cell{Forms: []form{{Action: path + "/keys/" + k.ID + "/revoke", Verb: "Revoke", Danger: true,
				Confirm: "Revoke key " + k.ID + "? Requests with it will be refused from now on."}}}
		}
		t.Rows = append(t.Rows, row)
	}
	out := part{Heading: "API keys", Table: t}
	if v.May(admin.RoleAdmin) {
		out.Forms = []form{keyForm(m)}
	}
	return out
}

// newKey is the form for a key alone. Reloading the answer of an act on keys leads here.
func newKey(v *visit) (*page, error) {
	m, err := v.Merchant(v.Context(), id(v.PathValue("id")))
	if err != nil {
		return nil, err
	}
	out := &page{Title: "New key of " + m.Name, Section: "Merchants", Up: &link{Text: m.Name, Href: Prefix + "merchants/" + m.ID.String()}}
	if !v.May(admin.RoleAdmin) {
		out.Parts = []part{{Note: "Your role can view this page but not change anything."}}
		return out, nil
	}
	out.Parts = []part{{Forms: []form{keyForm(m)}}}
	return out, nil
}

// keyForm asks for scopes, addresses and a daily limit. Without a scope it makes a read-only key.
func keyForm(m *admin.Merchant) form {
	scopes := field{Name: "scopes", Label: "Scopes", Kind: "checks", Hint: "(choose none for a key that only reads)"}
	for _, scope := range pay.Scopes {
		scopes.Options = append(scopes.Options, option{Value: scope, Text: scope})
	}
	return form{Action: Prefix + "merchants/" + m.ID.String() + "/keys", Verb: "Create key", Note: "The key is shown once, on the next page.",
		Fields: []field{scopes,
			{Name: "ips", Label: "Allowed IP addresses", Kind: "text", Hint: "IP addresses or CIDRs, separated by commas; leave empty for any"},
			{Name: "daily", Label: "Daily payout limit in USD", Kind: "text", Hint: "leave empty for no limit"},
			{Name: "sign", Label: "Requests must be signed", Kind: "check"}}}
}

// readScopes returns the scopes of a read-only key.
func readScopes() []string {
	var out []string
	for _, scope := range pay.Scopes {
		if strings.HasSuffix(scope, ":read") {
			out = append(out, scope)
		}
	}
	return out
}

// keyScopes reads the checkboxes of keyForm. Commas separate scopes too.
func (v *visit) keyScopes() []string {
	given := list(clean(strings.Join(v.PostForm["scopes"], ",")))
	if given == nil {
		return readScopes()
	}
	return given
}

func makeKey(v *visit) (outcome, error) {
	merchant := id(v.PathValue("id"))
	wanted := admin.NewKey{Merchant: merchant, Scopes: v.keyScopes(), IPs: list(v.given("ips")),
		DailyLimitUSD: v.given("daily"), Sign: v.given("sign") != ""}
	if slices.Contains(wanted.Scopes, pay.ScopePayoutWrite) && v.given("pays") == "" {
		return surePays(v, &wanted)
	}
	k, err := v.CreateKey(v.Context(), wanted)
	if err != nil {
		return outcome{}, err
	}
	secrets := []fact{{Name: "API key", Cell: whole(k.APIKey)}}
	if k.SigningSecret != "" {
		secrets = append(secrets, fact{Name: "Signing secret", Cell: whole(k.SigningSecret)})
	}
	return outcome{show: shownOnce("API key "+k.ID, "merchants/"+merchant.String(), "The key works from now on.", secrets...)}, nil
}

// surePays asks again before making a key with the scope to pay out, and makes nothing. It checks the input first.
func surePays(v *visit, wanted *admin.NewKey) (outcome, error) {
	if err := wanted.Check(); err != nil {
		return outcome{}, err
	}
	m, err := v.Merchant(v.Context(), wanted.Merchant)
	if err != nil {
		return outcome{}, err
	}
	limit, path := "without a limit", "merchants/"+m.ID.String()
	if most, err := decimal.NewFromString(wanted.DailyLimitUSD); err == nil {
		limit = "up to " + money(most, "USD").Text + " a day"
	}
	from := cmp.Or(strings.Join(wanted.IPs, ", "), "anywhere")
	again := form{Action: Prefix + path + "/keys", Verb: "Create payout key", Danger: true, Note: "The key is shown once, on the next page.", Back: Prefix + path,
		Fields: []field{{Name: "scopes", Kind: "hidden", Value: strings.Join(wanted.Scopes, ",")},
			{Name: "ips", Kind: "hidden", Value: strings.Join(wanted.IPs, ",")}, {Name: "daily", Kind: "hidden", Value: wanted.DailyLimitUSD},
			{Name: "pays", Kind: "hidden", Value: "yes"}}}
	if wanted.Sign {
		again.Fields = append(again.Fields, field{Name: "sign", Kind: "hidden", Value: "on"})
	}
	return outcome{show: &page{Title: "Create a payout key", Section: "Merchants", Up: &link{Text: "Back to the merchant", Href: Prefix + path},
		Parts: []part{{Note: "The key is not created yet. Anyone who has it can pay out the money of " + m.Name + " to any address, " + limit +
			", from " + from + ".", Mood: "warn", Facts: []fact{{Name: "Scopes", Cell: text(strings.Join(wanted.Scopes, ", "))}, {Name: "Daily limit", Cell: text(limit)},
			{Name: "IP addresses", Cell: text(from)}, {Name: "Requests must be signed", Cell: text(yesNo(wanted.Sign))}}, Forms: []form{again}}}}}, nil
}

func scopes(k *admin.Key) string {
	if k.Scopes == nil {
		return "read (created before scopes existed)"
	}
	return strings.Join(k.Scopes, ", ")
}
