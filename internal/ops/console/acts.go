package console

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/web/room"
)

// acts has every act by its path below Prefix, with the role it takes.
var acts = map[string]act{
	"payouts/{id}/approve":             {admin.RoleOperator, approvePayout},
	"payouts/{id}/decline":             payoutAct("The payout was declined and its debit returned to the merchant.", (*admin.Admin).DeclinePayout),
	"payouts/{id}/retry":               payoutAct("The payout will be tried again now.", (*admin.Admin).RetryPayout),
	"payouts/{id}/dismiss":             payoutAct("The payout was removed from the overview.", (*admin.Admin).DismissPayout),
	"payouts/{id}/cancel":              payoutAct("The payout is being cancelled. It stops only if the network can be shown never to take it.", (*admin.Admin).CancelPayout),
	"payouts/{id}/complete":            {admin.RoleAdmin, decidePayout(true)},
	"payouts/{id}/refund":              {admin.RoleAdmin, decidePayout(false)},
	"webhooks/{id}/redeliver":          {admin.RoleOperator, redeliverWebhook},
	"unclaimed/{id}/assign":            {admin.RoleOperator, assignTransfer},
	"unclaimed/{id}/ignore":            {admin.RoleOperator, ignoreTransfer},
	"payins/{id}/refund":               {admin.RoleAdmin, promiseRefund},
	"merchants/new":                    {admin.RoleAdmin, makeMerchant},
	"merchants/{id}/set":               {admin.RoleAdmin, setMerchant},
	"merchants/{id}/wallets":           {admin.RoleAdmin, setBudget},
	"merchants/{id}/late":              {admin.RoleAdmin, setLate},
	"merchants/{id}/rates":             {admin.RoleAdmin, setRate},
	"merchants/{id}/limits":            {admin.RoleAdmin, setLimit},
	"merchants/{id}/limits/clear":      {admin.RoleAdmin, clearLimit},
	"merchants/{id}/keys":              {admin.RoleAdmin, makeKey},
	"merchants/{id}/keys/{key}/revoke": {admin.RoleAdmin, revokeKey},
	"merchants/{id}/people":            {admin.RoleAdmin, invitePerson},
	"merchants/{id}/people/remove":     {admin.RoleAdmin, removePerson},
	"merchants/{id}/people/reset":      {admin.RoleAdmin, resetPerson},
	"merchants/{id}/people/trust":      {admin.RoleAdmin, trustPerson},
	"tokens/{symbol}/{network}":        {admin.RoleAdmin, setToken},
	"prices":                           {admin.RoleAdmin, setPrice},
	"prices/clear":                     {admin.RoleAdmin, clearPrice},
	"assets/stop":                      {admin.RoleAdmin, stopAsset},
	"assets/{asset}/resume":            {admin.RoleAdmin, resumeAsset},
	"networks/{network}/resume":        {admin.RoleAdmin, resumeNetwork},
	"networks/{network}/resume-wallet": {admin.RoleAdmin, resumeWallet},
	"networks/{network}/book":          {admin.RoleAdmin, bookSpend},
	"networks/{network}/dismiss":       {admin.RoleOperator, dismissSpend},
	"treasury/correct":                 {admin.RoleAdmin, correctTreasury},
	"treasury/plan":                    {admin.RoleOperator, planTreasury},
	"treasury/pause":                   {admin.RoleOperator, pauseRule},
	"treasury/resume":                  {admin.RoleAdmin, resumeRule},
	"treasury/raise":                   {admin.RoleAdmin, raiseRule},
	"audit/verify":                     {admin.RoleViewer, verifyAudit},
	"operators":                        {admin.RoleAdmin, makeOperator},
	"operators/{name}/disable":         {admin.RoleAdmin, disableOperator},
	"operators/{name}/enable":          {admin.RoleAdmin, enableOperator},
	"operators/{name}/unlock":          {admin.RoleAdmin, unlockOperator},
	"chats/{kind}":                     {admin.RoleAdmin, setChat},
	"chats/{kind}/topics":              {admin.RoleAdmin, setChatTopics},
	"chats/{kind}/test":                {admin.RoleAdmin, testChat},
	"chats/{kind}/remove":              {admin.RoleAdmin, dropChat},
	"account/code":                     {admin.RoleViewer, confirmCode},
	"account/password":                 {admin.RoleViewer, changePassword},
	"account/mail":                     {admin.RoleViewer, offerMail},
	"account/mail/code":                {admin.RoleViewer, confirmMail},
	"account/messages":                 {admin.RoleViewer, setTopics},
}

// given returns a field of the form.
func (v *visit) given(name string) string { return clean(v.PostForm.Get(name)) }

// said is the outcome of an act with nothing but a sentence to show.
func said(text string, err error) (outcome, error) { return outcome{said: text}, err }

func payoutAct(text string, do func(*admin.Admin, context.Context, string) (*admin.Payout, error)) act {
	return act{admin.RoleOperator, func(v *visit) (outcome, error) {
		p, err := do(v.Admin, v.Context(), clean(v.PathValue("id")))
		if err == nil && p.Note != "" {
			return said("It is too late to cancel: "+p.Note+".", nil)
		}
		return said(text, err)
	}}
}

