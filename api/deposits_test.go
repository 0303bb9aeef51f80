package api

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
)

func (s *shop) deposits() *Deposits {
	return &Deposits{Payins: &s.operations.Payins, Wallets: &s.operations.Wallets}
}

// A deposit of the panel has the deposit rate and its switch of the network fee. One form is one payin, and the API neither lists, counts
// nor checks it.
//
// Covers api-v1 §Account summary: deposit_rate
// Covers api-v1 §Account summary: user_pays_withdrawal_network_fee, user_pays_deposit_network_fee
func TestADepositOfThePanel(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.exec("update merchants set receipt_rate = 7, deposit_rate = 1.5, user_pays_receipt_network_fee = false, user_pays_deposit_network_fee = true where id = ?", s.merchant)
	n := &pay.Deposit{Form: uuid.New(), Merchant: s.merchant, Email: "ann@example.com", Network: "Tron", Token: "USDT", Amount: "25"}
	if was, err := s.deposits().Made(t.Context(), n); was != nil || err != nil {
		t.Fatalf("a fresh form has made %+v: %v", was, err)
	}
	var id uuid.UUID
	for range 2 {
		p, err := s.deposits().New(t.Context(), n)
		if err != nil || id != uuid.Nil && p.ID != id {
			t.Fatalf("recorded %+v: %v", p, err)
		}
		id = p.ID
	}
	p, err := s.store.Payin(t.Context(), id)
	if err != nil || p.KeyID != "panel:ann@example.com" || p.PercentRate.String() != "1.5" || !p.PaysNetworkFee || p.WebhookURL != "" || p.Wallet == "" {
		t.Errorf("recorded %+v: %v", p, err)
	}
	other := *n
	other.Amount = "26"
	if _, err := s.deposits().New(t.Context(), &other); !errors.Is(err, errOtherForm) {
		t.Errorf("another deposit under the form answers %v", err)
	}
	for _, path := range []string{"/v1/check-payin/" + id.String(), "/v1/check-payin/" + p.ReferenceID} {
		if a := s.ask(http.MethodGet, path, ""); a.status != http.StatusNotFound {
			t.Errorf("%s answers %d", path, a.status)
		}
	}
	if _, err := payinNamed(t.Context(), s.store, s.merchant, id.String()); !errors.Is(err, errNoRefundPayin) {
		t.Errorf("a refund finds it: %v", err)
	}
	if a := s.ask(http.MethodGet, "/v1/list-payin", ""); strings.Contains(a.text, id.String()) {
		t.Errorf("the list shows %s", a.text)
	}
	if n := s.count("select count(*) from list_count_differences('2020-01-01 00:00-03', now() + interval '1 day')"); n != 0 {
		t.Errorf("%d counts differ", n)
	}
}

// What cannot be deposited is refused, and a suspended merchant deposits nothing.
func TestDepositsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	check := func(want *pay.Error, network, token, amount string) {
		t.Helper()
		n := &pay.Deposit{Form: uuid.New(), Merchant: s.merchant, Network: network, Token: token, Amount: amount}
		if _, err := s.deposits().New(t.Context(), n); !errors.Is(err, want) {
			t.Errorf("%s %s on %s answers %v", amount, token, network, err)
		}
	}
	check(errAmountText, "Tron", "USDT", "-1")
	check(errAmountText, "Tron", "USDT", "ten")
	check(errAmountFine, "Tron", "USDT", "1.23456789123")
	check(errDepositNetwork, "Nowhere", "USDT", "5")
	check(errDepositToken, "Tron", "XXX", "5")
	s.exec("update merchants set suspended = true where id = ?", s.merchant)
	check(errWithdrawable, "Tron", "USDT", "5")
	if s.count("select count(*) from payins") != 0 {
		t.Error("a refused deposit is recorded")
	}
}

// Fixed wallets of the panel are apart from those of the API: the same name has an address in each, and neither counts the other's.
//
// Covers api-v1 §GET /v1/fixed-wallets: Addresses that the API assigned
func TestFixedWalletsOfThePanel(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.exec("update merchants set wallets_mode = null where id = ?", s.merchant)
	wallet := func(name string) (*pay.Wallet, error) {
		return s.deposits().Wallet(t.Context(), s.merchant, "ann@example.com", pay.Tron, name)
	}
	if _, err := wallet("till"); !errors.Is(err, errFeature) {
		t.Errorf("without fixed wallets it answers %v", err)
	}
	s.exec("update merchants set wallets_mode = 'global', wallets_limit = 5 where id = ?", s.merchant)
	mine, err := wallet("till")
	if err != nil || mine.Origin != pay.OriginPanel {
		t.Fatalf("made %+v: %v", mine, err)
	}
	if again, err := wallet("till"); err != nil || again.ID != mine.ID {
		t.Errorf("the same name has %+v: %v", again, err)
	}
	a := s.ask(http.MethodPost, "/v1/fixed-wallets", `{"type":"tron","customer_info":"till"}`)
	if a.status != http.StatusCreated || strings.Contains(a.text, mine.Wallet) || !strings.Contains(a.text, `"used":1`) {
		t.Errorf("the API answers %d %s", a.status, a.text)
	}
	if a := s.ask(http.MethodGet, "/v1/fixed-wallets", ""); strings.Contains(a.text, mine.Wallet) {
		t.Errorf("the API lists %s", a.text)
	}
	for _, name := range []string{"", "two words", strings.Repeat("x", 201)} {
		if _, err := wallet(name); !errors.Is(err, errWalletName) {
			t.Errorf("%q answers %v", name, err)
		}
	}
	if _, err := s.deposits().Wallet(t.Context(), s.merchant, "ann@example.com", "nowhere", "till"); !errors.Is(err, errWalletType) {
		t.Errorf("a type of nothing answers %v", err)
	}
	s.exec(`insert into wallets (id, merchant_id, family, customer_info, wallet, origin, status)
		select gen_random_uuid(), ?, 'tron', 'w' || n, 'w' || n, 'panel', 'STATUS_ASSIGNED' from generate_series(1, 99) n`, s.merchant)
	if _, err := wallet("one-more"); !errors.Is(err, errPanelWallets) {
		t.Errorf("too many answer %v", err)
	}
	if err := s.store.InTx(t.Context(), func(tx *store.Store) error {
		_, err := tx.AssignedWallet(t.Context(), s.merchant, pay.Tron, "one-more", pay.OriginPanel)
		return err
	}); !errors.Is(err, pay.ErrNotFound) {
		t.Errorf("it is there: %v", err)
	}
}
