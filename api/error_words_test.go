package api

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"causeway/internal/proof/contract"
	"causeway/internal/webhooks"
)

// An error names the wrong header, unit or form, under its unchanged code.
//
// Covers api-v1 §General conventions: An error is
func TestErrorsNameTheThing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.alone = true
	s.fund(s.merchant, "USDT", "100")
	keyless := ask(t, s.front, request(http.MethodGet, "/v1/balances", "", ""))
	for what, c := range map[string]struct {
		a          answer
		code, says string
	}{
		"no key":       {keyless, "api_key_missing", "X-Service-Invoke"},
		"a form":       {s.payOut("wallet=x&network=Tron"), "json_parse_exception", "is a form"},
		"gzip":         {s.payOut("\x1f\x8b\x08\x00"), "json_parse_exception", "gzip"},
		"a BOM":        {s.payOut("\xef\xbb\xbf{}"), "json_parse_exception", "byte order mark"},
		"other":        {s.payOut("{wallet}"), "json_parse_exception", "not acceptable JSON"},
		"a memo":       {s.payOut(item("m", "memo", "12345678")), "invalid_parameters", "must be text of 8 to 15 digits"},
		"short memo":   {s.payOut(item("m", "memo", `"1"`)), "invalid_parameters", "must be 8 to 15 digits"},
		"a number":     {s.payOut(item("m", "network", "1")), "invalid_parameters", "must be text in quotes, not a number"},
		"a list":       {s.payOut(item("m", "wallet", "[]")), "invalid_parameters", "must be text in quotes, not a list"},
		"a short text": {s.payOut(item("m", "wallet", `"x"`)), "invalid_parameters", "must be a text of 20 to 120 characters"},
		"a payin's":    {s.ask(http.MethodPost, "/v1/payin", with(aPayin, "crypto_currency", "true")), "invalid_parameters", "not true or false"},
		"a customer":   {s.ask(http.MethodPost, "/v1/payin", with(aPayin, "customer_info", "7")), "invalid_parameters", "not a number"},
		"usdt out":     {s.payOut(item("m", "crypto_currency", `"usdt"`)), "unsupported_token_or_withdrawals_disabled", "USDT must be written so, not usdt"},
		"usdt in":      {s.ask(http.MethodPost, "/v1/payin", with(aPayin, "crypto_currency", `"uSdT"`)), "unsupported_token_or_deposits_disabled", "not uSdT"},
		"usdt's price": {s.ask(http.MethodGet, "/v1/get-price?currency1=usdt&currency2=USD", ""), "invalid_currency", "USDT must be written so"},
		"no token":     {s.payOut(item("m", "crypto_currency", `"NOPE"`)), "unsupported_token_or_withdrawals_disabled", "takes no withdrawals.\""},
		"milliseconds": {s.ask(http.MethodPost, "/v1/payin", with(aPayin, "expires_at", "3600000")), "invalid_parameters", "no milliseconds"},
	} {
		if !strings.Contains(c.a.text, `"`+c.code+`"`) || !strings.Contains(c.a.text, c.says) {
			t.Errorf("%s: %d %s", what, c.a.status, c.a.text)
		}
	}
}

func TestSignatureErrorsNameTheThing(t *testing.T) {
	t.Parallel()
	names := namesUnder("")
	for says, said := range map[string]signed{
		"missing or doubled: X-Service-Signature, X-Service-Nonce.": {"", "1760000000", ""},
		"missing or doubled: X-Service-Timestamp.":                  {"s", "", "n"},
	} {
		if err := refusal(said.explained(errSignatureMissing, names)); err.Code != errSignatureMissing.Code || !strings.Contains(err.Message, says) {
			t.Errorf("%+v: %s", said, err.Message)
		}
	}
	if err := refusal((signed{"s", "1760000000000", "n"}).explained(errTimestampRange, names)); err.Code != errTimestampRange.Code ||
		!strings.Contains(err.Message, "looks like milliseconds") {
		t.Error(err.Message)
	}
	if err := (signed{"s", "1759999699", "n"}).explained(errTimestampRange, names); !errors.Is(err, errTimestampRange) {
		t.Error(err)
	}
}

// resolver answers every name alike.
type resolver struct{ err error }

func (r resolver) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return nil, r.err
}

// A failure of our resolver says nothing of the receiver: 503, with the time to try again, and nothing is recorded. A name
// known not to exist is refused.
func TestOurResolverIsNotTheReceiver(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §System errors: service_unavailable")
	const hook = `"https://hooks.shop.example/in"`
	for what, c := range map[string]struct {
		err    error
		status int
	}{
		"fails":         {&net.DNSError{Err: "server misbehaving", IsTemporary: true}, 503},
		"does not know": {&net.DNSError{Err: "no such host", IsNotFound: true}, 400},
	} {
		s := newShop(t)
		s.alone = true
		s.fund(s.merchant, "USDT", "100")
		urls := webhooks.NewURLPolicy(nil, resolver{c.err})
		s.operations.Payouts.URLs, s.operations.Payins.URLs, s.operations.Wallets.URLs = urls, urls, urls
		for operation, a := range map[string]answer{
			"payout": s.payOut(item("r", "webhook_url", hook)),
			"payin":  s.ask(http.MethodPost, "/v1/payin", with(aPayin, "webhook_url", hook)),
			"config": s.ask(http.MethodPut, "/v1/fixed-wallets/config", `{"webhook_url": `+hook+`}`),
		} {
			if retry := a.header.Get("Retry-After"); a.status != c.status || (retry == "5") != (c.status == 503) {
				t.Errorf("the resolver %s, %s: %d, Retry-After %q, %s", what, operation, a.status, retry, a.text)
			}
			if named := strings.Contains(a.text, `"service_unavailable"`); named != (c.status == 503) {
				t.Errorf("the resolver %s, %s: %s", what, operation, a.text)
			}
		}
		if n := s.count("select (select count(*) from payouts) + (select count(*) from payins)"); n != 0 {
			t.Errorf("the resolver %s: %d recorded", what, n)
		}
	}
}