// approvePayout approves the payout as its page has shown it: the form carries the seal.
func approvePayout(v *visit) (outcome, error) {
	ref := clean(v.PathValue("id"))
	if !v.PostForm.Has("seal") {
		return approved(v.ApprovePayout(v.Context(), ref))
	}
	seal, err := hex.DecodeString(v.given("seal"))
	if err != nil {
		return outcome{}, err
	}
	return approved(v.ApproveSealed(v.Context(), ref, seal))
}

// approved says whether an approval was enough, or was the first of two.
func approved(p *admin.Payout, err error) (outcome, error) {
	if err == nil && p.Approval != nil && p.Approval.Decision == nil && p.Approval.FirstBy != nil {
		return said("Your approval was saved. The payout will be signed once a second person approves it.", nil)
	}
	return said("The payout was approved and is being signed.", err)
}

// sealOf returns the hidden field with the seal of the payout shown. An approval is for this seal.
func sealOf(p *pay.Payout) []field {
	return []field{{Name: "seal", Kind: "hidden", Value: hex.EncodeToString(p.Seal)}}
}

func redeliverWebhook(v *visit) (outcome, error) {
	d, err := v.Redeliver(v.Context(), id(v.PathValue("id")))
	if err != nil {
		return outcome{}, err
	}
	return outcome{said: "The webhook will be sent again as this new delivery.", to: "webhooks/" + d.ID.String()}, nil
}

func assignTransfer(v *visit) (outcome, error) {
	t, err := v.AssignUnclaimed(v.Context(), id(v.PathValue("id")), id(v.given("merchant")), v.given("although") != "")
	done := outcome{said: "The transfer was assigned to the merchant. The money is available once the transfer is final.", to: "unclaimed"}
	if err == nil && t.PayinID != nil {
		done.to = "payins/" + t.PayinID.String()
	}
	return done, err
}

func ignoreTransfer(v *visit) (outcome, error) {
	_, err := v.IgnoreUnclaimed(v.Context(), id(v.PathValue("id")))
	return outcome{said: "The transfer was removed from the list.", to: "unclaimed"}, err
}

func makeMerchant(v *visit) (outcome, error) {
	m, err := v.CreateMerchant(v.Context(), admin.NewMerchant{Name: v.given("name"), Email: v.given("email"),
		PreferredFiat: v.given("fiat"), Verified: true})
	if err != nil {
		return outcome{}, err
	}
	return outcome{show: shownOnce("Merchant "+m.Name, "merchants/"+m.ID.String(), "Next, create an API key on the merchant's page.",
		fact{Name: "Webhook secret", Cell: whole(m.WebhookSecret)})}, nil
}

// shownOnce is a page with secrets nobody can see again.
func shownOnce(title, path, note string, secrets ...fact) *page {
	return &page{Title: title, Section: "Merchants", Up: &link{Text: "Back to the merchant", Href: Prefix + path},
		Parts: []part{{Note: "Copy this now. It is shown only once and cannot be shown again.", Mood: "warn",
			Secrets: secrets}, {Note: note}}}
}

func setMerchant(v *visit) (outcome, error) {
	var c admin.MerchantChange
	for name, to := range map[string]**bool{"suspended": &c.Suspended, "api_access": &c.APIAccess, "payment_updated": &c.PaymentUpdated} {
		if given := v.given(name); given != "" {
			on := given == "true"
			*to = &on
		}
	}
	_, err := v.UpdateMerchant(v.Context(), id(v.PathValue("id")), c)
	return said("The merchant was updated.", err)
}

func setLate(v *visit) (outcome, error) {
	grace, bound := v.given("late_grace"), v.given("late_bound")
	_, err := v.UpdateMerchant(v.Context(), id(v.PathValue("id")), admin.MerchantChange{LateGrace: &grace, LateBound: &bound})
	return said("The rules for late money were updated.", err)
}

func setBudget(v *visit) (outcome, error) {
	var budget *admin.WalletBudget
	if limit := v.given("limit"); limit != "" {
		most, err := admin.WalletLimits(admin.Fields{"limit": limit})
		if err != nil {
			return outcome{}, err
		}
		budget = &admin.WalletBudget{Mode: pay.WalletsGlobal, Limit: new(most["limit"])}
	}
	_, err := v.SetFixedWallets(v.Context(), id(v.PathValue("id")), budget)
	return said("The limit of fixed wallets was updated.", err)
}

func setRate(v *visit) (outcome, error) {
	_, err := v.SetRates(v.Context(), id(v.PathValue("id")), v.given("network"), admin.Fields{v.given("name"): v.given("value")})
	return said("The rate was updated. It applies to payins and payouts created from now on.", err)
}

func setLimit(v *visit) (outcome, error) {
	_, err := v.SetPayoutLimit(v.Context(), id(v.PathValue("id")), givenLimit(v))
	return said("The limit was set. Payouts above it that are not signed yet wait for approval.", err)
}

func clearLimit(v *visit) (outcome, error) {
	_, err := v.ClearPayoutLimit(v.Context(), id(v.PathValue("id")), givenLimit(v))
	return said("The limit was removed.", err)
}

