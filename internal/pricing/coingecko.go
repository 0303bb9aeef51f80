package pricing

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// coingeckoIDs are CoinGecko's names of tokens; its symbols are not unique.
var coingeckoIDs = map[string]string{
	"BTC": "bitcoin", "ETH": "ethereum", "BNB": "binancecoin", "TRX": "tron", "SOL": "solana", "XRP": "ripple", "ADA": "cardano",
	"DOGE": "dogecoin", "POL": "polygon-ecosystem-token", "AVAX": "avalanche-2", "CELO": "celo", "CRO": "crypto-com-chain",
	"BCH": "bitcoin-cash", "BSV": "bitcoin-cash-sv", "BTG": "bitcoin-gold", "XMR": "monero", "OKB": "okb", "LTC": "litecoin",
	"TON": "the-open-network", "USDT": "tether", "USDC": "usd-coin", "USDC.e": "bridged-usdc-polygon-pos-bridge",
}

// measure is a coin with prices in every currency. Two of its prices give the rate between two currencies.
const measure = "bitcoin"

// coingeckoAddress asks for the wanted prices in USD and in every fiat: https://docs.coingecko.com/reference/simple-price
func coingeckoAddress(want Want) string {
	ids, currencies := []string{measure}, []string{"usd"}
	for _, symbol := range want.Tokens {
		if id, known := coingeckoIDs[symbol]; known && id != measure {
			ids = append(ids, id)
		}
	}
	for _, code := range want.Fiats {
		currencies = append(currencies, strings.ToLower(code))
	}
	return "https://api.coingecko.com/api/v3/simple/price?" + url.Values{"ids": {strings.Join(ids, ",")},
		"vs_currencies": {strings.Join(currencies, ",")}, "include_last_updated_at": {"true"}, "precision": {"full"}}.Encode()
}

// coin is one coin's part of an answer: its price by currency, in lower case, and when it was known.
type coin map[string]json.RawMessage

// readCoingecko reads {"bitcoin":{"usd":63250.1,"eur":58190.09,"last_updated_at":1711356300},…}.
func readCoingecko(body []byte, q *answer) error {
	var in map[string]json.RawMessage
	if err := json.Unmarshal(body, &in); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	for _, symbol := range q.want.Tokens {
		id, known := coingeckoIDs[symbol]
		c, at, ok := coinIn(in[id])
		if worth, has := price(c["usd"]); known && ok && has {
			q.token(symbol, worth, at)
		}
	}
	c, at, ok := coinIn(in[measure])
	dollars, has := price(c["usd"])
	if !ok || !has {
		return nil
	}
	for _, code := range q.want.Fiats {
		if worth, ok := price(c[strings.ToLower(code)]); ok {
			rate, _ := worth.QuoRem(dollars, Places)
			q.fiat(code, rate, at)
		}
	}
	return nil
}

// lastSecond bounds the times read from answers.
var lastSecond = decimal.New(1, 11)

// coinIn reads one coin; one without a time is none.
func coinIn(raw json.RawMessage) (coin, time.Time, bool) {
	var c coin
	if json.Unmarshal(raw, &c) != nil {
		return nil, time.Time{}, false
	}
	at, ok := number(c["last_updated_at"])
	if !ok || !at.IsPositive() || at.GreaterThan(lastSecond) {
		return nil, time.Time{}, false
	}
	return c, time.Unix(at.IntPart(), 0), true
}
