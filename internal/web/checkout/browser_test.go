package checkout_test

import (
	"bytes"
	"fmt"
	"image"
	_ "image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"causeway/internal/dev/browser"
	"causeway/internal/pay"
	"causeway/internal/proof/contract"
)

// screens are those for every state to be readable at.
var screens = map[string]browser.Screen{
	"phone-light":   {Width: 360, Height: 740},
	"phone-dark":    {Width: 360, Height: 740, Dark: true},
	"desktop-light": {Width: 1280, Height: 800},
	"desktop-dark":  {Width: 1280, Height: 800, Dark: true},
	"tablet-light":  {Width: 1024, Height: 768},
	"wide-light":    {Width: 1920, Height: 1080},
}

// Every state fits a phone and a desktop in light and dark: nothing runs out of the page, no button is too small to touch,
// and the browser has nothing to complain of. PAGES_OUT keeps the pictures.
func TestEveryStateFits(t *testing.T) {
	t.Parallel()
	d := open(t)
	page := browser.Open(t).Page(screens["phone-light"])
	for name, scene := range scenes {
		id := scene.make(d)
		for _, lang := range []string{"en", "de", "ar"} {
			page.SetScreen(screens["phone-light"])
			page.Visit(d.url + "/pay/" + id.String() + "?lang=" + lang)
			for as, screen := range screens {
				if lang != "en" && as != "phone-light" {
					continue
				}
				page.SetScreen(screen)
				if wide := page.Eval("document.documentElement.scrollWidth"); wide != float64(screen.Width) {
					t.Errorf("%s %s %s is %v wide", name, lang, as, wide)
				}
				small := page.Eval(`[...document.querySelectorAll("button, a.button, input")].map(e => (e.closest("label") ?? e).getBoundingClientRect().height).filter(height => height > 0 && height < 40).length`)
				if small != 0.0 {
					t.Errorf("%s %s: %v things are too small to touch", name, as, small)
				}
				keep(t, page, name+"-"+lang+"-"+as)
			}
		}
		d.exec("delete from followers")
	}
	if found := page.Problems(); len(found) > 0 {
		t.Errorf("the browser complains: %s", found)
	}
}

// The page saying there is none fits as well.
func TestProblemFits(t *testing.T) {
	t.Parallel()
	d, b := open(t), browser.Open(t)
	for as, screen := range screens {
		page := b.Page(screen)
		page.Visit(d.url + "/pay/nothing/here?lang=es")
		if wide := page.Eval("document.documentElement.scrollWidth"); wide != float64(screen.Width) || page.Text("h1") != "Aquí no hay ningún pago" {
			t.Errorf("%s is %v wide and says %s", as, wide, page.Text("h1"))
		}
		if size := page.Eval(`getComputedStyle(document.querySelector("h1")).fontSize`); size != "18.4px" {
			t.Errorf("%s has no style: %v", as, size)
		}
		keep(t, page, "problem-"+as)
	}
}

func keep(t *testing.T, page *browser.Page, name string) {
	if dir := os.Getenv("PAGES_OUT"); dir != "" {
		must(t, os.WriteFile(filepath.Join(dir, name+".png"), page.Picture(), 0o600))
	}
}

// scan reads the code in a picture, as a camera does: where one way to tell dark from light fails, it tries another.
func scan(picture image.Image) (read *gozxing.Result, err error) {
	light := gozxing.NewLuminanceSourceFromImage(picture)
	for _, ways := range []gozxing.Binarizer{gozxing.NewHybridBinarizer(light), gozxing.NewGlobalHistgramBinarizer(light)} {
		bitmap, failed := gozxing.NewBinaryBitmap(ways)
		if failed != nil {
			return nil, failed
		}
		hints := map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true}
		if read, err = qrcode.NewQRCodeReader().Decode(bitmap, hints); err == nil {
			break
		}
	}
	return read, err
}

