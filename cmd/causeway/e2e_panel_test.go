package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/internal/dev/browser"
)

const personsPassword = "correct horse battery"

var (
	desktop = browser.Screen{Width: 1280, Height: 800, Languages: "en"}
	phone   = browser.Screen{Width: 390, Height: 844, Languages: "en"}
)

// visitor is somebody with a browser of their own, on the whole product.
type visitor struct {
	*browser.Page
	i      *installation
	secret string // of their codes; empty for a payer
	codes  int    // given so far: each is good once
}

func (i *installation) payer() *visitor {
	return &visitor{Page: browser.Open(i.t).Page(phone), i: i}
}

// person is somebody of the demo merchant who has accepted the link, logs in with a code, and may move money.
func (i *installation) person(email, role string) *visitor {
	i.t.Helper()
	merchant := i.file().MerchantID
	var made struct{ Path string }
	require.NoError(i.t, json.Unmarshal([]byte(i.command("admin", "merchant", "invite", email, "--merchant", merchant, "--role", role)), &made))
	v := &visitor{Page: browser.Open(i.t).Page(desktop), i: i}
	v.Visit("http://" + i.listen + made.Path)
	v.send("", "name", email[:3], "password", personsPassword)
	v.reads("Log in")
	v.send("", "email", email, "password", personsPassword)
	v.reads("Balances")
	v.open("account")
	v.secret, _ = v.Eval(`[...document.querySelectorAll("[data-copy]")].map(e => e.dataset.copy).find(c => /^[A-Z2-7]{32}$/.test(c))`).(string)
	v.send("/panel/account/code", "password", personsPassword, "code", v.code())
	v.says("takes a code")
	i.command("admin", "merchant", "trust", email, "--merchant", merchant)
	return v
}

// code is a code that was not given yet.
func (v *visitor) code() string {
	v.i.t.Helper()
	const span = 30 * time.Second
	code, err := totp.GenerateCode(v.secret, time.Now().Add(time.Duration(v.codes-1)*span))
	require.NoError(v.i.t, err)
	v.codes++
	return code
}

// open shows a page of the panel.
func (v *visitor) open(path string) { v.Visit("http://" + v.i.listen + "/panel/" + path) }

// send fills in a form and sends it; names and values come in pairs. A form is named by its address, and by nothing if it is the only one.
func (v *visitor) send(action string, fields ...string) {
	v.i.t.Helper()
	form := "main form"
	if action != "" {
		form = "form[action=" + strconv.Quote(action) + "]"
	}
	v.Await("the form "+action, "document.querySelector("+strconv.Quote(form)+")")
	for n := 0; n < len(fields); n += 2 {
		v.Eval(fmt.Sprintf(`document.querySelector(%q).value = %q`, form+" [name="+fields[n]+"]", fields[n+1]))
	}
	v.Click(form + " button:not([type=button])")
}

// reads waits for a heading, and says for words.
func (v *visitor) reads(heading string) {
	v.i.t.Helper()
	v.Await(heading, fmt.Sprintf(`document.querySelector("h1")?.innerText.startsWith(%q)`, heading))
}

func (v *visitor) says(words string) {
	v.i.t.Helper()
	v.Await(words, fmt.Sprintf(`document.querySelector("main")?.innerText.includes(%q)`, words))
}

// saysLater is says on a page that is loaded again and again.
func (v *visitor) saysLater(words string) {
	v.i.t.Helper()
	v.Await(words, fmt.Sprintf(`document.querySelector("main")?.innerText.includes(%q) || (location.reload(), false)`, words))
}

// copied is the first text to copy that begins so.
func (v *visitor) copied(begins string) string {
	v.i.t.Helper()
	found, _ := v.Eval(fmt.Sprintf(`document.querySelector('[data-copy^=%q]')?.dataset.copy ?? ""`, begins)).(string)
	require.NotEmpty(v.i.t, found, begins)
	return found
}

