package panel_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/ledger"
	"causeway/migrations"
)

// seals are those of the payouts of every floor.
var seals = vault.NewSealer("payout", make([]byte, vault.KeySize))

// fund credits a merchant, final at once.
func (f *floor) fund(merchant uuid.UUID, amount string) {
	f.Helper()
	transfer := &pay.Transfer{ID: uuid.Must(uuid.NewV7()), Network: "Tron", Amount: decimal.RequireFromString(amount)}
	_, err := ledger.Post(f.Context(), f.db, ledger.UnclaimedAssigned(merchant, "USDT", transfer))
	f.must(err)
}

// payout is a payout of a funded merchant.
func (f *floor) payout(merchant uuid.UUID, reference, amount string) *pay.Payout {
	f.Helper()
	return f.payoutUnder("key", merchant, reference, amount)
}

// payoutUnder is a payout under a key, or of somebody in the panel.
func (f *floor) payoutUnder(key string, merchant uuid.UUID, reference, amount string) *pay.Payout {
	f.Helper()
	p := &pay.Payout{ID: uuid.Must(uuid.NewV7()), MerchantID: merchant, KeyID: key, ReferenceID: reference, Wallet: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
		Token: "USDT", Asset: "USDT", Network: "Tron", ProcessBy: pay.ByCrypto, FiatCurrency: "USD", WebhookURL: "https://shop.example/hook"}
	f.must(ledger.PayoutFees(p, decimal.RequireFromString(amount), 6))
	p.Seal = seals.Make(p.Sealed()...)
	out, err := store.New(f.db).RecordPayouts(f.Context(), []store.PayoutItem{{Payout: p, HoldDigest: ledger.PayoutHeld(p).Digest}})
	f.must(err)
	if out[0].Outcome != "created" {
		f.Fatalf("the payout is %s", out[0].Outcome)
	}
	return p
}

// payin is a payin of a merchant that nobody has paid.
func (f *floor) payin(merchant uuid.UUID, reference string) *pay.Payin {
	f.Helper()
	ctx, s := f.Context(), store.New(f.db)
	index, err := s.NextAddressIndex(ctx)
	f.must(err)
	address := fmt.Sprintf("TPayin%028d", index)
	p := &pay.Payin{ID: uuid.Must(uuid.NewV7()), MerchantID: merchant, ReferenceID: reference, Wallet: address, Token: "USDT", Asset: "USDT", Network: "Tron",
		ProcessBy: pay.ByCrypto, Amount: decimal.NewFromInt(20), FiatCurrency: "USD", MinimumPayment: decimal.NewFromInt(100),
		WebhookURL: "https://shop.example/hook", Status: pay.PayinPending, ExpiresAt: time.Now().Add(time.Hour)}
	_, err = s.AddPayin(ctx, p, &pay.Address{Family: "tron", Match: address, Address: address, Position: index, PayinID: &p.ID})
	f.must(err)
	return p
}

// delivery is a webhook about a payin or payout of a merchant.
func (f *floor) delivery(merchant, subject uuid.UUID) *pay.Delivery {
	f.Helper()
	d := pay.Delivery{ID: uuid.Must(uuid.NewV7()), MerchantID: merchant, Subject: subject, Event: pay.Events[0], URL: "https://shop.example/hook",
		Body: []byte(`{"event":"x","data":{"is_duplicated":false}}`)}
	f.must(store.New(f.db).AddDeliveries(f.Context(), []pay.Delivery{d}))
	return &d
}

// table reads a list as CSV.
func (p *person) table(path string) [][]string {
	p.Helper()
	code, body := p.get(path)
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if code != http.StatusOK || err != nil {
		p.Fatalf("%s is %d %s: %v", path, code, body, err)
	}
	return rows[1:]
}

// Every role sees what is the merchant's in lists, pages and files, and nothing of another merchant.
func TestMoneyOfTheMerchantAlone(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.fund(f.shop, "100")
	f.fund(f.other, "70")
	mine, theirs := f.payout(f.shop, "mine", "10"), f.payout(f.other, "theirs", "11")
	in, out := f.payin(f.shop, "in-mine"), f.payin(f.other, "in-theirs")
	told, silent := f.delivery(f.shop, mine.ID), f.delivery(f.other, theirs.ID)
	bob := f.member(f.shop, "bob@example.com", people.Viewer)
	if _, page := bob.get(""); !strings.Contains(page, "90") || !strings.Contains(page, "EUR") {
		t.Errorf("the balances are %s", page)
	}
	for path, want := range map[string]int{"payins": 1, "payouts": 1, "webhooks": 1, "wallets": 0, "statement": 2} {
		rows := bob.table(path + "?format=csv")
		if len(rows) != want || strings.Contains(fmt.Sprint(rows), "theirs") {
			t.Errorf("%s has %q", path, rows)
		}
		if code, page := bob.get(path); code != http.StatusOK || strings.Contains(page, "theirs") {
			t.Errorf("%s shows %d %s", path, code, page)
		}
	}
	for path, want := range map[string]int{
		"payouts/" + mine.ID.String(): http.StatusOK, "payouts/" + theirs.ID.String(): http.StatusNotFound,
		"payins/" + in.ID.String(): http.StatusOK, "payins/" + out.ID.String(): http.StatusNotFound,
		"webhooks/" + told.ID.String(): http.StatusOK, "webhooks/" + silent.ID.String(): http.StatusNotFound,
		"payouts/x": http.StatusNotFound, "payins/x": http.StatusNotFound, "webhooks/x": http.StatusNotFound, "payins/" + uuid.Nil.String(): http.StatusNotFound,
	} {
		if code, page := bob.get(path); code != want {
			t.Errorf("%s is %d %s", path, code, page)
		}
	}
}

