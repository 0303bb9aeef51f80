package ripple

// Forget has all ledgers read anew.
func (c *Connector) Forget() {
	c.recent.Lock()
	defer c.recent.Unlock()
	c.recent.ledgers = nil
}