// A wallet's camera reads the payment URI off the page, in light and dark.
func TestTheCodeCanBeScanned(t *testing.T) {
	t.Parallel()
	d, b := open(t), browser.Open(t)
	for name, o := range map[string]order{
		"bitcoin:":    {network: "Bitcoin", token: "BTC", amount: "0.00123456"},
		"ethereum:0x": {network: "Ethereum", token: "USDC", amount: "25.5"},
		"simulated:T": {},
	} {
		id := d.payin(o)
		for _, dark := range []bool{false, true} {
			page := b.Page(browser.Screen{Width: 360, Height: 740, Dark: dark})
			page.Visit(d.url + "/pay/" + id.String())
			picture, _, err := image.Decode(bytes.NewReader(page.Picture()))
			must(t, err)
			read, err := scan(picture)
			must(t, err)
			if !strings.HasPrefix(read.GetText(), name) {
				t.Errorf("dark %v: read %q, want %s…", dark, read.GetText(), name)
			}
			if link := page.Eval(`document.querySelector("#open-wallet")?.getAttribute("href") ?? "simulated:" + document.querySelector("#copy-address").dataset.copy`); link != read.GetText() {
				t.Errorf("read %q, the page says %v", read.GetText(), link)
			}
		}
	}
}

// An open page follows its payin to the end by itself, and leaves unchanged parts alone.
func TestAnOpenPageFollows(t *testing.T) {
	t.Parallel()
	d, b := open(t), browser.Open(t)
	id := d.payin(order{network: "Ethereum"})
	page := b.Page(browser.Screen{Width: 360, Height: 740})
	page.Visit(d.url + "/pay/" + id.String())
	page.Await("the page waits", `document.querySelector("h1").innerText === "Waiting for your payment"`)
	page.Eval(`document.getElementById("copy-address").focus(); document.getElementById("copy-address").mark = true`)

	d.sees(id, "10", pay.TransferSeen, 100)
	d.head("Ethereum", 100)
	page.Await("what is missing shows", `document.querySelector("h1").innerText === "15 USDT still missing"`)
	if at := page.Eval("document.activeElement.id"); at != "copy-address" {
		t.Errorf("the focus went to %v", at)
	}
	d.sees(id, "15", pay.TransferSeen, 101)
	d.head("Ethereum", 102)
	page.Await("confirmations show", `document.querySelector("#part-payments").innerText.includes("3 of 6 confirmations")`)
	d.head("Ethereum", 104)
	page.Await("confirmations count", `document.querySelector("#part-payments").innerText.includes("5 of 6 confirmations")`)
	d.exec("update transfers set status = 'final', credited = amount, counted = amount, credits = 1 where payin_id = ?", id)
	d.exec("update payins set status = 'completed', received = 25 where id = ?", id)
	page.Await("the receipt shows", `document.querySelector("h1").innerText === "Paid" && document.querySelector(".receipt")`)
	if title := page.Eval("document.title"); title != "Paid · Café & Sons" {
		t.Errorf("the title is %v", title)
	}
	if found := page.Problems(); len(found) > 0 {
		t.Error(found)
	}
}

// The page of a partly paid payin says how much is missing until its time is over, and then how much has arrived.
func TestAnUnderpaidPageExpires(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.payin(order{})
	page := browser.Open(t).Page(screens["phone-dark"])
	page.Visit(d.url + "/pay/" + id.String())
	page.Await("the page waits", `document.querySelector("h1").innerText === "Waiting for your payment"`)
	d.sees(id, "10", pay.TransferSeen, 90)
	page.Await("what is missing shows", `document.querySelector("h1").innerText === "15 USDT still missing"`)
	d.exec("update transfers set status = 'credited', credited = amount, counted = amount, credits = 1 where payin_id = ?", id)
	d.exec("update payins set status = 'failed', received = 10, expires_at = now() - interval '1 second' where id = ?", id)
	page.Await("it has expired", `document.querySelector("h1").innerText === "This payment has expired"`)
	if said := page.Text("#part-status"); !strings.Contains(said, "10 of 25 USDT arrived") ||
		page.Eval(`document.querySelectorAll("svg.code, .code").length`) != 0.0 {
		t.Errorf("an expired page says %s", said)
	}
	if found := page.Problems(); len(found) > 0 {
		t.Error(found)
	}
}