// A statement goes on below the last line of a page, also where lines have one time, and its filters narrow it.
func TestStatement(t *testing.T) {
	t.Parallel()
	f := open(t)
	for range 60 {
		f.fund(f.shop, "1")
	}
	f.payout(f.shop, "one", "10")
	ann := f.member(f.shop, "ann@example.com", people.Finance)
	if rows := ann.table("statement?format=csv"); len(rows) != 61 {
		t.Errorf("the file has %d lines", len(rows))
	}
	_, first := ann.get("statement")
	_, rest, found := strings.Cut(first, `href="/panel/statement?below=`)
	below, _, _ := strings.Cut(rest, `"`)
	if _, second := ann.get("statement?below=" + below); !found || strings.Count(first, "<tr>") != 51 || strings.Count(second, "<tr>") != 12 {
		t.Errorf("the pages have %d and %d lines", strings.Count(first, "<tr>"), strings.Count(second, "<tr>"))
	}
	for filter, want := range map[string]int{"type=WITHDRAWAL": 1, "type=DEPOSIT": 60, "direction=out": 1, "reference=one": 1, "reference=two": 0, "asset=BTC": 0,
		"from=2020-01-01&until=2020-01-02": 0, "network=Tron": 61, "direction=sideways": 0} {
		if rows := ann.table("statement?format=csv&" + filter); len(rows) != want {
			t.Errorf("%s has %d lines", filter, len(rows))
		}
	}
	if code, _ := ann.get("statement?format=csv&from=yesterday"); code != http.StatusBadRequest {
		t.Errorf("a day that is none is answered %d", code)
	}
}

// A developer makes keys, but none that pays out: an owner with a login code does. The key shown works, and is nobody else's to revoke.
func TestKeysOfADeveloper(t *testing.T) {
	t.Parallel()
	f := open(t)
	dev, other := f.member(f.shop, "dev@example.com", people.Developer), f.member(f.other, "other@example.com", people.Owner)
	if code, page := dev.do("keys", "scopes", pay.ScopePayoutWrite); code != http.StatusForbidden || !strings.Contains(page, "login code is needed") {
		t.Errorf("a key that pays out is answered %d %s", code, page)
	}
	code, page := dev.do("keys", "ips", "10.0.0.0/8", "sign", "on")
	if code != http.StatusOK || !strings.Contains(page, "Signing secret") {
		t.Fatalf("a key is answered %d %s", code, page)
	}
	keys, err := f.admin.Store.KeysOf(t.Context(), f.shop)
	f.must(err)
	if len(keys) != 1 || !keys[0].Signs || strings.Contains(strings.Join(keys[0].Scopes, " "), "write") || keys[0].IPs[0] != "10.0.0.0/8" {
		t.Fatalf("keys are %+v", keys)
	}
	if code, _ := other.do("keys/" + keys[0].ID + "/revoke"); code != http.StatusNotFound {
		t.Errorf("another merchant's owner revokes it: %d", code)
	}
	dev.coded()
	if _, page := dev.do("keys", "scopes", pay.ScopePayoutWrite); !strings.Contains(page, "an owner must make it") {
		t.Errorf("with a code a developer's key that pays out is answered %s", page)
	}
	owner := f.member(f.shop, "owner@example.com", people.Owner)
	code2 := owner.coded()
	again := f.stranger(owner.email)
	again.login(password)
	again.ask(http.MethodPost, "login/code", map[string][]string{"code": {code2()}})
	if code, page := again.do("keys", "scopes", pay.ScopePayoutWrite, "scopes", pay.ScopePayinRead, "daily", "1000"); code != http.StatusOK || !strings.Contains(page, "API key") {
		t.Errorf("with a code a key that pays out is answered %d %s", code, page)
	}
	if _, page := again.do("keys/" + keys[0].ID + "/revoke"); !strings.Contains(page, "The key was revoked") {
		t.Errorf("revoking is answered %s", page)
	}
	if keys, err = f.admin.Store.KeysOf(t.Context(), f.shop); err != nil || len(keys) != 2 || keys[1].RevokedAt == nil || keys[0].RevokedAt != nil {
		t.Errorf("keys are %+v: %v", keys, err)
	}
	if got := strings.Join(f.audited(f.shop), ","); strings.Count(got, "key.create") != 2 || strings.Count(got, "key.revoke") != 1 {
		t.Errorf("the merchant's audit has %s", got)
	}
}

