package ton

import "time"

// Patient gives the connector another time for a step.
func (c *Connector) Patient(patience time.Duration) { c.patience = patience }
