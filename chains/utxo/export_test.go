package utxo

import "time"

// SearchInRanges has the node search for so many deposit addresses with one descriptor.
func (c *Connector) SearchInRanges(most uint32) { c.index.ranged = most }

// ReadDownFor is how long one question reads blocks downwards.
func (c *Connector) ReadDownFor(d time.Duration) { c.index.patience = d }

// Floor is the lowest block that the index answers for.
func (c *Connector) Floor() int64 { return c.index.floor }
