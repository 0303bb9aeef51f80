package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"causeway/api/input"
)

// amounts are spellings of amounts as raw JSON, each with its reading by addendum §6.
func amounts() map[string]input.Found {
	out := map[string]input.Found{
		`null`: input.Absent, `0`: input.Zero, `"0"`: input.Zero, `"0.0"`: input.Zero, `"` + strings.Repeat("0", 30) + `"`: input.Zero,
		`1`: input.Given, `"1"`: input.Given, `1.0`: input.Given, `"00001"`: input.Given, `"1.00000000"`: input.Given, `"\u0031"`: input.Given,
		`"1.0` + strings.Repeat("1", 29) + `"`: input.Given,
		`1e3`:                                  input.Wrong, `1E3`: input.Wrong, `1e+3`: input.Wrong, `1e-3`: input.Wrong, `1e1000000000`: input.Wrong, `-0`: input.Wrong, `-1`: input.Wrong, `-0.0`: input.Wrong,
		`true`: input.Wrong, `false`: input.Wrong, `[]`: input.Wrong, `["1"]`: input.Wrong, `{}`: input.Wrong, `{"amount":"1"}`: input.Wrong,
		strings.Repeat("9", 1e6): input.Wrong, `"` + strings.Repeat("9", 1e6) + `"`: input.Wrong, `0.` + strings.Repeat("1", 1e6): input.Wrong,
	}
	for _, text := range []string{
		"-1", "+1", " 1", "1 ", "\\t1", "1\\n", ".5", "5.", ".", "", " ", "1e3", "1e1000000000", "1e-1000000000", "0x10", "0b1", "0o7",
		"1_000", "1,5", "1.000,00", "1'000",
		"NaN", "nan", "Infinity", "-Infinity", "inf", "−1", "１", "١", "1\\u0300", "\\u200b1", "½", "¹", "1.2.3", "--1", "1-", "1f", "$1",
		"1USD", "1.0.", "0.", "- 1",
		"null", "true", "1/3", "1%", "0." + strings.Repeat("1", 40), strings.Repeat("1", 31), strings.Repeat("0", 31),
		"1" + strings.Repeat("0", 30), "1\\\\", "1;drop table payouts",
	} {
		out[`"`+text+`"`] = input.Wrong
	}
	return out
}

func TestHostileAmountsOfPayouts(t *testing.T) {
	f := newHostileFront(t)
	defer f.close()
	route := &Route{Method: http.MethodPost, Path: "/v1/payout"}
	for _, by := range []string{"crypto_amount", "fiat_amount"} {
		for raw, found := range amounts() {
			code := "invalid_" + by
			if found == input.Given {
				code = ""
			}
			body := f.orders(route).body("process_by", quote(by), by, raw)
			if got, _ := decodeReply(t, f.send(raw[:min(len(raw), 40)], f.asked("POST", "/v1/payout", body)).text).
				at("results.0.error.code").(string); got != code {
				t.Errorf("%s %.40s: %s, want %s", by, raw, got, code)
			}
			other := map[string]string{"crypto_amount": "fiat_amount", "fiat_amount": "crypto_amount"}[by]
			if a := f.send("ignored", f.asked("POST", "/v1/payout",
				f.orders(route).body("process_by", quote(by), other, raw))); a.status != http.StatusOK {
				t.Errorf("%s is %.40s and not asked for: %d %s", other, raw, a.status, a.text)
			}
		}
	}
}

