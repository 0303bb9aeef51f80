package panel

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/web/room"
)

// developers shows the keys of the merchant, and what webhooks need.
func developers(v *visit) (*room.Page, error) {
	m, err := v.admin().Merchant(v.Context(), v.Merchant)
	if err != nil {
		return nil, err
	}
	failing, err := failingPart(v)
	return &room.Page{Title: "Developers", Section: "Developers", Parts: append(failing, keysPart(v, m), secretPart(v, m), walletsPart(v, m))}, err
}

// failingPart lists the hosts that fail to take the merchant's webhooks; nothing while all take them.
func failingPart(v *visit) ([]room.Part, error) {
	const most = 20
	found, err := v.panel.Store.FailingReceivers(v.Context(), time.Now(), v.Merchant, most)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	t := &room.Table{Columns: []room.Column{{Name: "Receiver"}, {Name: "Waiting", Right: true}, {Name: "Given up in a day", Right: true}, {Name: "Oldest"}, {Name: "Last answer"}}}
	for i := range found {
		r := &found[i]
		t.Rows = append(t.Rows, []room.Cell{room.Text(r.Host), room.Text(room.Number(r.Waiting)), room.Text(room.Number(r.Exhausted)), room.When(r.Oldest),
			room.Text(room.Cut(r.Last))})
	}
	return []room.Part{{Heading: "Failing receivers", Mood: "warn", Note: "These take webhooks in vain. Each webhook is tried eleven times over three days.", Table: t}}, nil
}

func keysPart(v *visit, m *admin.Merchant) room.Part {
	t := &room.Table{Columns: []room.Column{{Name: "Key"}, {Name: "State"}, {Name: "Scopes"}, {Name: "IP addresses"}, {Name: "Daily limit", Right: true},
		{Name: "Created", Wide: true}, {Name: ""}}, Empty: "No keys yet. A program needs one to use the API."}
	for i := range m.Keys {
		k := &m.Keys[i]
		row := []room.Cell{room.Whole(k.ID), room.KeyState(k.RevokedAt, k.ExpiresAt, time.Now(), k.Signs, k.SecretUsable), room.Text(cmp.Or(strings.Join(k.Scopes, ", "), "read")),
			room.Text(cmp.Or(strings.Join(k.IPs, ", "), "anywhere")), room.MoneyOr(k.DailyLimitUSD, "USD", "no limit"), room.When(k.CreatedAt), {}}
		if v.May(people.Keys) && k.RevokedAt == nil {
			row[6] = room.Cell{Forms: []room.Form{{Action: Prefix + "keys/" + k.ID + "/revoke", Verb: "Revoke", Danger: true,
				Confirm: "Revoke key " + k.ID + "? Requests with it will be refused from now on."}}}
		}
		t.Rows = append(t.Rows, row)
	}
	out := room.Part{Heading: "API keys", Table: t}
	if v.May(people.Keys) {
		scopes := room.Field{Name: "scopes", Label: "Scopes", Kind: "checks", Hint: "(choose none for a key that only reads)"}
		for _, scope := range pay.Scopes {
			scopes.Options = append(scopes.Options, room.Option{Value: scope, Text: scope})
		}
		out.Forms = []room.Form{{Action: Prefix + "keys", Verb: "Create key",
			Note: "The key is shown once, on the next page. Anyone with a key of payout:write can pay out your money: give it addresses and a limit.",
			Fields: []room.Field{scopes, {Name: "ips", Label: "Allowed IP addresses", Kind: "text", Hint: "IP addresses or CIDRs, separated by commas; leave empty for any"},
				{Name: "daily", Label: "Daily payout limit in USD", Kind: "text", Hint: "leave empty for no limit"},
				{Name: "sign", Label: "Requests must be signed", Kind: "check"}}}}
	}
	return out
}

// scopesGiven reads the boxes of the form; none of them is a key that only reads.
func scopesGiven(v *visit) []string {
	var out []string
	for _, scope := range v.PostForm["scopes"] {
		out = append(out, room.Clean(scope))
	}
	if out == nil {
		out = slices.DeleteFunc(slices.Clone(pay.Scopes), func(s string) bool { return !strings.HasSuffix(s, ":read") })
	}
	return out
}

// paysOut reports whether the key of a form could ask for payouts.
func paysOut(v *visit) bool { return slices.Contains(scopesGiven(v), pay.ScopePayoutWrite) }

