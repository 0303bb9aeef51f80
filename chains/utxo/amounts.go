package utxo

import "causeway/chains"

// AmountRow says after how many confirmations an amount worth up to UpTo USD is credited.
type AmountRow = chains.AmountDepth

// depths are the tables of amounts that are credited before the rule does.
func (c Config) depths() chains.Depths {
	return chains.Depths{Rows: c.CreditByAmount, Of: c.CreditByAmountOf}
}

// rule is the whole rule, with the amounts that are credited before it.
func (c Config) rule() chains.Rule { return c.depths().Rule(c.Rule.Credit, c.Rule.Final) }

// announce tells the operator the rule, where amounts are credited before it.
func (c *Connector) announce() {
	if words := c.cfg.depths().Words(c.cfg.Rule.Credit); words != "" {
		c.log.Info(words)
	}
}
