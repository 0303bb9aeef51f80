package panel_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/web/panel"
)

// fakeWithdrawals is a fake of the API's recorder (api.Withdrawals). It knows the balance and the fee, refuses what the balance does not
// cover and a form that has recorded something else, and answers a form that is known with its payouts.
type fakeWithdrawals struct {
	sync.Mutex
	left     decimal.Decimal
	fee      decimal.Decimal
	recorded map[string]*fakeRecord // by reference
	barred   error                  // no withdrawal may be confirmed
	lost     int                    // so many records lose their answers: they are recorded, and an error comes back
}

type fakeRecord struct {
	pay.Withdrawal
	payout pay.Payout
}

func newFakeWithdrawals() *fakeWithdrawals {
	return &fakeWithdrawals{left: decimal.NewFromInt(100), fee: decimal.NewFromInt(1), recorded: map[string]*fakeRecord{}}
}

// of is the record of a form without a file.
func (f *fakeWithdrawals) of(form string) *fakeRecord { return f.recorded["panel-"+form] }

func (f *fakeWithdrawals) Made(_ context.Context, asked []*pay.Withdrawal) ([]*pay.Payout, error) {
	f.Lock()
	defer f.Unlock()
	return f.made(asked)
}

func (f *fakeWithdrawals) made(asked []*pay.Withdrawal) ([]*pay.Payout, error) {
	out := make([]*pay.Payout, len(asked))
	for i, n := range asked {
		was := f.recorded[pay.PanelReference(n.Form, n.Line)]
		switch {
		case was == nil || was.Merchant != n.Merchant:
		case was.Wallet != n.Wallet || was.Amount != n.Amount || was.Token != n.Token || was.Network != n.Network || was.Memo != n.Memo:
			return nil, people.Refusal("this form was used for another withdrawal")
		default:
			out[i] = &was.payout
		}
	}
	return out, nil
}

func (f *fakeWithdrawals) Rehearse(_ context.Context, asked []*pay.Withdrawal) ([]panel.Withdrawn, error) {
	f.Lock()
	defer f.Unlock()
	out, left := make([]panel.Withdrawn, len(asked)), f.left
	for i, n := range asked {
		out[i] = f.check(n, left)
		if out[i].Payout != nil {
			left = left.Sub(out[i].Payout.Debit)
		}
	}
	return out, nil
}

func (f *fakeWithdrawals) check(n *pay.Withdrawal, left decimal.Decimal) panel.Withdrawn {
	amount, err := decimal.NewFromString(n.Amount)
	if err != nil || amount.Add(f.fee).GreaterThan(left) {
		return panel.Withdrawn{Err: people.Refusal("the balance does not cover it")}
	}
	p := &pay.Payout{ID: uuid.New(), MerchantID: n.Merchant, KeyID: pay.PanelKey(n.Email), ReferenceID: pay.PanelReference(n.Form, n.Line), Wallet: n.Wallet,
		Amount: amount, RateFee: f.fee, Debit: amount.Add(f.fee), Token: n.Token, Asset: n.Token, Network: n.Network, CreatedAt: time.Now()}
	if n.ShownDebit.Valid && p.Debit.GreaterThan(n.ShownDebit.Decimal) {
		return panel.Withdrawn{Payout: p, Err: panel.ErrDearer}
	}
	return panel.Withdrawn{Payout: p}
}

func (f *fakeWithdrawals) Record(_ context.Context, asked []*pay.Withdrawal) ([]panel.Withdrawn, error) {
	f.Lock()
	defer f.Unlock()
	was, err := f.made(asked)
	if err != nil {
		return nil, err
	}
	out := make([]panel.Withdrawn, len(asked))
	for i, n := range asked {
		reference := pay.PanelReference(n.Form, n.Line)
		switch {
		case was[i] != nil:
			out[i].Payout = was[i]
			continue
		case f.recorded[reference] != nil:
			out[i].Err = people.Refusal("the reference was used before")
			continue
		}
		if out[i] = f.check(n, f.left); out[i].Err != nil {
			continue
		}
		f.left = f.left.Sub(out[i].Payout.Debit)
		f.recorded[reference] = &fakeRecord{*n, *out[i].Payout}
		if f.lost > 0 {
			f.lost--
			out[i].Err = errors.New("the connection is gone")
		}
	}
	return out, nil
}

func (f *fakeWithdrawals) Allowed(context.Context, *pay.Payout) error { return f.barred }

