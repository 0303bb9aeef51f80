package settings

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains/evm"
)

func networkOf(t *testing.T, text string) evm.Config {
	t.Helper()
	recording, configs := recorded()
	_, err := parseNetworks([]byte("networks:\n  Ethereum:\n    rpc: http://a\n    xpub: "+someXPub+"\n    "+text+"\n"), recording)
	require.NoError(t, err)
	return configs["Ethereum"]
}

// Small amounts are credited early by the network's own table, unless the file has one, or a rule of its own.
//
// Covers operator §Settings: credit_by_amount
// Covers operator §Settings: credit_by_amount_of
func TestCreditByAmount(t *testing.T) {
	t.Parallel()
	rows := func(c evm.Config) (out []string) {
		for _, r := range c.CreditByAmount {
			out = append(out, r.UpTo.String()+" "+r.Credit.String())
		}
		return out
	}
	require.Equal(t, []string{"100 12 confirmations", "1000 safe"}, rows(networkOf(t, "timeout: 5s")))
	require.Empty(t, rows(networkOf(t, "credit_by_amount: []")))
	require.Empty(t, rows(networkOf(t, "rule: {credit: 12, final: 64}")), "the file's own rule is for every amount")
	const merchant = "018f6b2e-0000-7000-8000-000000000001"
	c := networkOf(t, "rule: {credit: finalized, final: finalized}\n    credit_by_amount: [{up_to: 12.5, credit: 3}, {up_to: 50, credit: safe}]\n"+
		"    credit_by_amount_of: {"+merchant+": [{up_to: 7, credit: 1}]}")
	require.Equal(t, []string{"12.5 3 confirmations", "50 safe"}, rows(c))
	require.Equal(t, "7", c.CreditByAmountOf[merchant][0].UpTo.String())
}

func TestCreditByAmountRefusals(t *testing.T) {
	t.Parallel()
	const head = "networks: {Ethereum: {rpc: http://hunter2@a, xpub: " + someXPub + ", "
	for text, says := range map[string]string{
		"credit_by_amount: [{up_to: 0, credit: 3}]":                                            "credit_by_amount: up_to: an amount of USD above zero",
		"credit_by_amount: [{up_to: 1, credit: 0}]":                                            "credit: confirmations from 1 to 100000, safe or finalized",
		"credit_by_amount: [{up_to: 1}]":                                                       "credit: confirmations from 1",
		"credit_by_amount: [{up_to: 1, credit: latest}]":                                       "credit: confirmations from 1",
		"credit_by_amount: [{up_to: 1, credit: 3}, {up_to: 1, credit: 4}]":                     "smaller amounts come first",
		"credit_by_amount: [{up_to: 1, credit: safe}, {up_to: 2, credit: 4}]":                  "smaller amounts come first",
		"credit_by_amount: [{up_to: 1, credit: 3}, {up_to: 2, credit: 3}]":                     "smaller amounts come first",
		"credit_by_amount: [{up_to: hunter2, credit: 3}]":                                      "expected a number",
		"credit_by_amount: 3":                                                                  "credit_by_amount: expected a list",
		"credit_by_amount: [{upto: 1, credit: 3}]":                                             "there is no field",
		"credit_by_amount_of: {hunter2: []}":                                                   "credit_by_amount_of",
		"credit_by_amount_of: {018f6b2e-0000-7000-8000-000000000001: [{up_to: 1, credit: 0}]}": "credit_by_amount_of: 018f6b2e-0000-7000-8000-000000000001: credit",
	} {
		_, err := parseNetworks([]byte(head+text+"}}"), drivers)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
