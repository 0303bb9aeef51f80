package sandbox

import (
	"context"
	"crypto/sha256"
	"strconv"

	"causeway/chains/addresses"
	"causeway/internal/pay"
)

// Validate returns the canonical spelling of a payable address.
func (c *chain) Validate(address string) (string, error) { return validate(c.net, address) }

// Match returns the spelling used to find transfers to an address.
func (c *chain) Match(address string) string { return match(c.net, address) }

// Derive returns the deposit address of an index, the same on every network of a family.
func (c *chain) Derive(ctx context.Context, index uint32) (string, error) {
	f, err := c.faults(ctx)
	if err != nil {
		return "", err
	}
	if err := c.pass(f, f.Address); err != nil {
		return "", err
	}
	return c.deposit(index), nil
}

func (c *chain) deposit(index uint32) string {
	return encode(c.net, "deposit", strconv.FormatUint(uint64(index), 10))
}

// hotWallet is the address payouts of a network are sent from.
func hotWallet(n pay.Network) string { return encode(n, "hot", "") }

// coldWallet is the address for what the hot wallet of a network does not need. No worker spends from it.
func coldWallet(n pay.Network) string { return encode(n, "cold", "") }

// faucet is the address of all payments from outside.
func faucet(n pay.Network) string { return encode(n, "faucet", "") }

func encode(n pay.Network, role, index string) string {
	return addresses.Encode(n.Name, sha256.Sum256([]byte("causeway sandbox "+role+"|"+string(n.Family)+"|"+index)))
}

func match(n pay.Network, address string) string { return addresses.Match(n.Name, address) }

func validate(n pay.Network, address string) (string, error) {
	return addresses.Validate(n.Name, address)
}

// destination takes a valid address apart into the account to pay and its memo: a tag within the address counts when no
// other memo is given.
func destination(n pay.Network, address, memo string) (to, tag string, err error) {
	canonical, err := validate(n, address)
	if err != nil {
		return "", "", err
	}
	base, inside, tagged := addresses.Tag(n.Name, canonical)
	if tagged && memo == "" {
		memo = inside
	}
	return base, memo, nil
}
