package pricing_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/internal/pay"
	"causeway/internal/pricing"
)

// recorded is shortly after the answers in testdata were given.
var recorded = time.Unix(1732550400, 0)

var everything = pricing.Want{
	Tokens: []string{"BTC", "ETH", "USDT", "USDT", "USDC", "USDC.e", "TRX", "DOGE", "CELO", "OKB", "BTG", "GOLD"},
	Fiats:  []string{"USD", "EUR", "BRL", "ARS", "JPY", "XXX"},
}

// says answers every request in the same way and keeps the address of the last.
type says struct {
	status  int
	body    io.Reader
	address string
}

func (s *says) RoundTrip(r *http.Request) (*http.Response, error) {
	s.address = r.URL.String()
	return &http.Response{StatusCode: s.status, Body: io.NopCloser(s.body), Header: http.Header{}, Request: r}, nil
}

func source(name string, s *says) *pricing.Source {
	out := pricing.NewSources([]string{name}, &http.Client{Transport: s})[0]
	out.Now = func() time.Time { return recorded }
	return out
}

func lines(quotes []pay.Price) []string {
	var out []string
	for _, q := range quotes {
		out = append(out, strings.Join([]string{q.Base, q.Quote, q.Price.String(), q.UpdatedAt.UTC().Format("15:04:05")}, " "))
	}
	return out
}

func TestRecordedAnswers(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"coinbase": {
			"BTC USD 94999.9999997625 16:00:00", "CELO USD 0.744999999999999984 16:00:00", "DOGE USD 0.414000000000000005 16:00:00",
			"ETH USD 3410.00000000010912 16:00:00", "USDT USD 0.9999 16:00:00",
			"USD ARS 1007.4999999999999 16:00:00", "USD BRL 5.8067 16:00:00", "USD EUR 0.9528348 16:00:00", "USD JPY 154.1005 16:00:00",
		},
		"coingecko": {
			"BTC USD 95012.34 15:53:20", "BTG USD 26 15:53:20", "DOGE USD 0.4141 15:53:23", "ETH USD 3410.5176231 15:53:30", "OKB USD 48.2 15:53:20",
			"TRX USD 0.20312 15:53:23", "USDC USD 0.99987 15:53:25", "USDC.e USD 0.99961 15:53:21", "USDT USD 1.0003 15:53:25",
			"USD ARS 1007.475001668204361665 15:53:20", "USD BRL 5.806699950764290196 15:53:20", "USD EUR 0.952825180392357455 15:53:20",
			"USD JPY 154.097530910195454611 15:53:20",
		},
		"kraken": {
			"BTC USD 95000.05 16:00:00", "DOGE USD 0.4141 16:00:00", "ETH USD 3410.5 16:00:00", "USDC USD 0.99985 16:00:00",
			"USDT USD 1.00015 16:00:00",
			"USD EUR 0.952834683182467841 16:00:00", "USD JPY 154.15 16:00:00",
		},
		"frankfurter": {"USD BRL 5.8067 16:00:00", "USD EUR 0.95283 16:00:00", "USD JPY 154.02 16:00:00"},
	} {
		body, err := os.ReadFile("testdata/" + name + ".json")
		must(t, err)
		got, err := source(name, &says{status: http.StatusOK, body: bytes.NewReader(body)}).Quotes(t.Context(), everything)
		must(t, err)
		if !slices.Equal(lines(got), want) {
			t.Errorf("%s:\n%s", name, strings.Join(lines(got), "\n"))
		}
		for _, q := range got {
			if q.Source != name || q.Pinned {
				t.Errorf("%s calls it %+v", name, q)
			}
		}
	}
}

// Prices defined by a source, or under a name of its own, must not slip in.
func TestSourcesAreAskedByTheirOwnIDs(t *testing.T) {
	t.Parallel()
	for name, parts := range map[string][]string{
		"coinbase": {"https://api.coinbase.com/v2/exchange-rates?currency=USD"},
		"coingecko": {"https://api.coingecko.com/api/v3/simple/price?", "ids=bitcoin%2Cbitcoin-gold%2Ccelo",
			"vs_currencies=usd%2Cars%2Cbrl%2Ceur%2Cjpy", "precision=full", "include_last_updated_at=true"},
		"kraken":      {"https://api.kraken.com/0/public/Ticker"},
		"frankfurter": {"https://api.frankfurter.dev/v1/latest?base=USD&symbols=BRL%2CEUR%2CJPY"},
	} {
		s := &says{status: http.StatusOK, body: strings.NewReader("{}")}
		if _, err := source(name, s).Quotes(t.Context(), everything); err == nil {
			t.Errorf("%s: an empty answer is taken", name)
		}
		for _, part := range parts {
			if !strings.Contains(s.address, part) {
				t.Errorf("%s asks %s without %s", name, s.address, part)
			}
		}
	}
}

