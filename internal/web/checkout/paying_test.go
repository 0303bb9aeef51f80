package checkout_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"causeway/internal/dev/browser"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/proof/contract"
	"causeway/internal/web/checkout"
)

// A click pays once: the button waits until the payment is seen, also when the page is loaded again.
func TestPayNowWaitsUntilSomethingMoves(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Payers' page: On a simulated network")
	d, b := open(t), browser.Open(t)
	id := d.payin(order{})
	page := b.Page(browser.Screen{Width: 390, Height: 844})
	page.Visit(d.url + "/pay/" + id.String())
	page.Eval("window.clicked = true")
	page.Click("#pay-now")
	testkit.Eventually(t, time.Minute, func() bool { return d.payments() == 1 }, "the payment")
	page.Await("the answer is shown", `!window.clicked && document.readyState === "complete"`)
	page.Await("the button waits", `document.querySelector("#pay-now").disabled`)
	page.Visit(d.url + "/pay/" + id.String())
	page.Await("it waits after a reload", `document.querySelector("#pay-now").disabled`)
	d.sees(id, "5", pay.TransferSeen, 0)
	page.Await("it pays again", `!document.querySelector("#pay-now").disabled && document.querySelector("#pay-now").innerText === "Pay now"`)
	if n := d.payments(); n != 1 {
		t.Errorf("%d payments", n)
	}
}

func (d *desk) payments() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.paid)
}

// On a phone, the values to copy into a wallet stand above the fold.
func TestCopyIsAboveTheFold(t *testing.T) {
	t.Parallel()
	d, b := open(t), browser.Open(t)
	for _, lang := range []string{"en", "de", "fr", "ru", "ar", "ja"} {
		page := b.Page(browser.Screen{Width: 390, Height: 844})
		page.Visit(d.url + "/pay/" + d.payin(order{}).String() + "?lang=" + lang)
		for _, button := range []string{"#copy-address", "#copy-amount"} {
			if bottom := page.Eval(fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().bottom <= 844`, button)); bottom != true {
				t.Errorf("%s in %s is below the fold", button, lang)
			}
		}
	}
}

// The switch shows a code of the address alone, and the choice stays while the page changes.
func TestTheCodeOfTheAddressAlone(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Payers' page: The QR code holds")
	d, b := open(t), browser.Open(t)
	id := d.payin(order{network: "Ethereum"})
	page := b.Page(browser.Screen{Width: 390, Height: 844})
	page.Visit(d.url + "/pay/" + id.String())
	seen := func(which string) string {
		return fmt.Sprintf(`document.querySelector("#code-%s").getBoundingClientRect().height > 0`, which)
	}
	page.Await("the code has the amount", seen("amount")+" && !("+seen("address")+")")
	page.Click("#holds-address")
	page.Await("the code is the address", seen("address")+" && !("+seen("amount")+")")
	d.sees(id, "5", pay.TransferSeen, 0)
	page.Await("it stays", `document.querySelector("h1").innerText.startsWith("20 USDT") && `+seen("address"))
}

// A partly paid payin shows the amount left to pay, with a bar; numbers are in the visitor's marks, and copied plain.
func TestPartlyPaidInPortuguese(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Payers' page: Numbers are written")
	d, b := open(t), browser.Open(t)
	id := d.payin(order{amount: "20000.999", received: "1"})
	page := b.Page(browser.Screen{Width: 390, Height: 844, Languages: "pt-BR"})
	page.Visit(d.url + "/pay/" + id.String())
	if sum := page.Text("#part-sum"); !strings.Contains(sum, "Falta pagar") || !strings.Contains(sum, "19.999,999 USDT") {
		t.Errorf("says %s", sum)
	}
	if bar := page.Eval(`document.querySelector(".whole").getAttribute("value") + " of " + document.querySelector(".whole").getAttribute("max")`); bar != "1 of 20000.999" {
		t.Errorf("the bar stands at %v", bar)
	}
	copied := page.Eval(`(() => {
		const range = document.createRange();
		range.selectNodeContents(document.querySelector(".steps .value[data-plain]"));
		getSelection().removeAllRanges(); getSelection().addRange(range);
		const data = new DataTransfer();
		document.dispatchEvent(new ClipboardEvent("copy", { clipboardData: data, cancelable: true }));
		return data.getData("text/plain") + " " + document.querySelector("#copy-amount").dataset.copy;
	})()`)
	if copied != "19999.999 19999.999" {
		t.Errorf("copies %v", copied)
	}
	if until := page.Text(".left time"); !strings.Contains(until, "UTC") && !strings.Contains(until, "GMT") {
		t.Errorf("the time has no zone: %s", until)
	}
}

// A transaction of a real network leads to an explorer.
func TestTransactionsLinkToAnExplorer(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Payers' page: Transactions on real networks")
	d := open(t, func(deps *checkout.Deps) {
		networks := deps.Networks
		deps.Networks = func(name string) checkout.Network {
			n := networks(name)
			if !n.Simulated {
				n.Explain = func(txid string) string { return "https://scan.example/tx/" + txid }
			}
			return n
		}
	})
	for network, linked := range map[string]bool{"Ethereum": true, "Tron": false} {
		id := d.payin(order{network: network})
		d.sees(id, "5", pay.TransferSeen, 0)
		body := d.page(id, "en")
		if strings.Contains(body, `rel="noopener noreferrer"`) != linked || strings.Contains(body, "https://scan.example/tx/9f2c4e") != linked {
			t.Errorf("%s: %s", network, body)
		}
	}
}

// The page leads back to the shop before a payment and after it.
func TestThePageLeadsBackToTheShop(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §The payers' page: The page leads back to")
	d := open(t)
	for _, o := range []order{{}, {status: pay.PayinCompleted, received: "25"}, {status: pay.PayinFailed, ends: -time.Hour}, {status: pay.PayinReversed}} {
		o.back = "https://shop.example/orders/7?a=b&c=d"
		if body := d.page(d.payin(o), "de"); !strings.Contains(body, `href="https://shop.example/orders/7?a=b&amp;c=d" target="_top" rel="noreferrer">Zurück zu `) {
			t.Errorf("%s: no way back: %s", o.status, body)
		}
		o.back = ""
		if body := d.page(d.payin(o), "de"); strings.Contains(body, `id="back"`) {
			t.Errorf("%s: a way back to nowhere: %s", o.status, body)
		}
	}
}
