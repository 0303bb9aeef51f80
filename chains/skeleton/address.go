package skeleton

import (
	"context"
	"fmt"

	"causeway/chains/addresses"
	"causeway/internal/pay"
)

// connector is one network: an Addresser and a Scanner.
type connector struct {
	network *pay.Network
	cfg     config
	node    *node
}

// Validate implements chains.Addresser.
func (c *connector) Validate(address string) (string, error) {
	return addresses.Validate(c.network.Name, address)
}

// Match implements chains.Addresser.
func (c *connector) Match(address string) string { return addresses.Match(c.network.Name, address) }

// Derive implements chains.Addresser.
func (c *connector) Derive(_ context.Context, index uint32) (string, error) {
	address, err := addresses.FromXPub(c.network.Name, c.cfg.XPub, index)
	if err != nil {
		return "", fmt.Errorf("network %s: derive: %w", c.network.Name, err)
	}
	return address, nil
}
