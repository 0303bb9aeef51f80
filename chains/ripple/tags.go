package ripple

import (
	"context"
	"errors"
	"fmt"
)

// untagged says what it means that the shared address does not want destination tags.
const untagged = "it takes payments without a destination tag, and nobody knows whose they are"

// Unprepared says whether the address shared by payins takes payments without a destination tag. Before it is paid the reserve it has no account,
// and can want nothing.
func (c *Connector) Unprepared(ctx context.Context) (lacks string, err error) {
	shared, err := c.Derive(ctx, 0)
	if err != nil {
		return "", err
	}
	err = c.node.Use(ctx, func(n node) error {
		a, _, err := info(ctx, n, shared, "validated")
		switch {
		case errors.Is(err, errNoAccount):
			return errUnfunded(shared)
		case err != nil:
			return err
		}
		if lacks = ""; a.Data.Flags&flagRequireTag == 0 {
			lacks = untagged
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("the shared address: %w", err)
	}
	return lacks, nil
}

// warnOfTags logs a warning if the shared address takes payments without a destination tag. A node that does not answer is asked nothing more.
func (c *Connector) warnOfTags(ctx context.Context) {
	if lacks, err := c.Unprepared(ctx); err == nil && lacks != "" {
		c.log.Warn("the address shared by payins is not prepared: " + lacks + " (RequireDest): run causeway admin network prepare Ripple")
	}
}
