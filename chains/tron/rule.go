package tron

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"gopkg.in/yaml.v3"

	"causeway/chains"
	"causeway/internal/pay"
)

// solidAfter is after how many confirmations a block is solid as a rule: those of 19 of the 27 that make blocks. It is shown where a
// number is needed.
const solidAfter = 19

// Rule says when a transfer is credited and when it is final.
type Rule struct {
	Credit Depth `yaml:"credit"`
	Final  Depth `yaml:"final"`
}

// Depth is a number of confirmations, or Solid. The block itself is the first confirmation.
type Depth int

// Solid is the depth of blocks that two thirds of the makers of blocks have built on: they never vanish.
const Solid Depth = 0

// UnmarshalYAML reads a number, or solid.
func (d *Depth) UnmarshalYAML(node *yaml.Node) error {
	var number int
	if node.Decode(&number) == nil && number > 0 {
		*d = Depth(number)
		return nil
	}
	var word string
	if err := node.Decode(&word); err != nil || strings.ToLower(word) != "solid" {
		return errors.New("a depth is a number of confirmations, or solid")
	}
	*d = Solid
	return nil
}

// String is how the log shows it.
func (d Depth) String() string {
	if d == Solid {
		return "solid"
	}
	return fmt.Sprintf("%d confirmations", int(d))
}

// confirmations is the depth as a number.
func (d Depth) confirmations() int {
	if d == Solid {
		return solidAfter
	}
	return int(d)
}

// maxDepth is the most confirmations.
const maxDepth = 100_000

func (d Depth) validate() error {
	if d < 0 || d > maxDepth {
		return fmt.Errorf("confirmations from 1 to %d, or solid", maxDepth)
	}
	return nil
}

// validate wants everything to be solid before it is final.
func (r Rule) validate() error {
	if err := r.Credit.validate(); err != nil {
		return fmt.Errorf("credit: %w", err)
	}
	if err := r.Final.validate(); err != nil || r.Final != Solid && r.Final < solidAfter {
		return fmt.Errorf("final: solid, or from %d confirmations to %d", solidAfter, maxDepth)
	}
	if r.Credit.confirmations() > r.Final.confirmations() {
		return errors.New("credit: not after final")
	}
	return nil
}

// AmountRow says when an amount worth up to UpTo USD is credited.
type AmountRow struct {
	UpTo   decimal.Decimal `yaml:"up_to"`
	Credit Depth           `yaml:"credit"`
}

// mostRows is how many rows a table of amounts has at most.
const mostRows = 10

// small credits amounts worth up to 100 USD after some confirmations. Forks of more than one block have been seen in outages alone.
func small() []AmountRow { return []AmountRow{{decimal.NewFromInt(100), 3}} }

func (c Config) validateAmounts() error {
	if err := validateRows(c.CreditByAmount); err != nil {
		return fmt.Errorf("credit_by_amount: %w", err)
	}
	for merchant, rows := range c.CreditByAmountOf {
		id, err := uuid.Parse(merchant)
		if err != nil {
			return errors.New("credit_by_amount_of: the id of a merchant is a UUID")
		}
		if err := validateRows(rows); err != nil {
			return fmt.Errorf("credit_by_amount_of: %s: %w", id, err)
		}
	}
	return nil
}

// validateRows wants each row to be of a larger amount than the one before it, and deeper.
func validateRows(rows []AmountRow) error {
	if len(rows) > mostRows {
		return fmt.Errorf("at most %d rows", mostRows)
	}
	for i, r := range rows {
		switch {
		case !r.UpTo.IsPositive():
			return errors.New("up_to: an amount of USD above zero")
		case r.Credit < 1 || r.Credit > maxDepth:
			return fmt.Errorf("credit: confirmations from 1 to %d", maxDepth)
		case i > 0 && (!r.UpTo.GreaterThan(rows[i-1].UpTo) || r.Credit <= rows[i-1].Credit):
			return errors.New("smaller amounts come first, with fewer confirmations")
		}
	}
	return nil
}

func amountRules(rows []AmountRow) []chains.AmountRule {
	out := make([]chains.AmountRule, len(rows))
	for i, r := range rows {
		out[i] = chains.AmountRule{UpTo: r.UpTo, Depth: pay.CreditDepth(r.Credit)}
	}
	return out
}

// rule returns the rule in numbers; they are shown as required confirmations.
func (c Config) rule() chains.Rule {
	out := chains.Rule{Credit: c.Rule.Credit.confirmations(), Final: c.Rule.Final.confirmations(), ByAmount: amountRules(c.CreditByAmount),
		ByAmountOf: make(map[uuid.UUID][]chains.AmountRule, len(c.CreditByAmountOf))}
	for merchant, rows := range c.CreditByAmountOf {
		out.ByAmountOf[uuid.MustParse(merchant)] = amountRules(rows) // Validate has read it
	}
	return out
}
