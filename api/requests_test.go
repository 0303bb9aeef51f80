package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/proof/contract"
)

// aRequest is an acceptable payment request.
var aRequest = map[string]string{
	"reference_id": `"order-00007"`, "amount": `"25"`, "currency": `"USD"`, "webhook_url": `"https://hooks.test/in"`,
}

func (s *shop) request(changes ...string) (int, reply) {
	s.t.Helper()
	return s.call(http.MethodPost, "/v1/payment-request", with(aRequest, changes...))
}

// asked makes a payment request, and returns its id.
func (s *shop) asked(changes ...string) uuid.UUID {
	s.t.Helper()
	status, got := s.request(changes...)
	if status != http.StatusOK {
		s.t.Fatalf("%d %v", status, got)
	}
	return uuid.MustParse(fmt.Sprint(got.at("payment_request.internal_reference")))
}

// chooses makes a choice for a request.
func (s *shop) chooses(request uuid.UUID, token, network string) (uuid.UUID, error) {
	return s.operations.Requests.Choose(context.WithoutCancel(s.t.Context()), request, pay.Offer{Token: token, Network: network}, "de")
}

// mustChoose is chooses where this has to work.
func (s *shop) mustChoose(request uuid.UUID, token, network string) uuid.UUID {
	s.t.Helper()
	payin, err := s.chooses(request, token, network)
	if err != nil {
		s.t.Fatal(err)
	}
	return payin
}

func TestPaymentRequestFields(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payment requests: POST /v1/payment-request (payin:write)", "api-v1 §Payment requests: offers is a list",
		"api-v1 §Business errors: no_token_offered", "api-v1 §Payment requests: items is a list", "api-v1 §Payment requests: customer_email is one")
	s := newShop(t)
	for _, c := range []struct{ field, raw string }{
		{"reference_id", ""}, {"reference_id", `"` + strings.Repeat("r", 251) + `"`}, {"amount", ""}, {"amount", `"0"`}, {"amount", `"1,5"`}, {"amount", `-1`},
		{"currency", ""}, {"currency", `7`}, {"webhook_url", ""}, {"webhook_url", `"not a url"`}, {"description", `"` + strings.Repeat("d", 501) + `"`}, {"description", `7`},
		{"offers", `{}`}, {"offers", `[7]`}, {"offers", `[{"network":"Tron"}]`}, {"offers", "[" + strings.Repeat(`{"crypto_currency":"USDT","network":"Tron"},`, 50) + `{"crypto_currency":"USDT","network":"Tron"}]`},
		{"customer_info", `"two words"`}, {"customer_email", `"anna"`}, {"customer_email", `"Anna <anna@example.com>"`}, {"customer_email", `"anna@example.com\r\nBcc: x@example.com"`},
		{"customer_email", `"a@example.com, b@example.com"`}, {"customer_email", `7`}, {"items", `{}`}, {"items", `[7]`}, {"items", `[{}]`}, {"items", `[{"name":" "}]`},
		{"items", `[{"name":"a\nb"}]`}, {"items", `[{"name":"a","quantity":0}]`}, {"items", `[{"name":"a","quantity":1.5}]`}, {"items", `[{"name":"a","quantity":1000001}]`},
		{"items", `[{"name":"a","amount":"-1"}]`}, {"items", "[" + strings.Repeat(`{"name":"a"},`, 50) + `{"name":"a"}]`}, {"expires_at", `0`}, {"expires_at", `2592001`}, {"return_url", `"javascript:x"`}, {"cancel_url", `"/back"`},
		{"colour", `"red"`}, {"colour", `"#12345"`}, {"colour", `7`}, {"colour", `"#0f766e;}"`}, {"support", `"shop"`}, {"support", `"http://shop.test"`}, {"support", `7`},
	} {
		status, got := s.request(c.field, c.raw)
		if status != http.StatusBadRequest || got.code() != "invalid_parameters" || got.at("error.details.fields."+c.field) == nil {
			t.Errorf("%s %.60s: %d %v", c.field, c.raw, status, got)
		}
	}
	for changes, code := range map[[2]string]string{
		{"currency", `"DOGE?"`}: "unsupported_token_or_deposits_disabled", {"offers", `[{"crypto_currency":"USDT","network":"Nowhere"}]`}: "invalid_network_or_deposits_disabled",
		{"offers", `[{"crypto_currency":"BTC","network":"Tron"}]`}: "token_network_mismatch", {"amount", `"0.00000001"`}: "no_token_offered",
	} {
		if status, got := s.request(changes[0], changes[1]); status != http.StatusBadRequest || got.code() != code {
			t.Errorf("%v: %d %v, want %s", changes, status, got, code)
		}
	}
	if status, got := s.call(http.MethodPost, "/v1/payment-request", "[]"); status != http.StatusBadRequest || got.at("error.details.reason") != "invalid_or_empty_data" {
		t.Errorf("%d %v", status, got)
	}
	if n := s.count("select count(*) from payment_requests"); n != 0 {
		t.Errorf("%d requests were recorded", n)
	}
}

