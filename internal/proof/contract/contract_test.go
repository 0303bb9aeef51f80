package contract

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"causeway/api"
)

func load(t *testing.T) *Document {
	t.Helper()
	text, err := api.Document(new(api.Operations).Routes(), "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Load(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const (
	config = `{"message":"fixed_wallets_config_success","config":{"webhook_url":null}}`
	refuse = `{"error":{"code":"api_key_missing","message":"m"}}`
	price  = `{"message":"price_retrieved_success","currency1":"A","currency2":"B","price":"1,00","updated_at":"2026-01-02 03:04:05"}`
)

// Any departure from the document is found; want is a part of the error, "" when nothing is wrong.
func TestCheck(t *testing.T) {
	t.Parallel()
	d := load(t)
	for name, c := range map[string]struct {
		method, target, asked string
		status                int
		replied, want         string
	}{
		"as documented":            {"GET", "/v1/fixed-wallets/config", "", 200, config, ""},
		"a refusal":                {"GET", "/v1/balances", "", 401, refuse, ""},
		"an unknown code":          {"GET", "/v1/balances", "", 401, strings.Replace(refuse, "api_key_missing", "nonsense", 1), "oneOf"},
		"a code of another status": {"GET", "/v1/balances", "", 403, refuse, "oneOf"},
		"a code of others":         {"GET", "/v1/balances", "", 400, `{"error":{"code":"invalid_page_number","message":"m"}}`, "oneOf"},
		"details of another code":  {"GET", "/v1/balances", "", 401, `{"error":{"code":"api_key_missing","message":"m","details":{"x":1}}}`, "oneOf"},
		"an unknown status":        {"GET", "/v1/balances", "", 418, refuse, "418"},
		"a property too many":      {"GET", "/v1/fixed-wallets/config", "", 200, strings.Replace(config, `null}`, `null,"more":1}`, 1), "more"},
		"a property too few":       {"GET", "/v1/fixed-wallets/config", "", 200, `{"config":{"webhook_url":null}}`, "message"},
		"null where none is":       {"GET", "/v1/fixed-wallets/config", "", 200, `{"message":null,"config":{"webhook_url":null}}`, "message"},
		"no JSON":                  {"GET", "/v1/fixed-wallets/config", "", 200, `{`, "not JSON"},
		"a price of another form":  {"GET", "/v1/get-price?currency1=A&currency2=B", "", 200, strings.Replace(price, "1,00", "1.00", 1), "price"},
		"a parameter missing":      {"GET", "/v1/get-price?currency1=A", "", 200, price, "currency2"},
		"a body of another form":   {"PUT", "/v1/fixed-wallets/config", `{"webhook_url":5}`, 200, config, "webhook_url"},
		"no body":                  {"PUT", "/v1/fixed-wallets/config", "", 200, config, "not JSON"},
		"an unknown operation":     {"DELETE", "/v1/balances", "", 200, config, "no such operation"},
		"refused, unrouted":        {"DELETE", "/v1/balances", "", 404, `{"error":{"code":"route_not_found","message":"m"}}`, ""},
		"refused otherwise":        {"DELETE", "/v1/balances", "", 404, refuse, "code"},
		"outside of /v1":           {"GET", "/healthz", "", 200, `alive`, ""},
		"an encoded slash": {"GET", "/v1/check-payout/aaaaaaaa%2Fb", "", 404,
			`{"error":{"code":"record_not_found","message":"m","details":{"resource":"payment"}}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(c.method, c.target, nil)
			header := http.Header{"Content-Type": {"application/json; charset=utf-8"}, "X-Request-Id": {"id-1"}}
			err := d.check(&exchange{r, []byte(c.asked), c.status, header, []byte(c.replied)})
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, want something of %q", err, c.want)
			}
		})
	}
}

func TestHeadersAreChecked(t *testing.T) {
	t.Parallel()
	d := load(t)
	r := httptest.NewRequest("GET", "/v1/balances", nil)
	limited := `{"error":{"code":"rate_limit_exceeded","message":"m","details":{"limit":1,"window_seconds":1,"retry_after_seconds":1,"retry_after_formatted":"1 second"}}}`
	for _, missing := range []string{"X-Request-Id", "Retry-After", "Content-Type"} {
		header := http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"id-1"}, "Retry-After": {"1"}}
		x := &exchange{r, nil, 429, header, []byte(limited)}
		if err := d.check(x); err != nil {
			t.Fatal(err)
		}
		header.Del(missing)
		if err := d.check(x); err == nil {
			t.Errorf("%s is not missed", missing)
		}
	}
}

func TestCoversKnowsWhatWasSeen(t *testing.T) {
	t.Parallel()
	saw(t, codes([]byte(`{"results":[{"error":{"code":"memo_required"}},{"index":1}]}`)))
	for sentence, want := range map[string]string{
		"api-v1 §Payout item errors: memo_required":  "item memo_required",
		"api-v1 §Business errors: memo_required":     "memo_required",
		"api-v1 §Payin: pending":                     "",
		"api-v1 §System errors: Messages of success": "",
	} {
		if got := codeIn(sentence); got != want {
			t.Errorf("%s: %q", sentence, got)
		}
	}
	t.Run("a part", func(t *testing.T) {
		if !wasSeen(t, "item memo_required") || wasSeen(t, "memo_required") {
			t.Error("an item's code is not the request's")
		}
	})
}
