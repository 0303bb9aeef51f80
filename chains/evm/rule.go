package evm

import (
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"causeway/chains"
)

// Rule says how deep a block must be, for its transfers to be credited and to be final (addendum §8).
type Rule struct {
	Credit Depth `yaml:"credit"`
	Final  Depth `yaml:"final"`
}

// Depth is a block tag of the node, or a number of confirmations. With a tag, the number holds on a node without the tag. The
// block itself is the first confirmation.
type Depth struct {
	Tag           string `yaml:"tag"` // "", safe or finalized
	Confirmations int    `yaml:"confirmations"`
}

// Confirmed makes a Depth of a number.
func Confirmed(n int) Depth { return Depth{Confirmations: n} }

// Tagged makes a Depth of a tag, with the number to replace it.
func Tagged(tag string, otherwise int) Depth { return Depth{Tag: tag, Confirmations: otherwise} }

// UnmarshalYAML reads `12`, `finalized` (with the network's default number), or {tag: safe, confirmations: 64}.
func (d *Depth) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.MappingNode {
		type plain Depth
		return node.Decode((*plain)(d))
	}
	var number int
	if node.Decode(&number) == nil {
		*d = Confirmed(number)
		return nil
	}
	var tag string
	if err := node.Decode(&tag); err != nil {
		return errors.New("a depth is a number, safe or finalized")
	}
	d.Tag = strings.ToLower(tag)
	return nil
}

// String is how the log shows it.
func (d Depth) String() string {
	if d.Tag != "" {
		return d.Tag
	}
	return fmt.Sprintf("%d confirmations", d.Confirmations)
}

func (d Depth) validate() error {
	if d.Tag != "" && d.Tag != "safe" && d.Tag != "finalized" {
		return fmt.Errorf("tag %q is neither safe nor finalized", d.Tag)
	}
	if d.Confirmations < 1 || d.Confirmations > 100_000 {
		return errors.New("confirmations from 1 to 100000")
	}
	return nil
}

func (r Rule) validate() error {
	if err := r.Credit.validate(); err != nil {
		return fmt.Errorf("credit: %w", err)
	}
	if err := r.Final.validate(); err != nil {
		return fmt.Errorf("final: %w", err)
	}
	return nil
}

// Rule returns the rule in numbers; they are shown as required confirmations.
func (c *Connector) Rule() chains.Rule {
	return chains.Rule{Credit: c.cfg.Rule.Credit.Confirmations, Final: c.cfg.Rule.Final.Confirmations,
		ByAmount: amountRules(c.cfg.CreditByAmount), ByAmountOf: c.cfg.amountRulesOf()}
}
