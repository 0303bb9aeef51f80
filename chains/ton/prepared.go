package ton

import (
	"context"
	"fmt"
	"math/big"
)

// uncoded says what it means that the shared wallet has no code.
const uncoded = "it has no code, so payments that may bounce go back to their senders"

// Unprepared says whether the wallet shared by payins has no code yet. It brings its code itself, and pays for that: before it has been paid enough,
// the error wraps ErrShort.
func (c *Connector) Unprepared(ctx context.Context) (lacks string, err error) {
	err = c.node.Use(ctx, func(n node) error {
		tip, err := tipOf(ctx, n)
		if err != nil {
			return err
		}
		now, err := state(ctx, n, c.deposit, tip.Seqno)
		if err != nil {
			return err
		}
		switch missing := storage + feeBound + rent - now.Balance; {
		case now.Active:
			lacks = ""
		case missing > 0:
			return short(coin, big.NewInt(missing))
		default:
			lacks = uncoded
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("the shared wallet: %w", err)
	}
	return lacks, nil
}

// warnOfCode logs a warning if the shared wallet could have its code and has none. A node that does not answer is asked nothing more.
func (c *Connector) warnOfCode(ctx context.Context) {
	if lacks, err := c.Unprepared(ctx); err == nil && lacks != "" {
		c.log.Warn("the wallet shared by payins is not prepared: " + lacks + ": run causeway admin network prepare TON")
	}
}
