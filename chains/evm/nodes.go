package evm

import (
	"errors"

	"causeway/chains/evm/client"
)

// pool makes the pool of the network's nodes.
func (c *Connector) pool() *client.Pool {
	return client.NewPool(c.cfg.RPC, client.Settings{Timeout: c.cfg.Timeout, Batch: c.cfg.Batch, PerSecond: c.cfg.MaxRequestsPerSecond,
		Verify: c.verify, Wrong: isWrong, Log: c.log})
}

// withoutNodes are all settings that hold from a start on.
func (c Config) withoutNodes() Config {
	c.RPC = nil
	return c
}

// isWrong reports whether a node is of another chain, or its tokens are others.
func isWrong(err error) bool { return errors.Is(err, ErrChain) || errors.Is(err, ErrDecimals) }
