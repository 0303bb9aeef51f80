package pricing

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// referenceFiats are the currencies with a reference rate of the European Central Bank.
var referenceFiats = strings.Fields("AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD PHP PLN RON SEK SGD THB TRY ZAR")

// referenceAge is how old a reference rate may be: there is one each working day, and no holidays last longer.
const referenceAge = 7 * 24 * time.Hour

// frankfurterAddress asks for the newest reference rates of the European Central Bank: https://frankfurter.dev/v1
func frankfurterAddress(want Want) string {
	symbols := slices.DeleteFunc(slices.Clone(want.Fiats), func(code string) bool { return !slices.Contains(referenceFiats, code) })
	return "https://api.frankfurter.dev/v1/latest?" + url.Values{"base": {dollar}, "symbols": {strings.Join(symbols, ",")}}.Encode()
}

// readFrankfurter reads {"base":"USD","date":"2024-11-25","rates":{"BRL":5.8067,…}}. The rate of the last working day holds
// until the next one is published, so the quotes are of now. A day older than referenceAge, or a day ahead, is an error.
func readFrankfurter(body []byte, q *answer) error {
	var in struct {
		Base  string
		Date  string
		Rates map[string]json.RawMessage
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if in.Base != dollar {
		return errors.New("the answer is not about USD")
	}
	day, err := time.Parse(time.DateOnly, in.Date)
	if err != nil {
		return errors.New("the answer has no date")
	}
	if age := q.now.Sub(day); age > referenceAge || age < -24*time.Hour {
		return fmt.Errorf("the rates are of %s", in.Date)
	}
	for _, code := range q.want.Fiats {
		if rate, ok := price(in.Rates[code]); ok {
			q.fiat(code, rate, q.now)
		}
	}
	return nil
}