// chooses clicks the offer of a network, of the first token that has it.
func (v *visitor) chooses(network string) {
	v.i.t.Helper()
	v.Await(network, fmt.Sprintf(`(() => { const offer = [...document.querySelectorAll(".offer")].find(o => o.innerText.includes(%q)); offer?.click(); return !!offer })()`, network))
}

// looks keeps pictures on a desktop and a phone (PAGES_OUT), and fails where anything runs out of the page.
func (v *visitor) looks(name string) {
	v.i.t.Helper()
	for as, screen := range map[string]browser.Screen{"desktop": desktop, "phone": phone} {
		v.SetScreen(screen)
		require.EqualValues(v.i.t, screen.Width, v.Eval("document.documentElement.scrollWidth"), "%s on a %s", name, as)
		if dir := os.Getenv("PAGES_OUT"); dir != "" {
			require.NoError(v.i.t, os.WriteFile(filepath.Join(dir, name+"-"+as+".png"), v.Picture(), 0o600))
		}
	}
}

// TestPeopleAndPayers plays the people of a merchant and their payers in browsers on the whole product, each step on a desktop and a phone.
func TestPeopleAndPayers(t *testing.T) {
	t.Parallel()
	i := install(t, "SANDBOX_BLOCK_TIME=100ms")
	ann, bob, payer := i.person("ann@example.com", "owner"), i.person("bob@example.com", "finance"), i.payer()
	ann.choosesALook()
	ann.asksAndRefunds(payer)
	ann.makesALink(payer)
	ann.deposits()
	i.balances()
	ann.open("requests")
	ann.saysLater("/v1/balance")
	ann.looks("requests")
	ann.withdraws(bob)
	for _, v := range []*visitor{ann, bob, payer} {
		require.Empty(t, v.Problems())
	}
}

// choosesALook uploads a logo, and shows it with a colour.
func (v *visitor) choosesALook() {
	picture := image.NewRGBA(image.Rect(0, 0, 160, 48))
	for x := range 160 {
		for y := range 48 {
			picture.Set(x, y, color.RGBA{R: uint8(x), G: 90, B: 160, A: 255})
		}
	}
	var file bytes.Buffer
	require.NoError(v.i.t, png.Encode(&file, picture))
	v.open("look")
	v.Eval(`(() => { const bytes = Uint8Array.from(atob("` + base64.StdEncoding.EncodeToString(file.Bytes()) + `"), c => c.charCodeAt(0)), d = new DataTransfer();
		d.items.add(new File([bytes], "logo.png", {type: "image/png"})); document.querySelector("[name=file]").files = d.files })()`)
	v.send("/panel/look/logo")
	v.says("The logo was added")
	v.Eval(`document.querySelector("[name=logo]").selectedIndex = 1`)
	v.send("/panel/look", "colour", "#7c3aed", "support", "help@shop.example")
	v.says("look so from now on")
	v.looks("look")
}

