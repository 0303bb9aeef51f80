package panel_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
)

// fakeDeposits is a fake of the API's deposits (api.Deposits) over the test's database. It refuses an amount that is none, and a form that
// has recorded another amount.
type fakeDeposits struct{ f *floor }

func (d fakeDeposits) Made(ctx context.Context, n *pay.Deposit) (*pay.Payin, error) {
	rows, err := d.f.panelStore.PayinsCalled(ctx, pay.PanelReference(n.Form, 0), 1)
	switch {
	case err != nil || len(rows) == 0:
		return nil, err
	case rows[0].Amount.String() != n.Amount:
		return nil, people.Refusal("this form was used for another")
	}
	return &rows[0], nil
}

func (d fakeDeposits) New(ctx context.Context, n *pay.Deposit) (*pay.Payin, error) {
	if n.Amount != "20" {
		return nil, people.Refusal("the amount is none")
	}
	p := d.f.payin(n.Merchant, pay.PanelReference(n.Form, 0))
	_, err := d.f.db.NewRaw("update payins set key_id = ? where id = ?", pay.PanelKey(n.Email), p.ID).Exec(ctx)
	return p, err
}

func (d fakeDeposits) Wallet(ctx context.Context, merchant uuid.UUID, _ string, family pay.Family, name string) (*pay.Wallet, error) {
	if name == "" {
		return nil, people.Refusal("a name is missing")
	}
	w := &pay.Wallet{ID: uuid.New(), MerchantID: merchant, Family: family, CustomerInfo: name, Wallet: "TWallet" + name, Origin: pay.OriginPanel, Status: pay.WalletAssigned}
	s := store.New(d.f.db)
	index, err := s.NextAddressIndex(ctx)
	if err != nil {
		return nil, err
	}
	return w, s.AddWallet(ctx, w, &pay.Address{Family: family, Match: w.Wallet, Address: w.Wallet, Position: index, WalletID: &w.ID})
}

// A deposit shows its address with a QR code and the payer's page, and keeps itself up to date until it is paid. A form makes one. Another
// merchant's is not there.
func TestADepositIsShown(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann, vic, eve := f.member(f.shop, "ann@example.com", people.Finance), f.member(f.shop, "vic@example.com", people.Developer), f.member(f.other, "eve@example.com", people.Owner)
	_, page := ann.get("deposit")
	form := hidden(page, "form")
	if form == "" || strings.Contains(page, "deposit/wallet") {
		t.Fatalf("the page shows %s", page)
	}
	if _, page := vic.get("deposit"); strings.Contains(page, `name="form"`) {
		t.Errorf("a developer is shown %s", page)
	}
	order := []string{"form", form, "what", "USDT|Tron", "amount", "20"}
	for _, wrong := range [][]string{{"what", "USDT|Tron", "amount", "20"}, {"form", form, "what", "USDT|Tron", "amount", "x"}} {
		if _, page := ann.do("deposit", wrong...); !strings.Contains(page, "expired") && !strings.Contains(page, "amount is none") {
			t.Errorf("%q is answered %s", wrong, page)
		}
	}
	var at string
	for range 2 {
		got, to := ann.post("deposit", order...)
		if got != http.StatusSeeOther || at != "" && to != at {
			t.Fatalf("the form is answered %d %s", got, to)
		}
		at = to
	}
	at = strings.TrimPrefix(at, "/panel/")
	_, page = ann.get(at)
	for _, want := range []string{`aria-label="QR code"`, "https://pay.example/pay/", "data-live", "ann@example.com", "TPayin"} {
		if !strings.Contains(page, want) {
			t.Errorf("the payin's page lacks %s: %s", want, page)
		}
	}
	if got, _ := eve.get(at); got != http.StatusNotFound {
		t.Errorf("another merchant's is answered %d", got)
	}
	_, err := f.db.NewRaw("update payins set status = 'completed'").Exec(t.Context())
	f.must(err)
	if _, page := ann.get(at); strings.Contains(page, `aria-label="QR code"`) || strings.Contains(page, "data-live") {
		t.Errorf("a paid one shows %s", page)
	}
	if got := f.audited(f.shop); strings.Count(strings.Join(got, ","), "person.deposit") != 2 {
		t.Errorf("audited %q", got)
	}
}

// A fixed wallet of the panel has a page of its own, where the merchant has fixed wallets at all.
func TestAFixedWalletIsShown(t *testing.T) {
	t.Parallel()
	f := open(t)
	_, err := f.db.NewRaw("update merchants set wallets_mode = 'global'").Exec(t.Context())
	f.must(err)
	ann, eve := f.member(f.shop, "ann@example.com", people.Owner), f.member(f.other, "eve@example.com", people.Owner)
	if _, page := ann.get("deposit"); !strings.Contains(page, "deposit/wallet") {
		t.Errorf("the page shows %s", page)
	}
	if _, page := ann.do("deposit/wallet", "type", "tron", "name", ""); !strings.Contains(page, "a name is missing") {
		t.Errorf("without a name it is answered %s", page)
	}
	_, to := ann.post("deposit/wallet", "type", "tron", "name", "till")
	at := strings.TrimPrefix(to, "/panel/")
	if _, page := ann.get(at); !strings.Contains(page, "TWallettill") || !strings.Contains(page, `aria-label="QR code"`) || !strings.Contains(page, "the panel") {
		t.Errorf("the wallet's page shows %s", page)
	}
	if _, page := ann.get("wallets"); !strings.Contains(page, at) {
		t.Errorf("the list shows %s", page)
	}
	if got, _ := eve.get(at); got != http.StatusNotFound {
		t.Errorf("another merchant's is answered %d", got)
	}
}
