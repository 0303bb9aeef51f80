package chains

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// AmountDepth says after how many confirmations an amount worth up to UpTo USD is credited.
type AmountDepth struct {
	UpTo   decimal.Decimal `yaml:"up_to"`
	Credit int             `yaml:"credit"`
}

// Depths credit small amounts before a network's rule of confirmations does: Rows are the network's table, Of those of merchants, by their
// id. For families whose only depth is a number of confirmations.
type Depths struct {
	Rows []AmountDepth
	Of   map[string][]AmountDepth
}

// mostDepths is how many rows a table has at most.
const mostDepths = 10

// Validate wants each row to be of a larger amount than the one before it, and deeper, but no deeper than the credit of the rule. The error
// names the setting, and never its value.
func (d Depths) Validate(credit int) error {
	if err := validateDepths(d.Rows, credit); err != nil {
		return fmt.Errorf("credit_by_amount: %w", err)
	}
	for merchant, rows := range d.Of {
		id, err := uuid.Parse(merchant)
		if err != nil {
			return errors.New("credit_by_amount_of: the id of a merchant is a UUID")
		}
		if err := validateDepths(rows, credit); err != nil {
			return fmt.Errorf("credit_by_amount_of: %s: %w", id, err)
		}
	}
	return nil
}

func validateDepths(rows []AmountDepth, credit int) error {
	if len(rows) > mostDepths {
		return fmt.Errorf("at most %d rows", mostDepths)
	}
	for i, row := range rows {
		switch {
		case !row.UpTo.IsPositive():
			return errors.New("up_to: an amount of USD above zero")
		case row.Credit < 1 || row.Credit > credit:
			return fmt.Errorf("credit: confirmations from 1 to %d, those of the rule", credit)
		case i > 0 && (!row.UpTo.GreaterThan(rows[i-1].UpTo) || row.Credit <= rows[i-1].Credit):
			return errors.New("smaller amounts come first, with fewer confirmations")
		}
	}
	return nil
}

// Rule is the whole rule, with the amounts that are credited before it. The tables are valid.
func (d Depths) Rule(credit, final int) Rule {
	out := Rule{Credit: credit, Final: final, ByAmount: rulesOf(d.Rows), ByAmountOf: make(map[uuid.UUID][]AmountRule, len(d.Of))}
	for merchant, rows := range d.Of {
		out.ByAmountOf[uuid.MustParse(merchant)] = rulesOf(rows)
	}
	return out
}

func rulesOf(rows []AmountDepth) []AmountRule {
	out := make([]AmountRule, len(rows))
	for i, r := range rows {
		out[i] = AmountRule{UpTo: r.UpTo, Depth: pay.CreditDepth(r.Credit)}
	}
	return out
}

// Creditable returns the highest block by which the rule, or a table, credits anything.
func (d Depths) Creditable(head Head) int64 {
	top := head.Credit
	for _, rows := range append(slices.Collect(maps.Values(d.Of)), d.Rows) {
		for _, row := range rows {
			top = max(top, head.Height-int64(row.Credit)+1)
		}
	}
	return top
}

// Words tell an operator the network's table; "" for none.
func (d Depths) Words(credit int) string {
	if len(d.Rows) == 0 {
		return ""
	}
	words := "payins are credited: "
	for _, r := range d.Rows {
		words += fmt.Sprintf("up to %s USD at %d confirmations; ", r.UpTo, r.Credit)
	}
	return fmt.Sprintf("%smore at %d confirmations", words, credit)
}
