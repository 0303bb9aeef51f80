package utxo

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
)

// AmountRow says after how many confirmations an amount worth up to UpTo USD is credited.
type AmountRow struct {
	UpTo   decimal.Decimal `yaml:"up_to"`
	Credit int             `yaml:"credit"`
}

// mostRows is how many rows a table of amounts has at most.
const mostRows = 10

// validateAmounts wants each row to be of a larger amount than the one before it, and deeper, but no deeper than the rule's own credit.
func (r Rule) validateAmounts(rows []AmountRow) error {
	if len(rows) > mostRows {
		return fmt.Errorf("at most %d rows", mostRows)
	}
	for i, row := range rows {
		switch {
		case !row.UpTo.IsPositive():
			return errors.New("up_to: an amount of USD above zero")
		case row.Credit < 1 || row.Credit > r.Credit:
			return fmt.Errorf("credit: confirmations from 1 to %d, those of the rule", r.Credit)
		case i > 0 && (!row.UpTo.GreaterThan(rows[i-1].UpTo) || row.Credit <= rows[i-1].Credit):
			return errors.New("smaller amounts come first, with fewer confirmations")
		}
	}
	return nil
}

func (c Config) validateAllAmounts() error {
	if err := c.Rule.validateAmounts(c.CreditByAmount); err != nil {
		return fmt.Errorf("credit_by_amount: %w", err)
	}
	for merchant, rows := range c.CreditByAmountOf {
		id, err := uuid.Parse(merchant)
		if err != nil {
			return errors.New("credit_by_amount_of: the id of a merchant is a UUID")
		}
		if err := c.Rule.validateAmounts(rows); err != nil {
			return fmt.Errorf("credit_by_amount_of: %s: %w", id, err)
		}
	}
	return nil
}

// rule is the whole rule, with the amounts that are credited before it.
func (c Config) rule() chains.Rule {
	out := chains.Rule{Credit: c.Rule.Credit, Final: c.Rule.Final, ByAmount: amountRules(c.CreditByAmount),
		ByAmountOf: make(map[uuid.UUID][]chains.AmountRule, len(c.CreditByAmountOf))}
	for merchant, rows := range c.CreditByAmountOf {
		out.ByAmountOf[uuid.MustParse(merchant)] = amountRules(rows) // Validate has read it
	}
	return out
}

func amountRules(rows []AmountRow) []chains.AmountRule {
	out := make([]chains.AmountRule, len(rows))
	for i, r := range rows {
		out[i] = chains.AmountRule{UpTo: r.UpTo, Depth: pay.CreditDepth(r.Credit)}
	}
	return out
}

// announce tells the operator the rule, where amounts are credited before it.
func (c *Connector) announce() {
	if len(c.cfg.CreditByAmount) == 0 {
		return
	}
	words := "payins are credited: "
	for _, r := range c.cfg.CreditByAmount {
		words += fmt.Sprintf("up to %s USD at %d confirmations; ", r.UpTo, r.Credit)
	}
	c.log.Infof("%smore at %d confirmations", words, c.cfg.Rule.Credit)
}
