package api

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"causeway/internal/proof/contract"
)

func (s *shop) wallet(kind, customer string) (int, reply) {
	s.t.Helper()
	return s.call("POST", "/v1/fixed-wallets", fmt.Sprintf(`{"type":%q,"customer_info":%q}`, kind, customer))
}

func (s *shop) allow(rules string) {
	s.t.Helper()
	s.exec("update merchants set "+rules+" where id = ?", s.merchant)
}

func TestWalletsDisabled(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Business errors: feature_disabled", "api-v1 §Fixed wallet record: null where")
	s := newShop(t)
	if status, got := s.wallet("evm", "c-1"); status != 403 || got.code() != "feature_disabled" {
		t.Errorf("%d %v", status, got)
	}
	got := s.get("/v1/fixed-wallets")
	got.wants(t, map[string]any{"message": "fixed_wallets_list_success", "count": 0, "allowance": nil})
	if got.at("wallets") == nil {
		t.Error("wallets is null")
	}
	s.get("/v1/fixed-wallets/supported").wants(t, map[string]any{"message": "fixed_wallets_supported_success", "allowance": nil,
		"types.0.type": "evm"})
}

func TestWalletIsAssignedOnce(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Business errors: limit_reached", "addendum §9: POST /v1/fixed-wallets takes", "api-v1 §Fixed wallet record: customer_info",
		"api-v1 §Fixed wallet record: mode global", "api-v1 §Other operations: POST /v1/fixed-wallets",
		"api-v1 §Limits: Fixed wallets", "api-v1 §Fixed wallet record: The allowance tells")
	s := newShop(t)
	s.allow("wallets_mode = 'global', wallets_limit = 2")
	status, got := s.wallet("tron", "c-1")
	got.wants(t, map[string]any{
		"message": "fixed_wallets_assign_success", "wallet.customer_info": "c-1", "wallet.type": "tron", "wallet.status": "STATUS_ASSIGNED",
		"wallet.origin": "external_api", "wallet.last_transaction_at": nil, "wallet.pending_revocation": false, "wallet.revoke_at": nil,
		"wallet.networks.0": "Tron", "wallet.accepted_tokens.0.network": "Tron", "wallet.accepted_tokens.0.symbol": "TRX",
		"wallet.accepted_tokens.0.token": "TRX",
		"allowance.mode":                 "global", "allowance.limit": 2, "allowance.used": 1, "allowance.remaining": 1, "allowance.supported_types.0.type": "evm",
	})
	if fields := got.at("wallet").(map[string]any); status != 201 || len(fields) != 12 {
		t.Errorf("%d, fields %v", status, fields)
	}
	again, same := s.wallet("tron", "c-1")
	if again != 200 || same["message"] != "fixed_wallets_already_assigned" || same.at("wallet.wallet") != got.at("wallet.wallet") {
		t.Errorf("%d %v", again, same)
	}
	if n := s.count("select count(*) from addresses a join wallets w on w.id = a.wallet_id where a.address = w.wallet and a.family = 'tron' and a.position > 0"); n != 1 {
		t.Errorf("%d addresses", n)
	}
	s.exec("update tokens set deposits = false where network = 'Tron'")
	if status, got := s.wallet("tron", "c-1"); status != 200 || got.at("wallet.wallet") != same.at("wallet.wallet") {
		t.Errorf("of a type that nobody gets any more: %d %v", status, got)
	}
	if status, got := s.wallet("tron", "c-2"); status != 422 {
		t.Errorf("a type that nobody gets any more: %d %v", status, got)
	}
	s.exec("update tokens set deposits = true where network = 'Tron'")
	if status, got := s.wallet("evm", "c-1"); status != 201 || len(got.list("wallet.networks")) != 12 {
		t.Errorf("%d %v", status, got)
	}
	if status, got := s.wallet("evm", "c-2"); status != 409 || got.code() != "limit_reached" {
		t.Errorf("%d %v", status, got)
	}
	s.exec("update wallets set status = 'STATUS_REVOKED'")
	if _, got := s.wallet("tron", "c-1"); got.code() != "limit_reached" {
		t.Errorf("revoked wallets count too: %v", got)
	}
}

