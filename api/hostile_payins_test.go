package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

func TestHostileLifetimes(t *testing.T) {
	f := newHostileFront(t)
	defer f.close()
	for raw, seconds := range map[string]int{
		`1`: 1, `10`: 10, `1.0`: 1, `60.000`: 60, `86400`: 86400, `null`: 14400,
		`0`: 0, `-1`: 0, `86401`: 0, `1.5`: 0, `1.05`: 0, `"1.0"`: 0, `1.0e1`: 0, `0.0`: 0, `"10"`: 0, `1e1`: 0, `-0`: 0,
		`9223372036854775808`: 0, `18446744073709551617`: 0, `1e1000000000`: 0, `true`: 0, `[10]`: 0, `{}`: 0, `""`: 0,
	} {
		f.serial++
		reference := fmt.Sprintf("lasts-%06d", f.serial)
		a := f.send(raw, f.asked(http.MethodPost, "/v1/payin", with(aPayin, "reference_id", quote(reference), "expires_at", raw)))
		if seconds == 0 {
			if a.status != http.StatusBadRequest || decodeReply(t, a.text).at("error.details.fields.expires_at") == nil {
				t.Errorf("expires_at %s: %d %s", raw, a.status, a.text)
			}
			continue
		}
		var lasts int
		if err := f.db.NewRaw("select round(extract(epoch from expires_at - created_at)) from payins where reference_id = ?", reference).
			Scan(t.Context(), &lasts); err != nil || lasts != seconds {
			t.Errorf("expires_at %s: %d seconds, %v: %s", raw, lasts, err, a.text)
		}
	}
}

// Both edges of the 30 % are inside, at a price with endless quotients: 30 USD at 3 is 10.
func TestHostileAmountsThatDiffer(t *testing.T) {
	f := newHostileFront(t)
	defer f.close()
	for price, edges := range map[string][2]string{"3": {"7", "13"}, "0.0003": {"70000", "130000"}, "7": {"3", "5.571428"}} {
		f.exec("update prices set price = ? where base = 'USDT' and quote = 'USD'", price)
		for crypto, code := range map[string]string{
			edges[0]: "", edges[1]: "", less(edges[0]): "crypto_amount_does_not_correspond_to_fiat_amount_provided", more(edges[1]): "crypto_amount_does_not_correspond_to_fiat_amount_provided",
		} {
			f.serial++
			a := f.send(crypto+" at "+price, f.asked(http.MethodPost, "/v1/payin", with(aPayin, "reference_id", fmt.Sprintf(`"edge-%06d"`, f.serial),
				"crypto_amount", quote(crypto), "fiat_amount", `"30"`, "fiat_currency", `"USD"`)))
			if a.body.Error.Code != code {
				t.Errorf("%s for 30 at %s: %d %s", crypto, price, a.status, a.text)
			}
		}
	}
}

// less and more are a unit of 6 decimals away.
func less(amount string) string { return dec(amount).Sub(dec("0.000001")).String() }
func more(amount string) string { return dec(amount).Add(dec("0.000001")).String() }

// Without a price, or with one of zero, nothing is recorded and nothing is divided by it: the answer is one of the contract's.
func TestHostilePrices(t *testing.T) {
	f := newHostileFront(t)
	defer f.close()
	byFiat := []string{"process_by", `"fiat_amount"`, "crypto_amount", "", "fiat_amount", `"30"`, "fiat_currency", `"USD"`}
	for _, change := range []string{"update prices set price = 0 where base = 'USDT'", "delete from prices where base = 'USDT'"} {
		f.exec(change)
		for _, c := range []struct {
			method, target, body string
			status               int
			code                 string
		}{
			{"POST", "/v1/payin", with(aPayin, append([]string{"reference_id", `"priced-0001"`}, byFiat...)...), 503,
				"price_not_available_for_conversion"},
			{"POST", "/v1/payin", with(aPayin, "reference_id", `"priced-0002"`, "fiat_amount", `"30"`, "fiat_currency", `"USD"`), 503,
				"price_not_available_for_validation"},
			{"GET", "/v1/get-price?currency1=USDT&currency2=USD", "", 404, "price_not_found"},
			{"GET", "/v1/get-price?currency1=USD&currency2=USDT", "", 404, "price_not_found"},
			{"GET", "/v1/get-price?currency1=BTC&currency2=USDT", "", 404, "price_not_found"},
		} {
			before := f.fingerprint()
			a, _ := f.serve(f.asked(c.method, c.target, c.body))
			got, _ := decodeReply(t, a.text).at("error.code").(string)
			if a.status != c.status || got != c.code || f.fingerprint() != before {
				t.Errorf("%s: %s %s: %d %s", change, c.method, c.target, a.status, a.text)
			}
		}
		a := f.send("payout", f.asked("POST", "/v1/payout", item("priced-0003", byFiat...)))
		if code := decodeReply(t, a.text).at("results.0.error.code"); code != "price_unavailable" {
			t.Errorf("%s: %s", change, a.text)
		}
	}
	f.log.Reset() // the 503 are there, as they should be
}

// However many ask at once under one reference, written one way or another, one payin is created.
func TestHostileReferenceRace(t *testing.T) {
	f := newHostileFront(t)
	defer f.close()
	spellings := []string{`"raced-0001"`, `" raced-0001"`, `"raced-0001 "`, `"\u0072aced-0001"`, `"raced-0001\n"`}
	var mu sync.Mutex
	var all sync.WaitGroup
	codes := map[string]int{}
	for i := range 40 {
		all.Go(func() {
			w := httptest.NewRecorder()
			f.front.ServeHTTP(w, f.asked(http.MethodPost, "/v1/payin", with(aPayin, "reference_id", spellings[i%len(spellings)])).read())
			mu.Lock()
			defer mu.Unlock()
			codes[fmt.Sprint(w.Code, decodeReply(t, w.Body.String()).code())]++
		})
	}
	all.Wait()
	if codes["200"] != 1 || codes["400duplicate_reference_id"] != 39 {
		t.Errorf("answers %v", codes)
	}
	if n := f.count("select count(*) from addresses a join payins p on p.id = a.payin_id where p.reference_id = 'raced-0001'"); n != 1 {
		t.Errorf("%d addresses", n)
	}
}