func TestHostileAmountsOfPayins(t *testing.T) {
	f := newHostileFront(t)
	defer f.close()
	route := &Route{Method: http.MethodPost, Path: "/v1/payin"}
	for _, by := range []string{"crypto_amount", "fiat_amount"} {
		for raw, found := range amounts() {
			code := map[input.Found]string{input.Absent: by + "_required", input.Zero: "invalid_parameters", input.Wrong: "invalid_parameters"}[found]
			changes := []string{"process_by", quote(by), "crypto_amount", `"1"`, "fiat_amount", `"1"`, by, raw}
			a := f.send(raw[:min(len(raw), 40)], f.asked("POST", "/v1/payin", f.orders(route).body(changes...)))
			if a.body.Error.Code != code || code == "invalid_parameters" && decodeReply(t, a.text).at("error.details.fields."+by) == nil {
				t.Errorf("%s %.40s: %d %.300s, want %s", by, raw, a.status, a.text, code)
			}
		}
	}
	// The fiat amount beside crypto_amount is held to the same form; crypto_amount beside a fiat one is recalculated.
	for raw, found := range amounts() {
		a := f.send("beside", f.asked("POST", "/v1/payin", f.orders(route).body("crypto_amount", `"1"`, "fiat_amount", raw)))
		if refused := a.status != http.StatusOK; refused != (found == input.Zero || found == input.Wrong) {
			t.Errorf("fiat_amount %.40s beside: %d %.300s", raw, a.status, a.text)
		}
		if a := f.send("recalculated", f.asked("POST", "/v1/payin",
			f.orders(route).body("process_by", `"fiat_amount"`, "crypto_amount", raw))); a.status != http.StatusOK {
			t.Errorf("crypto_amount %.40s: %d %.300s", raw, a.status, a.text)
		}
	}
}

func TestHostileAmountsOfFilters(t *testing.T) {
	f := newHostileFront(t)
	defer f.close()
	f.calm = true
	for _, path := range []string{"/v1/statements", "/v1/statements/summary"} {
		for _, name := range []string{"min_amount", "max_amount"} {
			for raw, found := range amounts() {
				o, _ := input.ObjectIn([]byte(`{"amount":` + raw + `}`))
				text, given := o.Text("amount")
				if given != input.Given || len(text) > 4000 {
					continue
				}
				code := ""
				if found == input.Wrong && text != "" {
					code = "invalid_amount"
				}
				a := f.send(name+" "+text, f.asked(http.MethodGet, fmt.Sprintf("%s?%s=%s", path, name, url.QueryEscape(text)), ""))
				if a.body.Error.Code != code {
					t.Errorf("%s %s=%q: %d %s", path, name, text, a.status, a.text)
				}
			}
		}
	}
}

// The largest amounts to be written, in every token and fiat, and with every rate, are refused as such: nothing
// overflows on the way.
func TestHostileLargestAmounts(t *testing.T) {
	f := newHostileFront(t)
	defer f.close()
	f.exec("update merchants set payment_rate = 99.999999, receipt_rate = 100")
	largest, smallest := strings.Repeat("9", 30)+"."+strings.Repeat("9", 30), "0."+strings.Repeat("0", 29)+"1"
	catalogue, err := f.store.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, token := range catalogue.Tokens { // by symbol: one network of each will do
		if i > 0 && catalogue.Tokens[i-1].Symbol == token.Symbol {
			continue
		}
		for _, fiat := range []string{"USD", "ARS"} {
			for _, amount := range []string{largest, smallest} {
				for _, by := range []string{"crypto_amount", "fiat_amount"} {
					f.serial++
					changes := []string{"reference_id", fmt.Sprintf(`"large-%06d"`, f.serial), "crypto_currency", quote(token.Symbol),
						"network", quote(token.Network), "process_by", quote(by),
						"crypto_amount", quote(amount), "fiat_amount", "", "fiat_currency", quote(fiat), "memo", fmt.Sprintf(`"1%08d"`, f.serial)}
					if by == "fiat_amount" {
						changes = append(changes, "fiat_amount", quote(amount))
					}
					what := fmt.Sprintf("%s %s of %s by %s in %s", amount, token.Symbol, token.Network, by, fiat)
					f.send(what, f.asked("POST", "/v1/payin", with(aPayin, changes...)))
					wallet := quote(addressOn(t, f, token.Network))
					for _, from := range []string{"0", "1"} {
						if a := f.send(what, f.asked("POST", "/v1/payout",
							item("", append(changes, "wallet", wallet, "feetakenfromamount", from)...))); a.status != http.StatusBadRequest {
							t.Errorf("%s: %d %s", what, a.status, a.text)
						}
					}
				}
			}
		}
	}
}

// addressOn is an address of nobody on a network.
func addressOn(t testing.TB, f *hostileFront, network string) string {
	t.Helper()
	n, _ := f.networks.Network(network)
	address, err := n.Addresser.Derive(t.Context(), 4_000_000)
	if err != nil {
		t.Fatal(err)
	}
	return address
}