func TestWalletRequests(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Business errors: type_not_supported", "api-v1 §Business errors: no_wallet_available",
		"api-v1 §System errors: external_processor_error", "api-v1 §Versioning: breaking · Codes that named")
	s := newShop(t)
	s.allow("wallets_mode = 'global', wallets_limit = 10")
	s.exec("update tokens set deposits = false where network = 'Monero'")
	for body, want := range map[string]struct {
		status      int
		code, field string
	}{
		"":                                     {400, "invalid_parameters", "type"},
		"[]":                                   {400, "invalid_parameters", "body"},
		`{"customer_info":"a"}`:                {400, "invalid_parameters", "type"},
		`{"type":"evm"}`:                       {400, "invalid_parameters", "customer_info"},
		`{"type":1,"customer_info":"a"}`:       {400, "invalid_parameters", "type"},
		`{"type":"evm","customer_info":"a b"}`: {400, "invalid_parameters", "customer_info"},
		`{"type":"evm","customer_info":"` + strings.Repeat("a", 201) + `"}`: {400, "invalid_parameters", "customer_info"},
		`{"type":"EVM","customer_info":"a"}`:                                {422, "type_not_supported", ""},
		`{"type":"monero","customer_info":"a"}`:                             {422, "type_not_supported", ""},
	} {
		status, got := s.call("POST", "/v1/fixed-wallets", body)
		if status != want.status || got.code() != want.code || want.field != "" && got.at("error.details.fields."+want.field) == nil {
			t.Errorf("%.60s: %d %v", body, status, got)
		}
	}
	s.exec("select setval('address_index', 2147483647)")
	if status, got := s.wallet("solana", "c"); status != 409 || got.code() != "no_wallet_available" {
		t.Errorf("%d %v", status, got)
	}
	s.exec("select setval('address_index', 1)")
	s.deriver.fail(fmt.Errorf("node down"))
	if status, got := s.wallet("solana", "c"); status != 502 || got.code() != "external_processor_error" {
		t.Errorf("%d %v", status, got)
	}
	s.deriver.unknown.Store(new(errors.New("the connection was lost")))
	if status, got := s.wallet("solana", "c"); status != 500 || got.code() != "internal_error" {
		t.Errorf("what is supported is not known: %d %v", status, got)
	}
	if n := s.count("select count(*) from wallets"); n != 0 {
		t.Errorf("%d wallets were recorded", n)
	}
}

func TestWalletsPerType(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Business errors: limit_not_allowed", "api-v1 §Business errors: limit_reached", "api-v1 §Fixed wallet record: mode per_type",
		"api-v1 §Limits: Fixed wallets", "api-v1 §Fixed wallet record: The allowance tells",
		"addendum §13: A type of fixed wallet")
	s := newShop(t)
	s.allow(`wallets_mode = 'per_type', wallets_limits = '{"tron": 1, "bitcoin": 0}'`)
	for _, c := range []struct {
		kind, customer string
		status         int
		code           string
	}{
		{"tron", "c-1", 201, ""}, {"tron", "c-2", 409, "limit_reached"}, {"tron", "c-1", 200, ""},
		{"bitcoin", "c-1", 403, "limit_not_allowed"}, {"evm", "c-1", 422, "type_not_supported"},
	} {
		if status, got := s.wallet(c.kind, c.customer); status != c.status || got.code() != c.code {
			t.Errorf("%s for %s: %d %v", c.kind, c.customer, status, got)
		}
	}
	s.get("/v1/fixed-wallets").wants(t, map[string]any{
		"allowance.mode": "per_type", "allowance.items.0.type": "bitcoin", "allowance.items.0.limit": 0, "allowance.items.1.type": "tron",
		"allowance.items.1.label": "Tron", "allowance.items.1.used": 1, "allowance.items.1.remaining": 0, "allowance.items.2": nil,
	})
	s.exec("update wallets set status = 'STATUS_REVOKED'")
	if status, _ := s.wallet("tron", "c-2"); status != 201 {
		t.Errorf("a revoked wallet still counts: %d", status)
	}
	s.allow("wallets_mode = 'global', wallets_limit = 0")
	if status, got := s.wallet("tron", "c-3"); status != 403 || got.code() != "limit_not_allowed" {
		t.Errorf("%d %v", status, got)
	}
}

// Concurrent calls neither give one customer two wallets nor go beyond the limit.
func TestWalletRaces(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Business errors: limit_reached", "addendum §9: POST /v1/fixed-wallets takes")
	s := newShop(t)
	s.allow("wallets_mode = 'global', wallets_limit = 3")
	var mu sync.Mutex
	var all sync.WaitGroup
	outcomes := map[string]int{}
	for i := range 16 {
		all.Go(func() {
			customer := "same"
			if i%2 == 1 {
				customer = fmt.Sprint("c-", i)
			}
			status, got := s.wallet("tron", customer)
			mu.Lock()
			defer mu.Unlock()
			outcomes[fmt.Sprint(status, got.code())]++
		})
	}
	all.Wait()
	if n := s.count("select count(*) from wallets"); n != 3 || outcomes["201"] != 3 {
		t.Errorf("%d wallets; %v", n, outcomes)
	}
	if n := s.count("select count(*) from wallets where customer_info = 'same'"); n > 1 {
		t.Errorf("one customer has %d", n)
	}
}