// createKey makes a key of the merchant. One that pays out takes the right to withdraw: a developer asks an owner for it.
func createKey(v *visit) (outcome, error) {
	if paysOut(v) && !v.May(people.Withdraw) {
		return outcome{}, people.Refusal("a key of payout:write moves money: an owner must make it")
	}
	n := admin.NewKey{Merchant: v.Merchant, Scopes: scopesGiven(v), DailyLimitUSD: v.given("daily"), Sign: v.given("sign") != ""}
	for ip := range strings.SplitSeq(v.given("ips"), ",") {
		if ip = strings.TrimSpace(ip); ip != "" {
			n.IPs = append(n.IPs, ip)
		}
	}
	k, err := v.admin().CreateKey(v.Context(), n)
	if err != nil {
		return outcome{}, err
	}
	secrets := []room.Fact{{Name: "API key", Cell: room.Whole(k.APIKey)}}
	if k.SigningSecret != "" {
		secrets = append(secrets, room.Fact{Name: "Signing secret", Cell: room.Whole(k.SigningSecret)})
	}
	return outcome{show: shownOnce("API key "+k.ID, "developers", "The key works from now on.", secrets...)}, nil
}

// revokeKey ends a key of the merchant.
func revokeKey(v *visit) (outcome, error) {
	k, err := v.panel.Store.Key(v.Context(), room.Clean(v.PathValue("key")))
	if err == nil && k.MerchantID != v.Merchant {
		err = pay.ErrNotFound
	}
	if err != nil {
		return outcome{}, err
	}
	_, err = v.admin().RevokeKey(v.Context(), k.ID)
	return outcome{said: "The key was revoked."}, err
}

func secretPart(v *visit, m *admin.Merchant) room.Part {
	out := room.Part{Heading: "Webhook secret", Half: true, Note: "Webhooks are signed with one secret."}
	if m.SecretRotating {
		out.Note, out.Mood = "Webhooks are signed with two secrets. Once your receiver checks with the newer one, end the older one.", "warn"
	}
	if !v.May(people.Webhooks) {
		return out
	}
	if m.SecretRotating {
		out.Forms = []room.Form{{Action: Prefix + "secret/finish", Verb: "End the older secret", Confirm: "End the older secret? From now on the newer one alone signs."},
			{Action: Prefix + "secret/again", Verb: "Replace the newer one", Quiet: true, Note: "For a newer secret that was lost before it was used."}}
		return out
	}
	out.Forms = []room.Form{{Action: Prefix + "secret/rotate", Verb: "New secret", Note: "The secret is shown once. The older one signs as well until you end it."}}
	return out
}

// rotate gives the merchant a new webhook secret, and shows it this once.
func rotate(again bool) func(*visit) (outcome, error) {
	return func(v *visit) (outcome, error) {
		m, err := v.admin().RotateWebhookSecret(v.Context(), v.Merchant, again)
		if err != nil {
			return outcome{}, err
		}
		return outcome{show: shownOnce("New webhook secret", "developers", "Webhooks are signed with this secret and with the one before.",
			room.Fact{Name: "Webhook secret", Cell: room.Whole(m.WebhookSecret)})}, nil
	}
}

func finishSecret(v *visit) (outcome, error) {
	_, err := v.admin().FinishWebhookSecret(v.Context(), v.Merchant)
	return outcome{said: "The older secret was ended."}, err
}

func walletsPart(v *visit, m *admin.Merchant) room.Part {
	out := room.Part{Heading: "Webhooks of fixed wallets", Half: true, Facts: []room.Fact{{Name: "Address", Cell: room.Whole(m.WalletsWebhook)}}}
	if v.May(people.Webhooks) {
		out.Forms = []room.Form{{Action: Prefix + "wallets/webhook", Verb: "Save", Fields: []room.Field{{Name: "url", Label: "Address", Kind: "text",
			Value: m.WalletsWebhook, Hint: "https://…; empty sends none"}}}}
	}
	return out
}

// setWalletsWebhook changes where webhooks of fixed wallets go.
func setWalletsWebhook(v *visit) (outcome, error) {
	url := v.given("url")
	if url != "" {
		if why, err := v.panel.Receivers(v.Context(), url); err != nil || why != "" {
			if err == nil {
				err = people.Refusal("the address cannot be used: " + why)
			}
			return outcome{}, err
		}
	}
	return outcome{said: "The address was saved."}, v.admin().SetWalletsWebhook(v.Context(), v.Merchant, url)
}
