package api

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"causeway/internal/proof/contract"
)

func TestPayinAddressFailures(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §System errors: external_processor_error", "api-v1 §System errors: no_processor_configured",
		"api-v1 §System errors: no_wallet_available")
	s := newShop(t)
	s.deriver.fail(errors.New("node down"))
	if status, got := s.payin(); status != 502 || got.code() != "external_processor_error" {
		t.Errorf("%d %v", status, got)
	}
	s.exec("select setval('address_index', 2147483647)")
	if status, got := s.payin(); status != 503 || got.code() != "no_wallet_available" {
		t.Errorf("%d %v", status, got)
	}
	s.exec("select setval('address_index', 1)")
	s.deriver.failure.Store(nil)
	missing := "Tron"
	s.deriver.unsupported.Store(&missing)
	if status, got := s.payin(); status != 503 || got.code() != "no_processor_configured" {
		t.Errorf("%d %v", status, got)
	}
	s.deriver.unknown.Store(new(errors.New("the connection was lost")))
	if status, got := s.payin(); status != 500 || got.code() != "internal_error" {
		t.Errorf("what is supported is not known: %d %v", status, got)
	}
	if n := s.count("select count(*) from payins") + s.count("select count(*) from addresses"); n != 0 {
		t.Errorf("%d rows were recorded", n)
	}
}

func TestPayinMemo(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §8: Tokens that need a memo share")
	s, other := newShop(t), ""
	_, other = s.newKey()
	ton := []string{"network", `"TON"`, "memo", `"12345678"`}
	_, first := s.payin(ton...)
	first.wants(t, map[string]any{"data.wallet": "ton-0", "data.network": "TON"})
	if n := s.count("select count(*) from addresses where address = 'ton-0' and memo = '12345678' and position = 0"); n != 1 {
		t.Error("no address with the memo")
	}
	if _, got := s.payin(ton...); got.code() != "duplicate_reference_id" {
		t.Errorf("the same request again: %v", got)
	}
	mine := s.key
	s.key = other
	status, got := s.payin(append(ton, "reference_id", `"another"`)...)
	if status != 400 || got.code() != "invalid_parameters" || got.at("error.details.fields.memo") == nil {
		t.Errorf("another merchant with the memo: %d %v", status, got)
	}
	s.key = mine
	s.exec("update payins set status = 'failed'")
	if status, got := s.payin(append(ton, "reference_id", `"after"`)...); status != 200 {
		t.Errorf("a memo that is free again: %d %v", status, got)
	}
	s.exec("update payins set status = 'failed', expires_at = now() - interval '29 days'")
	s.key = other
	if status, got := s.payin(append(ton, "reference_id", `"another"`)...); status != 400 || got.at("error.details.fields.memo") == nil {
		t.Errorf("a memo whose payer may still pay: %d %v", status, got)
	}
	s.exec("update payins set expires_at = now() - interval '30 days'")
	if status, got := s.payin(append(ton, "reference_id", `"another"`)...); status != 200 {
		t.Errorf("a memo that nobody pays to any more: %d %v", status, got)
	}
	s.key = mine
	for memo, want := range map[string]int{"4294967295": 200, "4294967296": 400, "10000000": 200, "01234567": 400, "123456789012": 400} {
		status, got := s.payin("crypto_currency", `"XRP"`, "network", `"Ripple"`, "memo", `"`+memo+`"`, "reference_id", `"x`+memo+`"`)
		if status != want {
			t.Errorf("tag %s: %d %v", memo, status, got)
		}
	}
}

// Whatever races, a reference makes one payin and a memo serves one open payin.
func TestPayinRaces(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Business errors: duplicate_reference_id", "addendum §8: Tokens that need a memo share")
	s := newShop(t)
	race := func(body func(i int) string) map[string]int {
		var mu sync.Mutex
		var all sync.WaitGroup
		codes := map[string]int{}
		for i := range 12 {
			all.Go(func() {
				_, got := s.call(http.MethodPost, "/v1/payin", body(i))
				mu.Lock()
				defer mu.Unlock()
				codes[got.code()]++
			})
		}
		all.Wait()
		return codes
	}
	if codes := race(func(int) string { return with(aPayin) }); codes[""] != 1 || codes["duplicate_reference_id"] != 11 {
		t.Errorf("one reference: %v", codes)
	}
	codes := race(func(i int) string {
		return with(aPayin, "network", `"TON"`, "memo", `"12345678"`, "reference_id", fmt.Sprintf(`"memo-%d"`, i))
	})
	if codes[""] != 1 || codes["invalid_parameters"] != 11 {
		t.Errorf("one memo: %v", codes)
	}
}
