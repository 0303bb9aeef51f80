package panel_test

import (
	"slices"
	"strings"
	"testing"

	"causeway/internal/dev/browser"
	"causeway/internal/people"
)

// Somebody adds a passkey in a browser, logs in with it, and withdraws. A device that does not know its user, and a passkey that was
// removed, let nobody in. Without scripts the login by password is offered alone.
func TestPasskeysInABrowser(t *testing.T) {
	t.Parallel()
	f := openAt(t, func(port string) string { return "http://localhost:" + port })
	ann := f.member(f.shop, "ann@example.com", people.Finance)
	page := browser.Open(t).Page(screens["phone-light"])
	at := f.address + "/panel/"
	page.Visit(at + "login?to=/panel/account")
	page.Await("the button for passkeys", `document.querySelector("form[data-passkeys]:not([hidden])")`)
	f.looks(page, "login-passkey")
	device := page.Authenticator()
	fill(page, "email", ann.email, "password", password)
	page.Click("form button")
	page.Await("the own page", `document.querySelector("[action='/panel/account/passkeys']")`)
	fill(page, "name", "phone")
	page.Click("[action='/panel/account/passkeys'] button")
	page.Await("the proof", `document.querySelector("[name=proof]")`)
	fill(page, "proof", password)
	page.Click("main form button")
	page.Await("the form of the passkey", `document.querySelector("[name=made]")`)
	f.looks(page, "passkey-new")
	page.Click("main form button")
	page.Await("the passkey", `document.querySelector("main")?.innerText.includes("The passkey was added")`)
	f.looks(page, "account-passkeys")
	f.settled()

	page.Click("[action='/panel/logout'] button")
	page.Await("the login", `document.querySelector("form[data-passkeys]:not([hidden])")`)
	device.Verify(false)
	page.Click("form[data-passkeys] button")
	page.Await("the refusal", `document.querySelector("[data-passkey-said]")?.innerText.includes("No passkey was given")`)
	device.Verify(true)
	page.Click("form[data-passkeys] button")
	page.Await("the balances", `document.querySelector("h1")?.innerText === "Balances"`)
	page.Visit(at + "withdraw")
	fill(page, asked...)
	page.Click("main form button")
	page.Await("the figures", `document.querySelector("h1")?.innerText === "Confirm the withdrawal"`)
	f.looks(page, "withdraw-passkey")
	page.Click("main form button")
	page.Await("the payout's page", `location.pathname.startsWith("/panel/payouts/")`)
	if len(f.withdrawals.recorded) != 1 {
		t.Errorf("%d are recorded", len(f.withdrawals.recorded))
	}
	if found := slices.DeleteFunc(page.Problems(), func(said string) bool { return strings.Contains(said, "Failed to load resource") }); len(found) > 0 {
		t.Errorf("the browser complains: %s", found)
	}

	_, err := f.db.NewRaw(`with ended as (delete from person_sessions), gone as (delete from person_passkeys) update people set passkeys = 0`).Exec(t.Context())
	f.must(err)
	page.Visit(at + "login")
	page.Click("form[data-passkeys] button")
	page.Await("the refusal", `document.querySelector(".flash.bad")?.innerText.includes("was not accepted")`)
	page.SetScreen(browser.Screen{Width: 390, Height: 844, NoScript: true})
	page.Visit(at + "login")
	if page.Text("main") == "" || page.Eval(`document.querySelector("form[data-passkeys]").hidden`) != true {
		t.Error("a button that does nothing is shown without scripts")
	}
}
