package pricing

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/shopspring/decimal"
)

// krakenMarkets are Kraken's names of the markets between a token and USD. No other markets are read.
var krakenMarkets = map[string]string{
	"BTC": "XXBTZUSD", "ETH": "XETHZUSD", "LTC": "XLTCZUSD", "XRP": "XXRPZUSD", "XMR": "XXMRZUSD", "DOGE": "XDGUSD", "USDT": "USDTZUSD",
	"USDC": "USDCUSD", "BNB": "BNBUSD", "TRX": "TRXUSD", "SOL": "SOLUSD", "ADA": "ADAUSD", "POL": "POLUSD", "AVAX": "AVAXUSD",
	"BCH": "BCHUSD", "CRO": "CROUSD", "TON": "TONUSD",
}

// krakenFiats are the markets between USD and a fiat; backwards marks a price of the fiat in USD.
var krakenFiats = map[string]struct {
	market    string
	backwards bool
}{
	"EUR": {"ZEURZUSD", true}, "GBP": {"ZGBPZUSD", true}, "AUD": {"AUDUSD", true},
	"CAD": {"ZUSDZCAD", false}, "JPY": {"ZUSDZJPY", false}, "CHF": {"USDCHF", false},
}

// widest is how far apart, relative to the lower, bid and ask may be for the middle between them to be a price.
var widest = decimal.New(2, -2)

// krakenAddress asks for every market, since one unknown name would spoil the whole answer:
// https://docs.kraken.com/api/docs/rest-api/get-ticker-information
func krakenAddress(Want) string { return "https://api.kraken.com/0/public/Ticker" }

// readKraken reads {"error":[],"result":{"XXBTZUSD":{"a":["63250.2","1","1.000"],"b":["63250.0","1","1.000"],…},…}}. The price
// is the middle between bid and ask, and is of now; the last trade may be of any time.
func readKraken(body []byte, q *answer) error {
	var in struct {
		Error  []string
		Result map[string]json.RawMessage
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if len(in.Error) > 0 {
		return fmt.Errorf("it answers %.200q", strings.Join(in.Error, ", "))
	}
	for _, symbol := range q.want.Tokens {
		market, known := krakenMarkets[symbol]
		if middle, ok := middleOf(in.Result[market]); known && ok {
			q.token(symbol, middle, q.now)
		}
	}
	for _, code := range q.want.Fiats {
		market, known := krakenFiats[code]
		middle, ok := middleOf(in.Result[market.market])
		if !known || !ok {
			continue
		}
		if market.backwards {
			middle = reciprocal(middle)
		}
		q.fiat(code, middle, q.now)
	}
	return nil
}

// middleOf returns the middle between bid and ask of one market.
func middleOf(raw json.RawMessage) (decimal.Decimal, bool) {
	var market struct {
		Ask []json.RawMessage `json:"a"`
		Bid []json.RawMessage `json:"b"`
	}
	if json.Unmarshal(raw, &market) != nil || len(market.Ask) == 0 || len(market.Bid) == 0 {
		return decimal.Zero, false
	}
	ask, ok1 := price(market.Ask[0])
	bid, ok2 := price(market.Bid[0])
	if !ok1 || !ok2 || ask.LessThan(bid) || apart(bid, ask, widest) {
		return decimal.Zero, false
	}
	return mean(bid, ask), true
}