// A webhook secret is changed without a gap, an address for fixed wallets is checked, and a webhook is sent again.
func TestWebhooksOfADeveloper(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.fund(f.shop, "100")
	sent := f.delivery(f.shop, f.payout(f.shop, "mine", "10").ID)
	theirs := f.delivery(f.other, uuid.New())
	dev := f.member(f.shop, "dev@example.com", people.Developer)
	before, err := f.admin.Store.WebhookSecrets(t.Context(), f.shop)
	f.must(err)
	if code, page := dev.do("secret/rotate"); code != http.StatusOK || !strings.Contains(page, vault.WebhookSecretMark) {
		t.Fatalf("a new secret is answered %d %s", code, page)
	}
	during, err := f.admin.Store.WebhookSecrets(t.Context(), f.shop)
	f.must(err)
	dev.do("secret/finish")
	after, err := f.admin.Store.WebhookSecrets(t.Context(), f.shop)
	f.must(err)
	if len(before) != 1 || len(during) != 2 || len(after) != 1 {
		t.Errorf("secrets are %d, %d, %d", len(before), len(during), len(after))
	}
	if _, page := dev.do("wallets/webhook", "url", "https://refused.example"); !strings.Contains(page, "cannot be used") {
		t.Errorf("a refused address is answered %s", page)
	}
	dev.do("wallets/webhook", "url", "https://shop.example/wallets")
	if m, err := f.admin.Store.Merchant(t.Context(), f.shop); err != nil || m.WalletsWebhook != "https://shop.example/wallets" {
		t.Errorf("the address is %q: %v", m.WalletsWebhook, err)
	}
	if code, _ := dev.do("webhooks/" + theirs.ID.String() + "/redeliver"); code != http.StatusNotFound {
		t.Errorf("another's webhook is sent again: %d", code)
	}
	if _, page := dev.do("webhooks/" + sent.ID.String() + "/redeliver"); !strings.Contains(page, "will be sent again") {
		t.Errorf("sending again is answered %s", page)
	}
	if rows := dev.table("webhooks?format=csv"); len(rows) != 2 {
		t.Errorf("webhooks are %q", rows)
	}
}

// The page of an old payin or payout says after how long webhooks are deleted. A deleted webhook is as one that never was.
func TestDeletedWebhooks(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.fund(f.shop, "100")
	p, in := f.payout(f.shop, "mine", "10"), f.payin(f.shop, "in-mine")
	told := f.delivery(f.shop, p.ID)
	dev := f.member(f.shop, "dev@example.com", people.Developer)
	const gone = "Webhooks are deleted 30 days after they ended."
	says := func(want bool) {
		f.Helper()
		for _, at := range []string{"payouts/" + p.ID.String(), "payins/" + in.ID.String()} {
			if _, page := dev.get(at); strings.Contains(page, gone) != want {
				f.Errorf("%s says %q: %v", at, gone, !want)
			}
		}
	}
	says(false)
	old := uuid.UUID{}
	copy(old[6:], told.ID[6:])
	_, err := f.db.NewRaw("update deliveries set id = ?, status = 'exhausted', finished_at = now() - interval '31 days' where id = ?", old, told.ID).Exec(f.Context())
	f.must(err)
	for _, table := range []string{"payouts", "payins"} {
		_, err = f.db.NewRaw("update ? set created_at = now() - interval '31 days'", bun.Ident(table)).Exec(f.Context())
		f.must(err)
	}
	n, err := store.New(testkit.DBAs(f.T, migrations.WorkerRole)).ForgetDeliveries(f.Context(), 30, 100)
	f.must(err)
	if n != 1 {
		f.Fatalf("%d webhooks were deleted", n)
	}
	says(true)
	if code, _ := dev.get("webhooks/" + old.String()); code != http.StatusNotFound {
		f.Errorf("the page of a deleted webhook is %d", code)
	}
	if code, _ := dev.do("webhooks/" + old.String() + "/redeliver"); code != http.StatusNotFound {
		f.Errorf("a deleted webhook sent again is %d", code)
	}
	if rows := dev.table("webhooks?format=csv"); len(rows) != 0 {
		f.Errorf("webhooks are %q", rows)
	}
}