func TestPaymentRequestIsRead(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payment requests: GET /v1/payment-request/{reference} (payin:read)", "api-v1 §Payment requests: A reference_id that the account",
		"api-v1 §Payment requests: Where the operator has set PUBLIC_BASE_URL", "api-v1 §Payment requests: The page leads back by cancel_url")
	s := newShop(t)
	s.operations.Requests.Pages = func(id uuid.UUID) string { return "https://pay.test/pay/request/" + id.String() }
	id := s.asked("description", `"Two tickets"`, "offers", `[{"crypto_currency":"USDT","network":"tron"}]`, "cancel_url", `"https://shop.test/cart"`,
		"items", `[{"name":"Ticket","quantity":2,"amount":"12.50"},{"name":"Gift","amount":0}]`, "customer_email", `"anna@example.com"`,
		"return_url", `"https://shop.test/done"`)
	for _, reference := range []string{id.String(), "order-00007"} {
		s.get("/v1/payment-request/"+reference).wants(t, map[string]any{
			"message": "payment_request_retrieved_success", "payment_request.amount": "25", "payment_request.currency": "USD", "payment_request.status": "open",
			"payment_request.offers.0.network": "Tron", "payment_request.description": "Two tickets", "payment_request.items.0.name": "Ticket", "payment_request.items.0.quantity": 2, "payment_request.items.0.amount": "12.5",
			"payment_request.items.1.quantity": 1, "payment_request.customer_email": "anna@example.com", "payment_request.cancel_url": "https://shop.test/cart",
			"payment_request.return_url": "https://shop.test/done", "payment_request.checkout_url": "https://pay.test/pay/request/" + id.String(),
		})
	}
	s.ask("GET", "/v1/payment-request/order-00008", "").is(t, http.StatusNotFound, "record_not_found")
	short := s.asked("reference_id", `"r"`)
	s.get("/v1/payment-request/r").wants(t, map[string]any{"payment_request.internal_reference": short.String()})
	s.ask("GET", "/v1/payment-request/"+strings.Repeat("x", 757), "").is(t, http.StatusBadRequest, "invalid_reference_id")
	if status, got := s.request(); status != http.StatusBadRequest && status != http.StatusConflict || got.code() != "duplicate_reference_id" {
		t.Errorf("once more: %d %v", status, got)
	}
	s.payin("reference_id", `"order-00009"`)
	if _, got := s.request("reference_id", `"order-00009"`); got.code() != "duplicate_reference_id" {
		t.Errorf("of a payin: %v", got)
	}
}

// TestAPayerChooses: each choice is a payin of the merchant; the same choice is the same payin, and another one is another.
func TestAPayerChooses(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payment requests: Each choice of the payer is a payin", "api-v1 §Payment requests: The same choice leads",
		"api-v1 §Payment requests: As soon as money was seen", "api-v1 §Payment requests: currency is an accepted fiat currency")
	s := newShop(t)
	id := s.asked("customer_info", `"anna"`)
	first := s.mustChoose(id, "USDT", "Tron")
	if again := s.mustChoose(id, "USDT", "Tron"); again != first {
		t.Errorf("the same choice is %s and %s", first, again)
	}
	if n := s.count("select count(*) from payment_choices where payin_id = ? and lang = 'de'", first); n != 1 {
		t.Error("the language of the payer's page is lost")
	}
	second := s.mustChoose(id, "USDT", "Ethereum")
	s.get("/v1/check-payin/"+first.String()).wants(t, map[string]any{"deposit.reference_id": "order-00007", "deposit.fiat_amount": "25.00000000",
		"deposit.process_by": "fiat_amount", "deposit.network": "Tron", "deposit.status": "pending", "deposit.customer_info": "anna"})
	s.get("/v1/check-payin/order-00007~2").wants(t, map[string]any{"deposit.internal_reference": second.String(), "deposit.network": "Ethereum"})
	s.get("/v1/payment-request/order-00007").wants(t, map[string]any{"payment_request.status": "open", "payment_request.payins.0.reference_id": "order-00007",
		"payment_request.payins.1.network": "Ethereum"})
	if name, err := nameForPayer(t.Context(), s.store, &pay.Payin{ID: second}); err != nil || name != "order-00007" {
		t.Errorf("the payer's page calls the order %q, %v", name, err)
	}
	s.exec(`insert into transfers (id, network, txid, token, position, sender, address, memo, amount, status, payin_id, credited, counted, rate_fee, network_fee)
		select gen_random_uuid(), network, 'tx', token, 0, 'x', wallet, '', 1, 'seen', id, 0, 0, 0, 0 from payins where id = ?`, first)
	if led := s.mustChoose(id, "USDT", "Ethereum"); led != first {
		t.Errorf("a choice leads to %s, want the payin with money", led)
	}
	offered, err := s.operations.Requests.Offered(t.Context(), id)
	if err != nil || offered.Paying != first || offered.Status != pay.RequestPending || len(offered.Tokens) > 0 {
		t.Errorf("%+v, %v", offered, err)
	}
	s.exec("update payins set status = 'completed' where id = ?", first)
	s.get("/v1/payment-request/order-00007").wants(t, map[string]any{"payment_request.status": "paid"})
	s.asked("reference_id", `"`+strings.Repeat("é", 250)+`"`)
	taken := s.asked("reference_id", `"order-00010"`)
	s.payin("reference_id", `"order-00010"`)
	s.payin("reference_id", `"order-00010~2"`)
	s.mustChoose(taken, "USDT", "Tron")
	s.get("/v1/payment-request/order-00010").wants(t, map[string]any{"payment_request.payins.0.reference_id": "order-00010~3"})
	token := s.asked("reference_id", `"order-00008"`, "currency", `"USDT"`)
	if _, err := s.chooses(token, "BTC", "Bitcoin"); err == nil {
		t.Error("a request in USDT is paid in BTC")
	}
	s.mustChoose(token, "USDT", "Tron")
	s.get("/v1/check-payin/order-00008").wants(t, map[string]any{"deposit.crypto_amount": "25", "deposit.process_by": "crypto_amount"})
}

