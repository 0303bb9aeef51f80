package ripple

import "context"

// warnOfTags logs a warning if the address shared by payins takes payments without a destination tag: nobody knows whose they are. A node
// that does not answer is asked nothing more.
func (c *Connector) warnOfTags(ctx context.Context) {
	shared, err := c.Derive(ctx, 0)
	if err != nil {
		return
	}
	_ = c.node.Use(ctx, func(n node) error {
		a, _, err := info(ctx, n, shared, "validated")
		switch {
		case err != nil: // there is no account yet, or no answer
			return present(err)
		case a.Data.Flags&flagRequireTag == 0:
			c.log.WithField("address", shared).Warn("the address shared by payins takes payments without a destination tag, and nobody knows whose they are: " +
				"set RequireDest (asfRequireDest) on it, with a wallet that knows the seed")
		}
		return nil
	})
}
