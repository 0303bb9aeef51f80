package evm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/evm/client"
	"causeway/internal/pay"
)

// AmountRow says when an amount worth up to UpTo USD is credited.
type AmountRow struct {
	UpTo   decimal.Decimal `yaml:"up_to"`
	Credit Depth           `yaml:"credit"`
}

// mostRows is how many rows a table of amounts has at most.
const mostRows = 10

// small credits amounts worth up to 100 USD after some confirmations.
func small(confirmations int) []AmountRow {
	return []AmountRow{{decimal.NewFromInt(100), Confirmed(confirmations)}}
}

// validateAmounts wants each row to be of a larger amount than the one before it, and deeper as far as two depths compare.
func validateAmounts(rows []AmountRow) error {
	if len(rows) > mostRows {
		return fmt.Errorf("at most %d rows", mostRows)
	}
	for i, r := range rows {
		if !r.UpTo.IsPositive() {
			return errors.New("up_to: an amount of USD above zero")
		}
		tag := r.Credit.Confirmations == 0 && (r.Credit.Tag == "safe" || r.Credit.Tag == "finalized")
		if !tag && (r.Credit.Tag != "" || r.Credit.validate() != nil) {
			return errors.New("credit: confirmations from 1 to 100000, safe or finalized")
		}
		if i > 0 && (!r.UpTo.GreaterThan(rows[i-1].UpTo) || !deeper(r.Credit, rows[i-1].Credit)) {
			return errors.New("smaller amounts come first, with fewer confirmations, and safe before finalized")
		}
	}
	return nil
}

func deeper(d, than Depth) bool {
	place := func(d Depth) int { return slices.Index([]string{"", "safe", "finalized"}, d.Tag) }
	if place(d) != place(than) {
		return place(d) > place(than)
	}
	return d.Confirmations > than.Confirmations
}

func (c Config) validateAllAmounts() error {
	if err := validateAmounts(c.CreditByAmount); err != nil {
		return fmt.Errorf("credit_by_amount: %w", err)
	}
	for merchant, rows := range c.CreditByAmountOf {
		id, err := uuid.Parse(merchant)
		if err != nil {
			return errors.New("credit_by_amount_of: the id of a merchant is a UUID")
		}
		if err := validateAmounts(rows); err != nil {
			return fmt.Errorf("credit_by_amount_of: %s: %w", id, err)
		}
	}
	return nil
}

// creditDepth is a depth as it is kept with payins and transfers.
func (d Depth) creditDepth() pay.CreditDepth {
	switch d.Tag {
	case "safe":
		return pay.CreditAtSafe
	case "finalized":
		return pay.CreditAtFinalized
	default:
		return pay.CreditDepth(d.Confirmations)
	}
}

func amountRules(rows []AmountRow) []chains.AmountRule {
	out := make([]chains.AmountRule, len(rows))
	for i, r := range rows {
		out[i] = chains.AmountRule{UpTo: r.UpTo, Depth: r.Credit.creditDepth()}
	}
	return out
}

func (c Config) amountRulesOf() map[uuid.UUID][]chains.AmountRule {
	out := make(map[uuid.UUID][]chains.AmountRule, len(c.CreditByAmountOf))
	for merchant, rows := range c.CreditByAmountOf {
		out[uuid.MustParse(merchant)] = amountRules(rows) // Validate has read it
	}
	return out
}

// depths lists the depths read with a head: those of the rule and of amounts.
func (c Config) depths() []Depth {
	out := []Depth{c.Rule.Credit, c.Rule.Final}
	tables := [][]AmountRow{c.CreditByAmount}
	for _, rows := range c.CreditByAmountOf {
		tables = append(tables, rows)
	}
	for _, rows := range tables {
		for _, r := range rows {
			out = append(out, r.Credit)
		}
	}
	return out
}

// early returns the highest block with a tag used by the rule of amounts; 0 if the node does not say.
func early(tag string, height int64, tags map[string]*tagged) int64 {
	t := tags[tag]
	if t == nil || t.question.Err != nil {
		return 0
	}
	at, _ := heightOf(t.header)
	return min(at, height)
}

// announce tells the operator the rule in practice: the present age of the blocks at each depth of crediting.
func (c *Connector) announce(ctx context.Context, height int64) {
	rows := slices.Clone(c.cfg.CreditByAmount)
	rows = append(rows, AmountRow{Credit: c.cfg.Rule.Credit})
	headers := make([]*client.Header, len(rows)+1)
	questions := []*client.Question{client.Ask(&headers[len(rows)], "eth_getBlockByNumber", hexutil.Uint64(height), false)}
	for i, r := range rows {
		var at any = r.Credit.Tag
		if r.Credit.Tag == "" {
			at = hexutil.Uint64(max(0, height-int64(r.Credit.Confirmations)+1))
		}
		questions = append(questions, client.Ask(&headers[i], "eth_getBlockByNumber", at, false))
	}
	if err := c.node.Each(ctx, questions...); err != nil {
		return // only the log line is lost
	}
	if _, ok := heightOf(headers[len(rows)]); !ok {
		return
	}
	var words []string
	for i, r := range rows {
		age := "of unknown age"
		if _, ok := heightOf(headers[i]); ok && questions[i+1].Err == nil {
			age = "now " + minutes(timeOf(headers[len(rows)]).Sub(timeOf(headers[i]))) + " old"
		}
		amount := "more"
		if i < len(rows)-1 {
			amount = "up to " + r.UpTo.String() + " USD"
		}
		words = append(words, fmt.Sprintf("%s at %s, %s", amount, r.Credit, age))
	}
	c.log.Info("payins are credited: " + strings.Join(words, "; "))
}

// minutes writes a time as the operator thinks of it.
func minutes(d time.Duration) string {
	return fmt.Sprintf("%.1f min", max(0, d).Minutes())
}