// asksAndRefunds makes a payment request with items. A payer pays too much, and says where the rest goes.
func (v *visitor) asksAndRefunds(payer *visitor) {
	t := v.i.t
	v.open("payment-requests/new")
	v.send("", "label", "Invoice 7", "amount", "30", "currency", "USDT", "item_name", "Ticket", "item_quantity", "2", "item_amount", "15")
	v.reads("Request for 30 USDT")
	v.looks("request")
	made := v.copied("http")
	payer.Visit(made)
	payer.says("Ticket")
	payer.looks("request-payer")
	payer.chooses("Tron (TRC-20)")
	payer.reads("Waiting for your payment")
	payer.looks("request-waiting")
	payer.Eval(`document.querySelector("#pay-amount").value = "42"`)
	payer.Click("#pay-now")
	payer.reads("Paid, with 12 USDT too much")
	payer.looks("request-paid")
	v.saysLater("completed")
	v.Click(`main a[href^="/panel/payins/"]`)
	v.reads("Payin of 30 USDT")
	v.saysLater("that came on Tron") // what is final may go back
	at, _ := v.Eval("location.pathname").(string)
	v.send(at+"/refund/check", "part", "overpaid", "description", "You paid too much")
	v.reads("Confirm the refund")
	v.looks("refund-confirm")
	v.send(at+"/refund", "code", v.code())
	v.Await("the link's form", `document.querySelector('form[action$="/link"]')`)
	v.looks("refund-made")
	v.Click(`form[action$="/link"] button`)
	v.Await("the link", `document.querySelector('[data-copy*="/pay/refund/"]')`)
	v.looks("refund-link")
	payer.Visit(v.copied("http"))
	require.Contains(t, payer.Text("body"), "Invoice 7")
	payer.looks("refund-payer")
	payer.send("", "wallet", addresses.Encode("Tron", [32]byte{7}))
	payer.Await("the figures", `document.querySelector("#confirm")`)
	payer.looks("refund-payer-confirm")
	payer.Click("#confirm")
	payer.Await("the refund's payout", `document.querySelector("main").dataset.state !== "open" && document.querySelector("#to")`)
	payer.looks("refund-payer-sent")
	require.Contains(t, payer.Text("main"), addresses.Encode("Tron", [32]byte{7}))
	v.open(strings.TrimPrefix(at, "/panel/"))
	v.saysLater("completed")
	v.looks("refund-done")
}

// makesALink makes a payment link, and a payer comes by it to a payin.
func (v *visitor) makesALink(payer *visitor) {
	v.open("links/new")
	v.looks("link-new")
	require.Equal(v.i.t, "USD", v.Eval(`document.querySelector("[name=currency]").value`), "the merchant's own currency comes first")
	v.send("", "label", "Tea", "currency", "USDT", "least", "2", "most", "50")
	v.Await("the link", `document.querySelector('[data-copy*="/pay/link/"]')`)
	v.looks("link")
	payer.Visit(v.copied("http"))
	payer.looks("link-payer")
	payer.Eval(`document.querySelector("#sum").value = "5"`)
	payer.Click("form button")
	payer.Await("the offers", `document.querySelector(".offer")`)
	payer.looks("link-choose")
	payer.chooses("Tron (TRC-20)")
	payer.reads("Waiting for your payment")
}

// deposits gets an address with its code.
func (v *visitor) deposits() {
	v.open("deposit")
	v.send("/panel/deposit", "what", "USDT|Tron", "amount", "10")
	v.Await("the address", `document.querySelector("main svg.code")`)
	v.looks("deposit")
}

// withdraws under a rule of two people; the second one confirms.
func (v *visitor) withdraws(second *visitor) {
	v.open("confirm")
	v.send("/panel/confirm/rule", "above", "10", "fiat", "USD")
	v.says("worth more than 10 USD need a second person")
	v.looks("second-rule")
	v.open("withdraw")
	v.send("/panel/withdraw/check", "what", "USDT|Tron", "amount", "60", "wallet", addresses.Encode("Tron", [32]byte{9}))
	v.reads("Confirm the withdrawal")
	v.looks("withdraw-confirm")
	v.send("/panel/withdraw", "code", v.code())
	v.Await("the payout", `location.pathname.startsWith("/panel/payouts/")`)
	v.says("second person")
	v.looks("withdraw-waits")
	second.open("confirm")
	second.looks("second-list")
	second.Click(`main a[href^="/panel/confirm/"]`)
	second.Await("the form", `document.querySelector("[name=shown]")`)
	second.looks("second-confirm")
	at, _ := second.Eval("location.pathname").(string)
	second.send(at, "code", second.code())
	second.Await("the code was taken", `document.querySelector(".flash.good")`)
	second.looks("second-done")
	v.saysLater("completed")
	v.looks("withdraw-done")
}
