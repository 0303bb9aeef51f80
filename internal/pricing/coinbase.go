package pricing

import (
	"encoding/json"
	"errors"
	"fmt"
)

// coinbaseSymbols are Coinbase's names of tokens. No other names are read: the same letters may be another coin. USDC is left
// out: Coinbase answers 1 for it by definition, at any real price.
var coinbaseSymbols = map[string]string{
	"BTC": "BTC", "ETH": "ETH", "BNB": "BNB", "SOL": "SOL", "XRP": "XRP", "ADA": "ADA", "DOGE": "DOGE", "POL": "POL", "AVAX": "AVAX",
	"CELO": "CGLD", "CRO": "CRO", "BCH": "BCH", "LTC": "LTC", "USDT": "USDT",
}

// coinbaseAddress asks for one USD in every currency: https://docs.cdp.coinbase.com/coinbase-app/track-apis/exchange-rates
func coinbaseAddress(Want) string { return "https://api.coinbase.com/v2/exchange-rates?currency=USD" }

// readCoinbase reads {"data":{"currency":"USD","rates":{"BTC":"0.0000158","EUR":"0.92",…}}}. It says no time: the quotes
// are of now.
func readCoinbase(body []byte, q *answer) error {
	var in struct {
		Data struct {
			Currency string
			Rates    map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if in.Data.Currency != dollar {
		return errors.New("the answer is not about USD")
	}
	for _, symbol := range q.want.Tokens {
		name, known := coinbaseSymbols[symbol]
		if rate, ok := price(in.Data.Rates[name]); known && ok {
			q.token(symbol, reciprocal(rate), q.now)
		}
	}
	for _, code := range q.want.Fiats {
		if rate, ok := price(in.Data.Rates[code]); ok {
			q.fiat(code, rate, q.now)
		}
	}
	return nil
}