// shapes are answers of each source with %s where a price of BTC, or for frankfurter of EUR, stands.
var shapes = map[string]string{
	"coinbase":    `{"data":{"currency":"USD","rates":{"BTC":%s,"":"2"}}}`,
	"coingecko":   `{"bitcoin":{"usd":%s,"last_updated_at":1732550000},"":{"usd":2,"last_updated_at":1732550000}}`,
	"kraken":      `{"error":[],"result":{"XXBTZUSD":{"a":[%s,"1"],"b":[%s,"1"]},"":{"a":["2"],"b":["2"]}}}`,
	"frankfurter": `{"base":"USD","date":"2024-11-25","rates":{"EUR":%s,"":2}}`,
}

func TestHostilePrices(t *testing.T) {
	t.Parallel()
	for name, shape := range shapes {
		good, err := source(name, &says{status: 200, body: strings.NewReader(strings.ReplaceAll(shape, "%s", `"2.5"`))}).
			Quotes(t.Context(), everything)
		if must(t, err); len(good) == 0 {
			t.Errorf("%s takes nothing", name)
		}
		for _, price := range []string{
			`0`, `"0"`, `0.0`, `-1`, `"-1"`, `"+1"`, `"NaN"`, `NaN`, `"Infinity"`, `1e400`, `1e-400`, `1e13`, `1e-13`, `"1e99999999999"`,
			`null`, `true`, `[]`, `{}`, `[1]`,
			`""`, `" 1"`, `"1 "`, `"1,5"`, `"0x10"`, `"１"`, `"1_000"`, `".5"`, `"5."`, `"` + strings.Repeat("9", 200) + `"`,
			strings.Repeat("9", 1_000_000), `"0.` + strings.Repeat("0", 70) + `1"`,
		} {
			body := strings.ReplaceAll(shape, "%s", price)
			if got, err := source(name, &says{status: http.StatusOK, body: strings.NewReader(body)}).Quotes(t.Context(), everything); err == nil {
				t.Errorf("%s: %.60s is taken as %v", name, price, lines(got))
			}
		}
	}
}

// endless is a body without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '['
	}
	return len(p), nil
}

