package console_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"causeway/internal/dev/browser"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// amiss is a sent payout of 50 USDT with a final payment of 49.9 arrived, while 50 left the hot wallet.
func (d *desk) amiss() *pay.Payout {
	d.t.Helper()
	d.payin()
	p := d.payout("salary-7", "50")
	d.work()
	signed, err := d.store.SignedOf(d.t.Context(), p.ID)
	must(d.t, err)
	must(d.t, d.store.AddAmiss(d.t.Context(), store.AmissPayment{Network: "Ethereum", Txid: signed[0].Txid, PayoutID: p.ID, Arrived: dec("49.9"), Spent: dec("50")}))
	return p
}

// An admin completes or refunds a payout with a payment of another amount, once, by a form with the share of each side; an operator
// reads the amounts. The audit names the admin.
//
// Covers operator §Console: An admin decides, on its page, a payout whose final payment
func TestAnAdminDecidesOnAnAmissPayout(t *testing.T) {
	t.Parallel()
	for act, want := range map[string]struct {
		status pay.PayoutStatus
		said   string
	}{
		"complete": {pay.PayoutCompleted, "This cannot be undone.\" data-note=\"The merchant pays the full debit of 50 USDT.\">"},
		"refund":   {pay.PayoutRefunded, "This cannot be undone.\" data-note=\"The merchant gets 50 USDT back. The treasury bears 50 USDT that left.\">"},
	} {
		t.Run(act, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			d.operator("ann", admin.RoleAdmin)
			d.operator("bob", admin.RoleOperator)
			ann, bob := d.person(), d.person()
			ann.login("ann", password)
			bob.login("bob", password)
			p := d.amiss()
			path := "payouts/" + p.ID.String()
			if _, page := bob.get("/console/" + path); !strings.Contains(page, "Only an admin can decide.") || strings.Contains(page, path+"/"+act) {
				t.Error("an operator is offered the decision")
			}
			if status, _ := bob.do(path + "/" + act); status != http.StatusForbidden {
				t.Errorf("an operator decides: %d", status)
			}
			if _, page := ann.get("/console/" + path); !strings.Contains(page, "49.9 of 50 USDT arrived; 50 USDT left the hot wallet. "+want.said) {
				t.Errorf("the question does not say %q", want.said)
			}
			if _, page := ann.do(path + "/" + act); !strings.Contains(page, "Decided: the payout is now "+string(want.status)+".") {
				t.Error("it is not decided")
			}
			if !slices.Contains(d.audited(), "ann payout.decide") {
				t.Error("the audit does not name the admin")
			}
			if _, page := ann.do(path + "/" + act); !strings.Contains(page, "is "+string(want.status)+": only one whose final payment") {
				t.Error("it is decided twice")
			}
		})
	}
}

// The page of such a payout fits a phone. Its refund is red and asks first, with the treasury's share.
//
// Covers operator §Console: An admin decides, on its page, a payout whose final payment
func TestAnAmissPayoutInABrowser(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	p := d.amiss()
	page := browser.Open(t).Page(desktop)
	d.enter(page, "ann")
	page.Await("the overview", `document.querySelector("h1")?.innerText === "Overview"`)
	d.fits(page, "amiss", screens, "payouts/"+p.ID.String())
	page.Click(`form[action$="/refund"] button`)
	page.Await("the question", `document.querySelector("dialog[open]")?.innerText.includes("The treasury bears 50 USDT")`)
	if page.Eval(`document.querySelector("dialog[open] .danger") !== null`) != true {
		t.Error("the question is not red")
	}
}