var asked = []string{"what", "USDT|Tron", "amount", "60", "wallet", "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"}

// confirmed asks for a withdrawal, and returns the form that confirms it, without its code.
func (p *person) confirmed() []string {
	p.Helper()
	got, page := p.do("withdraw/check", asked...)
	if got != http.StatusOK || !strings.Contains(page, "Taken from your balance") {
		p.Fatalf("the check is answered %d %s", got, page)
	}
	out := append([]string{}, asked...)
	for _, name := range []string{"form", "shown_amount", "shown_debit"} {
		out = append(out, name, hidden(page, name))
	}
	return out
}

// hidden is the value of a hidden field of a page.
func hidden(page, name string) string {
	_, rest, _ := strings.Cut(page, `name="`+name+`" value="`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// A withdrawal is shown, confirmed with a code of its own, and recorded for the merchant of the session.
func TestAWithdrawalTakesACode(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Finance)
	for _, path := range []string{"withdraw/check", "withdraw"} {
		if code, page := ann.do(path, asked...); code != http.StatusForbidden || !strings.Contains(page, "login code is needed") {
			t.Errorf("%s without a login code is answered %d %s", path, code, page)
		}
	}
	code := ann.coded()
	if got, page := ann.do("withdraw/check", "what", "USDT|Tron", "amount", "1000", "wallet", "x"); got != http.StatusSeeOther || !strings.Contains(page, "does not cover") {
		t.Errorf("too much is answered %d %s", got, page)
	}
	confirmed := ann.confirmed()
	if got, page := ann.do("withdraw", append(confirmed, "code", "000000")...); got != http.StatusOK || !strings.Contains(page, "code is wrong") {
		t.Errorf("a wrong code is answered %d %s", got, page)
	}
	if len(f.withdrawals.recorded) > 0 {
		t.Fatal("something is recorded without a code")
	}
	now := code()
	if got, _ := ann.do("withdraw", append(confirmed, "code", now)...); got != http.StatusSeeOther {
		t.Errorf("the right code is answered %d", got)
	}
	n := f.withdrawals.of(confirmed[7])
	if n == nil || n.Merchant != f.shop || n.Email != ann.email || n.Amount != "60" || n.Token != "USDT" || n.Network != "Tron" {
		t.Fatalf("recorded %+v", n)
	}
	f.withdrawals.left = decimal.NewFromInt(1000)
	if got, page := ann.do("withdraw", append(ann.confirmed(), "code", now)...); got != http.StatusOK || !strings.Contains(page, "used already") {
		t.Errorf("a used code is answered %d %s", got, page)
	}
	if _, page := ann.do("withdraw", append(asked, "code", code())...); !strings.Contains(page, "form has expired") {
		t.Errorf("a form without an id is answered %s", page)
	}
	if got := f.audited(f.shop); strings.Count(strings.Join(got, ","), "person.withdraw") != 1 {
		t.Errorf("audited %q", got)
	}
}

// A form that has recorded its payout says so, without a code, whatever the balance is by then: nobody is led to begin again.
func TestAConfirmedFormThatIsSentAgain(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	code := ann.coded()
	confirmed := ann.confirmed()
	if got, _ := ann.do("withdraw", append(confirmed, "code", code())...); got != http.StatusSeeOther {
		t.Fatalf("the form is answered %d", got)
	}
	for _, given := range []string{"", "000000"} {
		got, page := ann.post("withdraw", append(confirmed, "code", given)...)
		if got != http.StatusSeeOther || !strings.Contains(page, "payouts/"+f.withdrawals.of(confirmed[7]).payout.ID.String()) {
			t.Errorf("the form sent again is answered %d %s", got, page)
		}
		if _, page := ann.get(""); !strings.Contains(page, "This withdrawal was made at") {
			t.Errorf("the next page says %s", page)
		}
	}
	other := append(append([]string{}, confirmed...), "code", "000000")
	other[3] = "1"
	if _, page := ann.do("withdraw", other...); !strings.Contains(page, "another withdrawal") {
		t.Errorf("the form with another amount is answered %s", page)
	}
	if len(f.withdrawals.recorded) != 1 {
		t.Errorf("%d are recorded", len(f.withdrawals.recorded))
	}
}

// An answer that was lost leads to the list, and never to another withdrawal. The form itself pays once.
func TestAnAnswerThatWasLost(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	code := ann.coded()
	f.withdrawals.lost = 1
	confirmed := ann.confirmed()
	got, page := ann.do("withdraw", append(confirmed, "code", code())...)
	if got != http.StatusOK || !strings.Contains(page, "Do not begin another withdrawal") || !strings.Contains(page, "payouts?reference=panel-"+confirmed[7]) {
		t.Fatalf("the lost answer is %d %s", got, page)
	}
	again := append([]string{}, asked...)
	for _, name := range []string{"form", "shown_amount", "shown_debit"} {
		again = append(again, name, hidden(page, name))
	}
	if got, page := ann.post("withdraw", append(again, "code", "")...); got != http.StatusSeeOther || !strings.Contains(page, "payouts/") {
		t.Errorf("the form of the page is answered %d %s", got, page)
	}
	if len(f.withdrawals.recorded) != 1 || f.withdrawals.left.String() != "39" {
		t.Errorf("%d are recorded, %s is left", len(f.withdrawals.recorded), f.withdrawals.left)
	}
}

// Fees that have risen are shown before anything is recorded.
func TestFeesThatHaveRisen(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	code := ann.coded()
	confirmed := ann.confirmed()
	f.withdrawals.fee = decimal.NewFromInt(5)
	got, page := ann.do("withdraw", append(confirmed, "code", code())...)
	if got != http.StatusOK || !strings.Contains(page, "new figures") || hidden(page, "shown_debit") != "65" || len(f.withdrawals.recorded) > 0 {
		t.Fatalf("dearer is answered %d %s", got, page)
	}
	for i, name := range confirmed {
		if name == "shown_debit" {
			confirmed[i+1] = hidden(page, name)
		}
	}
	if got, page := ann.do("withdraw", append(confirmed, "code", code())...); got != http.StatusSeeOther || len(f.withdrawals.recorded) != 1 {
		t.Errorf("the new figures are answered %d %s", got, page)
	}
}

// A withdrawal is cancelled while nothing is signed for it: not a payout of the API, and not another's.
func TestCancellingAWithdrawal(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.fund(f.shop, "100")
	f.fund(f.other, "100")
	key := pay.PanelKey("ann@example.com")
	mine, signed, api := f.payoutUnder(key, f.shop, "mine", "10"), f.payoutUnder(key, f.shop, "signed", "10"), f.payout(f.shop, "api", "10")
	theirs := f.payoutUnder(key, f.other, "theirs", "10")
	_, err := f.db.NewRaw("update payouts set status = 'signed' where id = ?", signed.ID).Exec(t.Context())
	f.must(err)
	ann, bob := f.member(f.shop, "ann@example.com", people.Finance), f.member(f.shop, "bob@example.com", people.Viewer)
	at := func(p *pay.Payout) string { return "payouts/" + p.ID.String() }
	for p, offered := range map[*pay.Payout]bool{mine: true, signed: false, api: false} {
		_, page := ann.get(at(p))
		if strings.Contains(page, "/cancel") != offered {
			t.Errorf("the page of %s shows %s", p.ReferenceID, page)
		}
		if strings.Contains(page, "sends no webhooks") != (p != api) {
			t.Errorf("the page of %s says of webhooks %s", p.ReferenceID, page)
		}
	}
	if _, page := bob.get(at(mine)); strings.Contains(page, "/cancel") {
		t.Error("a viewer is offered to cancel")
	}
	for p, want := range map[*pay.Payout]string{signed: "cannot be cancelled any more", api: "by the operator", theirs: "nothing at this address"} {
		if _, page := ann.do(at(p) + "/cancel"); !strings.Contains(page, want) {
			t.Errorf("cancelling %s is answered %s", p.ReferenceID, page)
		}
	}
	if _, page := ann.do(at(mine) + "/cancel"); !strings.Contains(page, "is being cancelled") || !strings.Contains(page, "cancelling") {
		t.Errorf("cancelling is answered %s", page)
	}
	if _, page := ann.do(at(mine) + "/cancel"); !strings.Contains(page, "cannot be cancelled any more") {
		t.Errorf("cancelling again is answered %s", page)
	}
	var marked []string
	f.must(f.db.NewRaw("select reference_id from payouts where cancelling").Scan(t.Context(), &marked))
	if len(marked) != 1 || marked[0] != "mine" {
		t.Errorf("%q are cancelled", marked)
	}
	if got := f.audited(f.shop); strings.Count(strings.Join(got, ","), "person.cancel-withdrawal") != 1 {
		t.Errorf("audited %q", got)
	}
}