func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	for name, shape := range shapes {
		good := strings.ReplaceAll(shape, "%s", `"2.5"`)
		for what, s := range map[string]*says{
			"HTML":        {status: 200, body: strings.NewReader("<html><body>Just a moment…</body></html>")},
			"nothing":     {status: 200, body: strings.NewReader("")},
			"null":        {status: 200, body: strings.NewReader("null")},
			"a list":      {status: 200, body: strings.NewReader("[" + good + "]")},
			"a number":    {status: 200, body: strings.NewReader("7")},
			"cut short":   {status: 200, body: strings.NewReader(good[:len(good)-2])},
			"more":        {status: 200, body: strings.NewReader(good + good)},
			"deep":        {status: 200, body: strings.NewReader(strings.Repeat("[", 200_000))},
			"endless":     {status: 200, body: endless{}},
			"broken off":  {status: 200, body: io.MultiReader(strings.NewReader(good), failing{})},
			"too often":   {status: 429, body: strings.NewReader(good)},
			"failing":     {status: 500, body: strings.NewReader(good)},
			"elsewhere":   {status: 302, body: strings.NewReader(good)},
			"no content":  {status: 204, body: strings.NewReader(good)},
			"other parts": {status: 200, body: strings.NewReader(`{"data":7,"error":{},"result":[],"rates":"x","bitcoin":5,"base":"USD","date":"2024-11-25"}`)},
			"other error": {status: 200, body: strings.NewReader(`{"error":["EGeneral:Too many requests"],"result":{"XXBTZUSD":{"a":["2"],"b":["2"]}},"status":{"error_code":429}}`)},
			"another unit": {status: 200, body: strings.NewReader(strings.NewReplacer(`"USD"`, `"EUR"`, `"usd"`, `"eur"`, "XXBTZUSD",
				"XXBTZEUR").Replace(good))},
		} {
			if got, err := source(name, s).Quotes(t.Context(), everything); err == nil {
				t.Errorf("%s, %s: taken as %v", name, what, lines(got))
			}
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

// An impossible or missing time makes no quote.
func TestTimesOfAnswers(t *testing.T) {
	t.Parallel()
	for name, bodies := range map[string][]string{
		"coingecko": {
			`{"bitcoin":{"usd":2}}`, `{"bitcoin":{"usd":2,"last_updated_at":"soon"}}`, `{"bitcoin":{"usd":2,"last_updated_at":-1}}`,
			`{"bitcoin":{"usd":2,"last_updated_at":1e99}}`, `{"bitcoin":{"usd":2,"last_updated_at":1732550461}}`,
		},
		"frankfurter": {
			`{"base":"USD","rates":{"EUR":1}}`, `{"base":"USD","date":"soon","rates":{"EUR":1}}`,
			`{"base":"USD","date":"2024-11-17","rates":{"EUR":1}}`,
			`{"base":"USD","date":"2024-11-27","rates":{"EUR":1}}`, `{"base":"EUR","date":"2024-11-25","rates":{"EUR":1}}`,
		},
		"kraken": {
			`{"result":{"XXBTZUSD":{"a":["100"],"b":["101"]}}}`, `{"result":{"XXBTZUSD":{"a":["103"],"b":["100"]}}}`, // crossed, wide
			`{"result":{"XXBTZUSD":{"a":[],"b":[]}}}`, `{"result":{"XXBTZUSD":{"c":["100"]}}}`,
		},
	} {
		for _, body := range bodies {
			if got, err := source(name, &says{status: http.StatusOK, body: strings.NewReader(body)}).Quotes(t.Context(), everything); err == nil {
				t.Errorf("%s: %s is taken as %v", name, body, lines(got))
			}
		}
	}
	ahead := `{"bitcoin":{"usd":2,"last_updated_at":1732550430}}` // 30 s: a clock a little fast
	got, err := source("coingecko", &says{status: http.StatusOK, body: strings.NewReader(ahead)}).Quotes(t.Context(), everything)
	if must(t, err); !got[0].UpdatedAt.Equal(recorded) {
		t.Errorf("the future is kept: %v", got[0].UpdatedAt)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	asked := false
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	t.Cleanup(inside.Close)
	front := httptest.NewServer(http.RedirectHandler(inside.URL, http.StatusFound))
	t.Cleanup(front.Close)
	res, err := pricing.NewClient().Get(front.URL)
	must(t, err)
	must(t, res.Body.Close())
	if res.StatusCode != http.StatusFound || asked {
		t.Errorf("status %d, asked %v", res.StatusCode, asked)
	}
}

func TestEveryNamedSourceIsKnown(t *testing.T) {
	t.Parallel()
	for _, name := range pricing.Names() {
		if !pricing.Known(name) || pricing.NewSources([]string{name}, nil)[0].Name() != name {
			t.Errorf("%s is not known", name)
		}
	}
	if pricing.Known(pricing.Fixed) || len(pricing.Names()) < 4 {
		t.Error("the fixed table is no live source")
	}
}

// FuzzAnswer: whatever a source answers, nothing but believable quotes come of it.
func FuzzAnswer(f *testing.F) {
	for name, shape := range shapes {
		body, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(body))
		f.Add(strings.ReplaceAll(shape, "%s", `1e-7`))
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, name := range pricing.Names() {
			got, err := source(name, &says{status: http.StatusOK, body: strings.NewReader(body)}).Quotes(t.Context(), everything)
			if (err == nil) != (len(got) > 0) {
				t.Fatalf("%d quotes and %v", len(got), err)
			}
			for _, q := range got {
				if q.Price.LessThan(dec("0.000000000001")) || q.Price.GreaterThan(dec("1000000000000")) || q.UpdatedAt.After(recorded) ||
					q.Base == q.Quote {
					t.Fatalf("believes %+v", q)
				}
			}
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