func TestListWallets(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §GET /v1/fixed-wallets: type", "api-v1 §GET /v1/fixed-wallets: status", "api-v1 §GET /v1/fixed-wallets: customer_info",
		"api-v1 §GET /v1/fixed-wallets: limit", "api-v1 §GET /v1/fixed-wallets: offset", "api-v1 §GET /v1/fixed-wallets: 200:",
		"api-v1 §List envelopes: Lists of fixed wallets", "api-v1 §Limits: Page of fixed wallets", "api-v1 §GET /v1/fixed-wallets: It has no errors")
	s := newShop(t)
	s.allow("wallets_mode = 'global', wallets_limit = 10")
	for i, kind := range []string{"tron", "evm", "tron"} {
		if status, got := s.wallet(kind, fmt.Sprint("c-", i)); status != 201 {
			t.Fatal(got)
		}
	}
	s.exec("update wallets set status = 'STATUS_REVOKED', revoke_at = now() where customer_info = 'c-0'")
	s.exec("update wallets set revoke_at = '2027-01-02 03:04:05+00', last_transaction_at = '2026-01-02 03:04:05+00' where customer_info = 'c-2'")
	for query, want := range map[string]int{
		"": 3, "type=tron": 2, "type=TRON": 0, "status=STATUS_ASSIGNED": 2, "status=STATUS_REVOKED": 1, "status=assigned": 0, "customer_info=c-1": 1,
		"limit=1": 1, "limit=0": 1, "limit=-5": 1, "limit=99999999999": 3, "limit=x": 3, "offset=2": 1, "offset=-1": 3, "offset=99999999999": 0,
	} {
		got := s.get("/v1/fixed-wallets?" + query)
		if len(got.list("wallets")) != want || got.at("count") != float64(want) {
			t.Errorf("%s: %v wallets, count %v, want %d", query, len(got.list("wallets")), got.at("count"), want)
		}
	}
	s.get("/v1/fixed-wallets").wants(t, map[string]any{
		"wallets.0.customer_info": "c-2", "wallets.0.pending_revocation": true, "wallets.0.revoke_at": "2027-01-02 03:04:05",
		"wallets.0.last_transaction_at": "2026-01-02 03:04:05", "wallets.2.pending_revocation": false, "wallets.2.revoke_at": nil,
	})
	_, s.key = s.newKey()
	if got := s.get("/v1/fixed-wallets"); got.at("count") != 0.0 {
		t.Errorf("another merchant sees %v", got)
	}
}

// A payin to a fixed wallet names the address its notices go to: the account's present one (api-v1 §Events).
func TestAFixedWalletsPayinNamesTheAddressOfNow(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payin record: webhook_url")
	s := newShop(t)
	_, created := s.payin()
	id := created.at("data.internal_reference").(string)
	s.allow("wallets_mode = 'global', wallets_limit = 1")
	s.wallet("tron", "c-1")
	s.exec("update payins set wallet_id = (select id from wallets), webhook_url = 'https://hooks.test/then' where id = ?", id)
	for _, url := range []string{"", "https://hooks.test/now"} {
		s.call("PUT", "/v1/fixed-wallets/config", `{"webhook_url":"`+url+`"}`)
		s.get("/v1/check-payin/"+id).wants(t, map[string]any{"deposit.webhook_url": url})
		s.get("/v1/list-payin").wants(t, map[string]any{"deposits.0.webhook_url": url})
	}
}

func TestWalletsConfig(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Request-level errors: invalid_webhook_url", "addendum §9: GET /v1/fixed-wallets/config",
		"api-v1 §Other operations: GET, PUT /v1/fixed-wallets/config")
	s := newShop(t)
	put := func(body string) (int, reply) { s.t.Helper(); return s.call("PUT", "/v1/fixed-wallets/config", body) }
	s.get("/v1/fixed-wallets/config").wants(t, map[string]any{"message": "fixed_wallets_config_success", "config.webhook_url": nil})
	status, got := put(`{"webhook_url":"https://hooks.test/fixed"}`)
	if status != 200 || got["message"] != "fixed_wallets_config_update_success" {
		t.Errorf("%d %v", status, got)
	}
	for body, code := range map[string]string{
		"": "invalid_parameters", "{}": "invalid_parameters", `{"other":1}`: "invalid_parameters", `{"webhook_url":5}`: "invalid_parameters",
		`{"webhook_url":"http://example.com"}`: "invalid_webhook_url", `{"webhook_url":"https://127.0.0.1/x"}`: "invalid_webhook_url",
		`{"webhook_url":"nope"}`: "invalid_webhook_url",
	} {
		if status, got := put(body); status != 400 || got.code() != code {
			t.Errorf("%s: %d %v", body, status, got)
		}
	}
	s.get("/v1/fixed-wallets/config").wants(t, map[string]any{"config.webhook_url": "https://hooks.test/fixed"})
	for _, clear := range []string{`{"webhook_url":null}`, `{"webhook_url":""}`} {
		put(`{"webhook_url":"https://hooks.test/fixed"}`)
		put(clear)
		s.get("/v1/fixed-wallets/config").wants(t, map[string]any{"config.webhook_url": nil})
	}
}
