package evm

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains/addresses"
)

// lowIndexes are the deposit addresses of ours that are compared with Cold. An operator who copies one of them has an early one.
const lowIndexes = 100

// errCold says that the key of Cold is the signer's own: nothing moved there would be out of its reach.
var errCold = errors.New("its key must not be in the seed")

// validateCold checks that Cold is an address, and none of those of the seed.
func (c Config) validateCold() error {
	if c.Cold == "" {
		return nil
	}
	canonical, err := addresses.Validate(c.Network, c.Cold)
	if err != nil {
		return errors.New("not an address that can be paid to")
	}
	cold := common.HexToAddress(canonical)
	if hot, err := hotAddress(c.XPub); err != nil || hot == cold {
		return fmt.Errorf("the hot wallet: %w", errCold)
	}
	for index := range uint32(lowIndexes) {
		deposit, err := addresses.FromXPub(c.Network, c.XPub, index)
		if err == nil && common.HexToAddress(deposit) == cold {
			return fmt.Errorf("deposit address %d: %w", index, errCold)
		}
	}
	for symbol, t := range c.Tokens {
		if common.HexToAddress(t.Contract) == cold {
			return fmt.Errorf("the contract of %s", symbol)
		}
	}
	return nil
}

// cold returns Cold in the spelling of Match.
func (c *Connector) cold() string {
	if c.cfg.Cold == "" {
		return ""
	}
	return match(common.HexToAddress(c.cfg.Cold))
}
