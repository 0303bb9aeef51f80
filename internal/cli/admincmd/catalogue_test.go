package admincmd

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
	"causeway/internal/store"
)

// Covers addendum §6: A new installation charges
// Covers operator §Admin: causeway admin rates set
// Covers operator §Admin: Fields of rates set
func TestRates(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.Merchant()
	var shown struct {
		Rates   map[string]any
		Network map[string]map[string]any `json:"network_rates"`
	}
	s.Do(&shown, "admin", "rates", "set", "--merchant", id, "payment_rate=1.5", "user_pays_payment_network_fee=false")
	if shown.Rates["payment_rate"] != "1.5" || shown.Rates["user_pays_payment_network_fee"] != false || len(shown.Network) != 0 {
		t.Errorf("own rates %+v", shown)
	}
	s.Do(&shown, "admin", "rates", "set", "--merchant", id, "--network", "trc20", "payment_rate=0.000001", "user_pays_payment_network_fee=on")
	if on := shown.Network["Tron"]; on["payment_rate"] != "0.000001" || on["user_pays_payment_network_fee"] != true || on["receipt_rate"] != nil {
		t.Errorf("on Tron %v", on)
	}
	s.Do(&shown, "admin", "rates", "set", "--merchant", id, "--network", "Tron", "payment_rate=inherit")
	if on := shown.Network["Tron"]; on["payment_rate"] != nil || on["user_pays_payment_network_fee"] != true {
		t.Errorf("on Tron %v", on)
	}
	shown.Network = nil
	s.Do(&shown, "admin", "rates", "set", "--merchant", id, "--network", "Tron", "user_pays_payment_network_fee=inherit")
	if len(shown.Network) != 0 {
		t.Errorf("overrides left: %v", shown.Network)
	}
	set := []string{"admin", "rates", "set", "--merchant", id}
	for value, says := range map[string]string{"payment_rate=101": "100", "payment_rate=0.0000001": "decimals"} {
		s.Refused(command.ExitFailed, says, append(set, value)...)
	}
	for value, says := range map[string]string{"payment_rate=-1": "-1", "payment_rate=inherit": "inherit",
		"user_pays_payment_network_fee=2": "on or off", "gift_rate=1": "gift_rate"} {
		s.Refused(command.ExitUsage, says, append(set, value)...)
	}
	s.Refused(command.ExitUsage, "NAME=VALUE", append(set, "payment_rate")...)
	s.Refused(command.ExitUsage, "NAME=VALUE", append(set, "payment_rate=1", "payment_rate=2")...)
	s.Refused(command.ExitUsage, "NAME=VALUE is missing", set...)
	s.Refused(command.ExitFailed, "Atlantis", append(set, "--network", "Atlantis", "payment_rate=1")...)
}

