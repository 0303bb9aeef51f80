package api

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/proof/contract"
)

func TestPayinNamesItsPage(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §The payers' page: Where the operator has set")
	s := newShop(t)
	s.operations.Payins.Pages = func(id uuid.UUID) string { return "https://pay.test/pay/" + id.String() }
	status, created := s.payin()
	page := created.at("data.checkout_url")
	if status != http.StatusOK || page != "https://pay.test/pay/"+fmt.Sprint(created.at("data.internal_reference")) {
		t.Fatalf("%d %v", status, created)
	}
	reference := fmt.Sprint(created.at("data.internal_reference"))
	if got := s.get("/v1/check-payin/" + reference).at("deposit.checkout_url"); got != page {
		t.Errorf("check-payin says %v", got)
	}
	if got := s.get("/v1/list-payin").at("deposits.0.checkout_url"); got != page {
		t.Errorf("list-payin says %v", got)
	}
}

func TestPayinWithoutPage(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §The payers' page: Without that setting", "api-v1 §The payers' page: Payins of fixed wallets")
	s := newShop(t)
	_, created := s.payin()
	data, _ := created.at("data").(map[string]any)
	want := []string{"crypto_amount", "crypto_currency", "fiat_amount", "fiat_currency", "internal_reference", "network", "reference_id",
		"status", "wallet"}
	var names []string
	for name := range data {
		names = append(names, name)
	}
	if slices.Sort(names); !slices.Equal(names, want) {
		t.Errorf("creation answers %v", names)
	}
	record, _ := s.get("/v1/check-payin/" + fmt.Sprint(created.at("data.internal_reference"))).at("deposit").(map[string]any)
	if _, there := record["checkout_url"]; there || len(record) == 0 {
		t.Errorf("the record is %v", record)
	}
	fixed := &pay.Payin{ID: uuid.Must(uuid.NewV7()), WalletID: new(uuid.UUID)}
	if page := (&Payins{Pages: func(uuid.UUID) string { return "somewhere" }}).page(fixed); page != "" {
		t.Errorf("a fixed wallet's payin has the page %q", page)
	}
}

func TestVisitors(t *testing.T) {
	t.Parallel()
	for name, client := range map[string]redis.UniversalClient{"Redis": testkit.Redis(t), "no Redis": nil, "Redis away": nowhere(t)} {
		v := NewVisitors(client, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, Quota{Requests: 2, Window: time.Hour})
		from := func(peer, forwarded string) time.Duration {
			r := request("GET", "/pay/x", "", "")
			r.RemoteAddr = peer
			r.Header.Set("X-Forwarded-For", forwarded)
			return v.Spend(r)
		}
		if from("203.0.113.1:1", "") != 0 || from("10.0.0.1:1", "203.0.113.1") != 0 {
			t.Errorf("%s: refused within the quota", name)
		}
		if wait := from("203.0.113.1:2", "198.51.100.1"); wait <= 0 || wait > time.Hour {
			t.Errorf("%s: the third waits %v", name, wait)
		}
		if from("10.0.0.1:1", "203.0.113.2") != 0 {
			t.Errorf("%s: another is refused", name)
		}
		if from("[2001:db8::1]:1", "") != 0 || from("[2001:db8::2]:1", "") != 0 || from("[2001:db8::3]:1", "") == 0 {
			t.Errorf("%s: a household has more than one quota", name)
		}
		if from("nobody", "") != 0 || from("nobody at all", "") != 0 || from("nobody else", "") == 0 {
			t.Errorf("%s: those without an address are not one", name)
		}
	}
}
