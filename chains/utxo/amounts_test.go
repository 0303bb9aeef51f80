package utxo_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"

	"causeway/chains"
	"causeway/chains/nodes"
	"causeway/chains/utxo"
	"causeway/internal/pay"
)

// TestAmountsAreCreditedByTheirRow: small amounts are credited after fewer confirmations, those of a merchant by its own table, and all
// others by the rule. A process says so at its start.
//
// Covers operator §Settings: On a network of Bitcoin and its kin `credit_by_amount`
func TestAmountsAreCreditedByTheirRow(t *testing.T) {
	t.Parallel()
	own := uuid.MustParse("018f6b2e-0000-7000-8000-000000000001")
	for _, network := range networks {
		c, err := utxo.Driver.Read(network, part(written(t, network)+"rule: {credit: 6, final: 12}\n"+
			"credit_by_amount: [{up_to: 100, credit: 1}, {up_to: 1000.50, credit: 3}]\ncredit_by_amount_of: {"+own.String()+": [{up_to: 7, credit: 2}]}\n"))
		check(t, err)
		var out bytes.Buffer
		log := logrus.New()
		log.SetOutput(&out)
		n, err := c.Open(t.Context(), chains.Opening{Log: log})
		check(t, err)
		if !n.Rule.Early() || n.Rule.Credit != 6 || n.Rule.Final != 12 {
			t.Errorf("%s: %+v", network, n.Rule)
		}
		for worth, want := range map[string][2]pay.CreditDepth{"0": {1, 2}, "7": {1, 2}, "7.01": {1, pay.CreditByRule}, "100": {1, pay.CreditByRule},
			"100.01": {3, pay.CreditByRule}, "1000.5": {3, pay.CreditByRule}, "1000.51": {pay.CreditByRule, pay.CreditByRule}} {
			usd := decimal.RequireFromString(worth)
			if got := [2]pay.CreditDepth{n.Rule.For(uuid.New(), usd), n.Rule.For(own, usd)}; got != want {
				t.Errorf("%s: %s USD are credited at %v, want %v", network, worth, got, want)
			}
		}
		if want := "up to 100 USD at 1 confirmations; up to 1000.5 USD at 3 confirmations; more at 6 confirmations"; !strings.Contains(out.String(), want) {
			t.Errorf("%s: %s", network, out.String())
		}
		c, err = utxo.Driver.Read(network, part(written(t, network)))
		check(t, err)
		n, err = c.Open(t.Context(), chains.Opening{})
		check(t, err)
		if n.Rule.Early() {
			t.Errorf("%s: amounts are credited early that nobody has asked for: %+v", network, n.Rule)
		}
	}
}

// TestMistakesInTablesOfAmounts: the row and what is allowed, and never the value.
func TestMistakesInTablesOfAmounts(t *testing.T) {
	t.Parallel()
	base := utxo.Defaults("Bitcoin")
	base.RPC = nodes.Addresses{"http://a"}
	xpub, err := utxo.Driver.Public(seed, pay.Bitcoin)
	check(t, err)
	base.XPub = xpub
	row := func(upTo string, credit int) utxo.AmountRow {
		return utxo.AmountRow{UpTo: amount(upTo), Credit: credit}
	}
	for _, c := range []struct {
		rows []utxo.AmountRow
		says string
	}{
		{[]utxo.AmountRow{row("100", 1), row("200", 3)}, ""},
		{[]utxo.AmountRow{row("0", 1)}, "up_to: an amount of USD above zero"},
		{[]utxo.AmountRow{row("-5", 1)}, "up_to: an amount of USD above zero"},
		{[]utxo.AmountRow{row("5", 0)}, "confirmations from 1 to 3, those of the rule"},
		{[]utxo.AmountRow{row("5", 4)}, "confirmations from 1 to 3, those of the rule"},
		{[]utxo.AmountRow{row("5", 1), row("5", 2)}, "smaller amounts come first"},
		{[]utxo.AmountRow{row("5", 2), row("6", 2)}, "smaller amounts come first"},
		{make([]utxo.AmountRow, 11), "at most 10 rows"},
	} {
		for where, cfg := range map[string]utxo.Config{
			"credit_by_amount": with(base, func(cfg *utxo.Config) { cfg.CreditByAmount = c.rows }),
			"credit_by_amount_of: 018f6b2e-0000-7000-8000-000000000001": with(base, func(cfg *utxo.Config) {
				cfg.CreditByAmountOf = map[string][]utxo.AmountRow{"018f6b2e-0000-7000-8000-000000000001": c.rows}
			}),
		} {
			err := cfg.Validate()
			if c.says == "" && err != nil || c.says != "" && (!says(err, c.says) || !says(err, where)) {
				t.Errorf("%s, %v: %v", where, c.rows, err)
			}
		}
	}
	nobody := with(base, func(cfg *utxo.Config) { cfg.CreditByAmountOf = map[string][]utxo.AmountRow{"hunter2": nil} })
	if err := nobody.Validate(); !says(err, "the id of a merchant is a UUID") || says(err, "hunter2") {
		t.Error(err)
	}
	if _, err := utxo.Driver.Read("Bitcoin", part(written(t, "Bitcoin")+"credit_by_amount: [{up_to: 100, credit: safe}]\n")); err == nil || errors.Is(err, chains.ErrDown) {
		t.Errorf("a block tag is a depth: %v", err)
	}
}

func with(c utxo.Config, change func(*utxo.Config)) utxo.Config {
	change(&c)
	return c
}