// list splits the input at commas; nothing is nil.
func list(text string) []string {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func revokeKey(v *visit) (outcome, error) {
	_, err := v.RevokeKey(v.Context(), clean(v.PathValue("key")))
	return said("The key was revoked.", err)
}

func setToken(v *visit) (outcome, error) {
	_, err := v.SetToken(v.Context(), clean(v.PathValue("symbol")), clean(v.PathValue("network")), admin.Fields{v.given("name"): v.given("value")})
	return said("The token was updated.", err)
}

func setPrice(v *visit) (outcome, error) {
	if err := v.OneIsNotTwo(v.Context(), "can pin a price", "price set"); err != nil {
		return outcome{}, err
	}
	_, err := v.SetPrice(v.Context(), v.given("base"), v.given("quote"), v.given("price"))
	return said("The price was pinned.", err)
}

func clearPrice(v *visit) (outcome, error) {
	_, err := v.ClearPrice(v.Context(), v.given("base"), v.given("quote"))
	return said("The price was removed. A live source may set a new one.", err)
}

func stopAsset(v *visit) (outcome, error) {
	_, err := v.StopAsset(v.Context(), v.given("asset"), v.given("network"), v.given("reason"))
	return said("Payouts of this asset are stopped. They stay pending.", err)
}

func resumeAsset(v *visit) (outcome, error) {
	_, err := v.ResumeAsset(v.Context(), clean(v.PathValue("asset")), v.given("network"))
	return said("Payouts of this asset were resumed.", err)
}

func verifyAudit(v *visit) (outcome, error) {
	head, err := v.VerifyAudit(v.Context(), 0, "")
	if err != nil {
		return outcome{}, err
	}
	return said("All "+number(head.Rows)+" rows are unchanged since they were written. Newest hash, to keep somewhere else: "+number(head.Last)+":"+head.Hash, nil)
}

func makeOperator(v *visit) (outcome, error) {
	if err := v.OneIsNotTwo(v.Context(), "can create an operator", "operator create"); err != nil {
		return outcome{}, err
	}
	o, err := v.CreateOperator(v.Context(), v.given("name"), v.given("role"), v.PostForm.Get("password"))
	if err != nil {
		return outcome{}, err
	}
	return said(o.Name+" can log in.", nil)
}

func unlockOperator(v *visit) (outcome, error) {
	name := clean(v.PathValue("name"))
	_, err := v.UnlockOperator(v.Context(), name)
	return said(name+" can log in again. Whoever tried the codes knew the password: have it changed.", err)
}

func disableOperator(v *visit) (outcome, error) {
	name := clean(v.PathValue("name"))
	_, err := v.DisableOperator(v.Context(), name)
	return said(name+" was disabled and logged out.", err)
}

func enableOperator(v *visit) (outcome, error) {
	if err := v.OneIsNotTwo(v.Context(), "can enable an operator", "operator enable"); err != nil {
		return outcome{}, err
	}
	name := clean(v.PathValue("name"))
	_, err := v.EnableOperator(v.Context(), name)
	return said(name+" can log in again.", err)
}

func confirmCode(v *visit) (outcome, error) {
	if err := v.checkPassword(v.PostForm.Get("password")); err != nil {
		return outcome{}, err
	}
	fresh := room.NewToken()
	_, err := v.ConfirmOwnTOTP(v.Context(), v.Name, v.given("code"), v.session.Hash, room.HashOf(fresh))
	return outcome{said: "From now on, logging in also takes a code.", cookie: fresh}, err
}

// checkPassword refuses any other than the operator's password. It counts as a failed login.
func (v *visit) checkPassword(given string) error {
	_, err := v.Login(v.Context(), v.Name, given, v.console.Origin(v.Request))
	switch {
	case errors.Is(err, admin.ErrTooOften):
		return admin.Refuse(err.Error())
	case errors.Is(err, admin.ErrNoLogin):
		return admin.Refuse("the current password is wrong")
	}
	return err
}

func changePassword(v *visit) (outcome, error) {
	if err := v.checkPassword(v.PostForm.Get("old")); err != nil {
		return outcome{}, err
	}
	_, err := v.SetOwnPassword(v.Context(), v.Name, v.PostForm.Get("new"), v.session.Hash)
	return outcome{said: "The password was changed.", to: "login"}, err
}

func correctTreasury(v *visit) (outcome, error) {
	c, err := v.CorrectTreasury(v.Context(), admin.NewCorrection{Network: v.given("network"), Asset: v.given("asset"), Amount: v.given("amount"),
		Reason: v.given("reason"), Reference: v.given("reference"), Although: v.given("although")})
	if err != nil {
		return outcome{}, err
	}
	return said("The treasury was corrected by "+money(c.Amount, c.Asset).Text+".", nil)
}

// givenLimit reads the limit of a form.
func givenLimit(v *visit) admin.NewLimit {
	return admin.NewLimit{Unit: v.given("unit"), Above: v.given("above"), Per: v.given("per"), PerAddress: v.given("per_address") != ""}
}
