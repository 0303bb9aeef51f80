package panel_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/people"
)

// waiting is a form of two withdrawals of somebody that wait for a second person.
func (f *floor) waiting(merchant uuid.UUID, email string) (form uuid.UUID, of []*pay.Payout) {
	f.Helper()
	form = uuid.New()
	for line := range 2 {
		of = append(of, f.payoutUnder(pay.PanelKey(email), merchant, pay.PanelReference(form, line+1), "10"))
	}
	f.must(f.panelStore.AskSecond(f.Context(), form, email, "worth more than 10 USD", of))
	return form, of
}

func (f *floor) confirmedBy(p *pay.Payout) string {
	f.Helper()
	found, err := f.panelStore.SecondOf(f.Context(), p.MerchantID, p.ID)
	f.must(err)
	if found.ConfirmedBy == nil {
		return ""
	}
	return *found.ConfirmedBy
}

// A second person sees all of a form, and confirms it with a code of their own: not the first one, not by a page that shows something else,
// and not once more. Another merchant's form is not there.
func TestASecondPersonConfirms(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.fund(f.shop, "100")
	f.fund(f.other, "100")
	ann, bob, eve := f.member(f.shop, "ann@example.com", people.Finance), f.member(f.shop, "bob@example.com", people.Owner), f.member(f.other, "eve@example.com", people.Owner)
	viewer := f.member(f.shop, "vic@example.com", people.Viewer)
	form, of := f.waiting(f.shop, ann.email)
	at := "confirm/" + form.String()
	if got, page := bob.do(at, "shown", "x"); got != http.StatusForbidden || !strings.Contains(page, "login code is needed") {
		t.Errorf("without a login code it is answered %d %s", got, page)
	}
	annCode, code := ann.coded(), bob.coded()
	eve.coded()
	if _, page := bob.get("confirm"); !strings.Contains(page, at) || !strings.Contains(page, "ann@example.com") {
		t.Errorf("the list shows %s", page)
	}
	_, page := bob.get(at)
	shown := hidden(page, "shown")
	if !strings.Contains(page, of[0].Wallet) || !strings.Contains(page, "2 of 2") || shown == "" {
		t.Errorf("the page shows %s", page)
	}
	if _, page := viewer.get(at); strings.Contains(page, `name="shown"`) || !strings.Contains(page, "Your role cannot") {
		t.Errorf("a viewer is shown %s", page)
	}
	for _, path := range []string{at, at + "/decline"} {
		if got, _ := eve.do(path, "shown", shown, "code", "000000"); got != http.StatusNotFound {
			t.Errorf("%s by another merchant's owner is answered %d", path, got)
		}
	}
	if got, _ := eve.get(at); got != http.StatusNotFound {
		t.Errorf("another merchant's owner is shown it: %d", got)
	}
	if _, page := ann.do(at, "shown", shown, "code", annCode()); !strings.Contains(page, "another person confirms it") {
		t.Errorf("the first person is answered %s", page)
	}
	if _, page := bob.do(at, "shown", shown+"0", "code", "000000"); !strings.Contains(page, "changed since you opened it") {
		t.Errorf("other figures are answered %s", page)
	}
	if _, page := bob.do(at, "shown", shown, "code", "000000"); !strings.Contains(page, "code is wrong") {
		t.Errorf("a wrong code is answered %s", page)
	}
	f.withdrawals.barred = people.Refusal("not in the book")
	if _, page := bob.do(at, "shown", shown, "code", "000000"); !strings.Contains(page, "not in the book") {
		t.Errorf("against the rule of the book it is answered %s", page)
	}
	f.withdrawals.barred = nil
	if f.confirmedBy(of[0]) != "" {
		t.Fatal("it is confirmed")
	}
	if _, page := bob.do(at, "shown", shown, "code", code()); !strings.Contains(page, "Confirmed.") || f.confirmedBy(of[0]) != bob.email || f.confirmedBy(of[1]) != bob.email {
		t.Errorf("confirming is answered %s", page)
	}
	if _, page := bob.do(at, "shown", shown, "code", "000000"); !strings.Contains(page, "nothing of it waits") {
		t.Errorf("confirming again is answered %s", page)
	}
	if _, page := ann.get("payouts/" + of[0].ID.String()); !strings.Contains(page, bob.email) {
		t.Errorf("the payout's page shows %s", page)
	}
	if got := f.audited(f.shop); strings.Count(strings.Join(got, ","), "bob@example.com person.confirm-withdrawal") != 1 {
		t.Errorf("audited %q", got)
	}
}

// Declining by any of them cancels all that waits, once.
func TestDecliningWhatWaits(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.fund(f.shop, "100")
	ann := f.member(f.shop, "ann@example.com", people.Finance)
	form, of := f.waiting(f.shop, ann.email)
	at := "confirm/" + form.String()
	if _, page := ann.get(at); strings.Contains(page, `name="shown"`) || !strings.Contains(page, "/decline") {
		t.Errorf("the first person is shown %s", page)
	}
	if _, page := ann.do(at + "/decline"); !strings.Contains(page, "Declined") {
		t.Errorf("declining is answered %s", page)
	}
	if _, page := ann.do(at + "/decline"); !strings.Contains(page, "nothing of it waits") {
		t.Errorf("declining again is answered %s", page)
	}
	for _, p := range of {
		now, err := f.panelStore.Payout(t.Context(), p.ID)
		f.must(err)
		if !now.Cancelling {
			t.Errorf("%s is not cancelled", p.ReferenceID)
		}
	}
}

// The rule is an owner's, and the page says which rules hold.
func TestTheRuleOfASecondPerson(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	if got, page := ann.do("confirm/rule", "above", "1", "fiat", "USD"); got != http.StatusForbidden || !strings.Contains(page, "login code is needed") {
		t.Errorf("without a login code it is answered %d %s", got, page)
	}
	ann.coded()
	for _, step := range []struct{ above, fiat, want string }{
		{"-1", "USD", "not a plain number"}, {"1", "XXX", "no fiat of the catalogue"}, {"100", "USD", "worth more than 100 USD need a second person.<"},
		{"200", "EUR", "100 USD need a second person until"}, {"", "", "200 EUR need a second person until"},
	} {
		if _, page := ann.do("confirm/rule", "above", step.above, "fiat", step.fiat); !strings.Contains(page, step.want) {
			t.Errorf("%+v is answered %s", step, page)
		}
	}
}
