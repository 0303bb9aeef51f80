package tron

import "github.com/shopspring/decimal"

// Forget has all blocks read anew.
func (c *Connector) Forget() {
	c.recent.Lock()
	defer c.recent.Unlock()
	c.recent.blocks = nil
}

// Draft is a draft.
type Draft = draft

// FeeLimit is the most that may be burnt for energy.
func (d *draft) FeeLimit() decimal.Decimal { return sun(d.raw.feeLimit) }
