package evm

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains"
	"causeway/chains/addresses"
)

// Validate checks the destination of a payout and returns its EIP-55 spelling. The zero address, contracts of tokens and
// the hot wallet itself cannot be paid to.
func (c *Connector) Validate(address string) (string, error) {
	canonical, err := c.payable(address)
	if err == nil && common.HexToAddress(canonical) == c.hot {
		return "", fmt.Errorf("%w: the hot wallet itself", chains.ErrNotPayable)
	}
	return canonical, err
}

// payable is Validate for any wallet of ours that pays.
func (c *Connector) payable(address string) (string, error) {
	canonical, err := addresses.Validate(c.cfg.Network, address)
	if err != nil {
		return "", err
	}
	if t, contract := c.logged()[common.HexToAddress(canonical)]; contract {
		return "", fmt.Errorf("%w: the contract of %s", chains.ErrNotPayable, t.symbol)
	}
	return canonical, nil
}

// Match returns an address in lower case.
func (c *Connector) Match(address string) string { return addresses.Match(c.cfg.Network, address) }

// match is an address as it is compared. Its spelling needs no checksum, and most addresses of a block are compared once.
func match(a common.Address) string { return hexutil.Encode(a[:]) }

// Derive returns the deposit address 0/index under the account's xpub.
func (c *Connector) Derive(_ context.Context, index uint32) (string, error) {
	address, err := addresses.FromXPub(c.cfg.Network, c.cfg.XPub, index)
	if err != nil {
		return "", fmt.Errorf("network %s: derive: %w", c.cfg.Network, err)
	}
	return address, nil
}

func hotAddress(xpub string) (common.Address, error) {
	public, err := addresses.PublicAt(xpub, addresses.HotBranch, 0)
	if err != nil {
		return common.Address{}, err
	}
	return crypto.PubkeyToAddress(*public.ToECDSA()), nil
}