// Covers addendum §6: A new installation charges
// Covers operator §Admin: causeway admin token list
// Covers operator §Admin: causeway admin token set
// Covers operator §Admin: causeway admin fiat set
// Covers operator §Admin: causeway admin price set
// Covers operator §Admin: causeway admin price clear
// Covers operator §Admin: price set pins
func TestTokensFiatsPrices(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var all []map[string]any
	s.Do(&all, "admin", "token", "list")
	if len(all) < 50 {
		t.Fatalf("%d tokens", len(all))
	}
	before, err := store.New(s.DB).CatalogueVersion(t.Context())
	require.NoError(t, err)
	var token map[string]any
	s.Do(&token, "admin", "token", "set", "USDT", "trc20", "deposits=off", "withdrawals=off", "active=off", "min_withdrawal=5",
		"network_fee=1.25", "max_withdrawal=100", "fee_currency=TRX")
	for name, want := range map[string]any{"network": "Tron", "deposits": false, "withdrawals": false, "active": false,
		"min_withdrawal": "5", "network_fee": "1.25",
		"max_withdrawal": "100", "fee_currency": "TRX", "max_receipt": nil} {
		if token[name] != want {
			t.Errorf("%s is %v, not %v", name, token[name], want)
		}
	}
	after, err := store.New(s.DB).CatalogueVersion(t.Context())
	require.NoError(t, err)
	if after == before {
		t.Error("the catalogue's revision did not rise")
	}
	s.Do(&token, "admin", "token", "set", "USDT", "Tron", "max_withdrawal=unlimited")
	if token["max_withdrawal"] != nil {
		t.Errorf("maximum %v", token["max_withdrawal"])
	}
	for value, says := range map[string]string{"network_fee=0.000000001": "decimals", "max_receipt=0": "zero",
		"max_receipt=0.5": "less than", "fee_currency=NOPE": "NOPE"} {
		s.Refused(command.ExitFailed, says, "admin", "token", "set", "USDT", "Tron", value)
	}
	for value, says := range map[string]string{"min_withdrawal=abc": "abc", "decimals=3": "no field", "active=maybe": "on or off",
		"contract=a b": "one word"} {
		s.Refused(command.ExitUsage, says, "admin", "token", "set", "USDT", "Tron", value)
	}
	s.Refused(command.ExitFailed, "native", "admin", "token", "set", "TRX", "Tron", "contract=x")
	s.Refused(command.ExitFailed, "no token", "admin", "token", "set", "NOPE", "Tron", "active=off")
	s.Refused(command.ExitFailed, "no network", "admin", "token", "set", "USDT", "Nowhere", "active=off")

	var fiat map[string]any
	s.Do(&fiat, "admin", "fiat", "set", "brl", "accepted=false")
	if fiat["code"] != "BRL" || fiat["accepted"] != false {
		t.Errorf("fiat %v", fiat)
	}
	s.Refused(command.ExitFailed, "XXX", "admin", "fiat", "set", "xxx", "accepted=true")

	var price map[string]any
	s.Do(&price, "admin", "price", "set", "BTC", "USD", "63000.5")
	if price["price"] != "63000.5" || price["pinned"] != true || price["source"] != "operator" || price["updated_at"] == nil {
		t.Errorf("price %v", price)
	}
	s.Do(&price, "admin", "price", "set", "BTC", "USD", "64000")
	if audit := s.LastAudit(); !strings.Contains(string(audit.Before), "63000.5") || !strings.Contains(string(audit.After), "64000") {
		t.Errorf("audit %s %s", audit.Before, audit.After)
	}
	s.Do(&price, "admin", "price", "clear", "BTC", "USD")
	if audit := s.LastAudit(); !strings.Contains(string(audit.Before), "64000") || !strings.Contains(string(audit.After), "fixed") {
		t.Errorf("audit %s %s", audit.Before, audit.After)
	}
	s.Refused(command.ExitFailed, "no price", "admin", "price", "clear", "BTC", "USD")
	for _, bad := range [][]string{{"BTC", "USD", "0"}, {"BTC", "BTC", "1"}, {"BTC", "NOPE", "1"}, {"NOPE", "USD", "1"}} {
		s.Refused(command.ExitFailed, "", append([]string{"admin", "price", "set"}, bad...)...)
	}
	s.Refused(command.ExitUsage, "", "admin", "price", "set", "BTC", "USD", "+1")
	s.Refused(command.ExitUsage, "", "admin", "price", "set", "BTC", "USD", "1,5")
}

// Covers operator §Admin: Fields of rates set
// Covers operator §Admin: Fields of token set
func TestFieldsOfRatesAndTokens(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	set := []string{"admin", "rates", "set", "--merchant", s.Merchant()}
	wanted := map[string]any{}
	for i, of := range []string{"payment", "receipt", "deposit", "withdrawal"} {
		rate, flag := of+"_rate", "user_pays_"+of+"_network_fee"
		wanted[rate], wanted[flag] = fmt.Sprintf("%d.5", i+1), i%2 == 0
		set = append(set, fmt.Sprintf("%s=%v", rate, wanted[rate]), fmt.Sprintf("%s=%v", flag, wanted[flag]))
	}
	var shown struct{ Rates map[string]any }
	s.Do(&shown, set...)
	if !maps.Equal(shown.Rates, wanted) {
		t.Errorf("rates are %v, not %v", shown.Rates, wanted)
	}
	wanted = map[string]any{"active": false, "deposits": false, "withdrawals": false, "min_receipt": "2", "max_receipt": "20", "min_withdrawal": "3",
		"max_withdrawal": "30", "network_fee": "0.25", "fee_currency": "ETH", "variant": "bridged", "contract": "0x0000000000000000000000000000000000000001"}
	set = []string{"admin", "token", "set", "USDC", "Ethereum"}
	for name, value := range wanted {
		set = append(set, fmt.Sprintf("%s=%v", name, value))
	}
	var token map[string]any
	s.Do(&token, set...)
	for name, want := range wanted {
		if token[name] != want {
			t.Errorf("%s is %v, not %v", name, token[name], want)
		}
	}
}
