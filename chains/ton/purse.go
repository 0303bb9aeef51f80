package ton

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
)

// purse is a wallet of the key to spend from: the hot wallet, or that of a deposit index.
type purse struct {
	account
	subwallet uint32
}

// isHot reports whether a purse is the hot wallet.
func (p purse) isHot() bool { return p.subwallet == hotSubwallet }

// purse returns the wallet of a spend. A deposit address of another index is an error.
func (c *Connector) purse(ctx context.Context, from *chains.Wallet) (purse, error) {
	if from == nil {
		return purse{c.hot, hotSubwallet}, nil
	}
	derived, err := c.Derive(ctx, from.Index)
	if err != nil {
		return purse{}, err
	}
	if derived != from.Address {
		return purse{}, fmt.Errorf("deposit address %d is %s, not %s", from.Index, derived, from.Address)
	}
	a, err := readAccount(derived)
	return purse{a, subwalletOf(from.Index)}, err
}

// payable checks a recipient: a deposit address pays the hot wallet alone, and no wallet pays itself.
func (s *Sender) payable(from purse, to string) (account, error) {
	canonical, err := addresses.Validate(Network, to)
	if err != nil {
		return account{}, err
	}
	a, err := readAccount(canonical)
	switch {
	case err != nil:
		return a, err
	case a == from.account:
		return a, fmt.Errorf("%w: the wallet itself", chains.ErrNotPayable)
	case !from.isHot() && a != s.hot:
		return a, fmt.Errorf("%w: a deposit address pays the hot wallet alone", chains.ErrNotPayable)
	}
	return a, nil
}

// stays is what a deposit address keeps, in nanotons: rent of many years, and gas of messages that come.
const stays = 100_000_000

// Keeps returns the coin that stays at each deposit address.
func (c *Connector) Keeps(context.Context) (decimal.Decimal, error) { return whole(stays), nil }

// MoveCost returns the most that one move of a token can cost. Of a jetton most of its coins come back.
func (c *Connector) MoveCost(_ context.Context, token string) (decimal.Decimal, error) {
	t, ok := c.known.Load().bySymbol[token]
	switch {
	case !ok:
		return decimal.Zero, fmt.Errorf("%w: network %s has no token %s", chains.ErrUnpayable, Network, token)
	case t.native:
		return whole(feeBound), nil
	default:
		return whole(feeBound).Add(c.cfg.Attach), nil
	}
}

// TopupCost returns the most that a top-up of a deposit address can cost.
func (c *Connector) TopupCost(context.Context) (decimal.Decimal, error) { return whole(feeBound), nil }