// TestChoicesEnd: after the request's time, after fifty payins, of a token that is not offered, and while the merchant is suspended.
func TestChoicesEnd(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payment requests: After expires_at, and after 50 payins", "api-v1 §Payment requests: A token is left out while")
	s := newShop(t)
	id := s.asked("offers", `[{"crypto_currency":"USDT","network":"Tron"}]`)
	refused := func(id uuid.UUID, network, code string) {
		t.Helper()
		if payin, err := s.chooses(id, "USDT", network); err == nil || !strings.Contains(fmt.Sprint(err), code) {
			t.Errorf("%s, %v, want %s", payin, err, code)
		}
	}
	refused(id, "Ethereum", "token_not_offered")
	s.exec("update merchants set suspended = true")
	refused(id, "Tron", "payment_request_expired")
	s.exec("update merchants set suspended = false")
	for range mostChoices {
		s.mustChoose(id, "USDT", "Tron")
		s.exec("update payins set status = 'failed', expires_at = now()")
	}
	refused(id, "Tron", "payment_request_expired")
	late := s.asked("reference_id", `"order-00008"`)
	s.exec("update payment_requests set expires_at = now() where id = ?", late)
	refused(late, "Tron", "payment_request_expired")
	s.get("/v1/payment-request/order-00008").wants(t, map[string]any{"payment_request.status": "expired"})
	if offered, err := s.operations.Requests.Offered(t.Context(), late); err != nil || offered.Status != pay.RequestExpired || len(offered.Tokens) > 0 {
		t.Errorf("%+v, %v", offered, err)
	}
	small := s.asked("reference_id", `"order-00009"`, "amount", `"1000"`)
	all, err := s.operations.Requests.Offered(t.Context(), small)
	if err != nil || len(all.Tokens) == 0 {
		t.Fatalf("%+v, %v", all, err)
	}
	s.exec("update tokens set max_receipt = 1 where symbol = 'USDT'")
	s.exec("update revisions set version = version + 1 where name = 'catalogue'")
	fewer, err := s.operations.Requests.Offered(t.Context(), small)
	if err != nil || len(fewer.Tokens) >= len(all.Tokens) {
		t.Errorf("%d of %d are offered, %v", len(fewer.Tokens), len(all.Tokens), err)
	}
}

// TestAChoiceWithAMemo: on a network whose payins share an address the payin gets a memo of its own.
func TestAChoiceWithAMemo(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payment requests: Where a token takes a memo")
	s := newShop(t)
	id := s.asked("currency", `"XRP"`)
	payin := s.mustChoose(id, "XRP", "Ripple")
	var memo string
	s.read(&memo, "select memo from payins where id = ?", payin)
	if len(memo) != 9 || memo[0] == '0' {
		t.Errorf("the memo is %q", memo)
	}
}

// TestTwoChoicesAtOnce: of the same token there is one payin, whoever is first.
func TestTwoChoicesAtOnce(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	id := s.asked()
	const visitors = 4
	payins := make(chan uuid.UUID, visitors)
	for range visitors {
		go func() {
			payin, err := s.chooses(id, "USDT", "Tron")
			if err != nil {
				t.Error(err)
			}
			payins <- payin
		}()
	}
	first := <-payins
	for range visitors - 1 {
		if next := <-payins; next != first {
			t.Errorf("%s and %s", first, next)
		}
	}
	if n := s.count("select count(*) from payins"); n != 1 {
		t.Errorf("%d payins", n)
	}
}