// The fault of an amount stays to be read while the page goes on following, and the next try pays.
func TestAWrongAmount(t *testing.T) {
	t.Parallel()
	d, b := open(t), browser.Open(t)
	id := d.payin(order{})
	page := b.Page(browser.Screen{Width: 360, Height: 740})
	page.Visit(d.url + "/pay/" + id.String() + "?lang=es")
	page.Eval(`document.querySelector("#pay-amount").value = "1,5"`)
	page.Click("#pay-now")
	page.Await("it says what is wrong", `document.querySelector("#wrong")?.innerText.startsWith("Ese importe")`)
	d.sees(id, "5", pay.TransferSeen, 0)
	page.Await("it follows", `document.querySelector("h1").innerText === "Aún faltan 20 USDT"`)
	if wrong := page.Eval(`document.querySelectorAll("#wrong, [aria-invalid]").length`); wrong != 2.0 {
		t.Errorf("%v are left of what was wrong", wrong)
	}
	page.Eval(`document.querySelector("#pay-amount").value = "1.5"`)
	page.Click("#pay-now")
	page.Await("it is taken", `!document.querySelector("#wrong") && document.querySelector("#pay-amount").value === "20"`)
}

// Without a script the page shows everything, and comes again by itself.
func TestWithoutScripts(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Payers' page: The page follows")
	d, b := open(t), browser.Open(t)
	id := d.payin(order{})
	page := b.Page(browser.Screen{Width: 360, Height: 740, NoScript: true})
	page.Visit(d.url + "/pay/" + id.String())
	shown := page.Text("body")
	for _, want := range []string{"Tron (TRC-20)", "25 USDT", "Waiting for your payment"} {
		if !strings.Contains(shown, want) {
			t.Errorf("lacks %q: %s", want, shown)
		}
	}
	if strings.Contains(shown, "Copy") {
		t.Error("shows a button that does nothing")
	}
	if n := page.Eval(`document.querySelectorAll("head noscript meta[http-equiv=refresh]").length`); n != 1.0 {
		t.Errorf("%v refreshes", n)
	}
}

// Where streams do not get through, the page asks; where nothing does, it says so.
func TestWithoutStreams(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Payers' page: The page follows")
	d, b := open(t), browser.Open(t)
	id := d.payin(order{})
	d.stop() // no more streams; pages are still answered
	page := b.Page(browser.Screen{Width: 360, Height: 740})
	page.Visit(d.url + "/pay/" + id.String())
	d.exec("update payins set status = 'completed', received = 25 where id = ?", id)
	page.Await("the page asked", `document.querySelector("h1").innerText === "Paid"`)

	other := d.payin(order{})
	page.Visit(d.url + "/pay/" + other.String())
	d.exec("alter table payins rename to payins_away")
	page.Await("the page says that it may be old", `!document.getElementById("offline").hidden`)
	d.exec("alter table payins_away rename to payins")
	page.Await("the page is up to date again", `document.getElementById("offline").hidden`)
}

// The copy buttons copy the values for a wallet, and say so.
func TestCopying(t *testing.T) {
	t.Parallel()
	d, b := open(t), browser.Open(t)
	id := d.payin(order{network: "Ripple", token: "XRP", amount: "40.5", memo: "12345678"})
	page := b.Page(browser.Screen{Width: 360, Height: 740, Languages: "pt-BR"})
	page.Visit(d.url + "/pay/" + id.String())
	for button, want := range map[string]string{"copy-memo": "12345678", "copy-amount": "40.5"} {
		page.Eval(`navigator.clipboard.writeText = async (text) => { window.copied = text }`)
		page.Click("#" + button)
		page.Await(button+" copies", fmt.Sprintf("window.copied === %q && document.getElementById(%q).innerText === 'Copiado'", want, button))
	}
	if said := page.Eval(`document.getElementById("said").textContent`); !strings.Contains(fmt.Sprint(said), "Copiado") {
		t.Errorf("said %v", said)
	}
	if response, _ := d.ask(http.MethodGet, "/pay/"+id.String(), ""); response.StatusCode != http.StatusOK {
		t.Error(response.StatusCode)
	}
}
