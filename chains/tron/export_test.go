package tron

// Forget has all blocks read anew.
func (c *Connector) Forget() {
	c.recent.Lock()
	defer c.recent.Unlock()
	c.recent.blocks = nil
}
