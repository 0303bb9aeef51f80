package evm

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains"
	"causeway/chains/addresses"
)

// wallet is an address of the account, and its place below AccountPath.
type wallet struct {
	address       common.Address
	branch, index uint32
}

func (w wallet) String() string {
	if w.branch == addresses.HotBranch {
		return fmt.Sprintf("the hot wallet %s", w.address)
	}
	return fmt.Sprintf("deposit address %d, %s", w.index, w.address)
}

// path is where the wallet's key is in the seed.
func (w wallet) path() string { return fmt.Sprintf("%s/%d/%d", AccountPath, w.branch, w.index) }

// wallet returns the wallet of a spend: the hot wallet, or the deposit address of an index. A deposit address of another index is
// an error.
func (c *Connector) wallet(ctx context.Context, from *chains.Wallet) (wallet, error) {
	if from == nil {
		return wallet{c.hot, addresses.HotBranch, 0}, nil
	}
	derived, err := c.Derive(ctx, from.Index)
	if err != nil {
		return wallet{}, err
	}
	if c.Match(derived) != c.Match(from.Address) {
		return wallet{}, fmt.Errorf("deposit address %d is %s, not %s", from.Index, derived, from.Address)
	}
	return wallet{common.HexToAddress(derived), addresses.DepositBranch, from.Index}, nil
}

// payee checks the recipient of an order. A deposit address may pay the hot wallet, and no wallet pays itself.
func (c *Connector) payee(from wallet, address string) (common.Address, error) {
	canonical, err := c.payable(address)
	if err != nil {
		return common.Address{}, err
	}
	to := common.HexToAddress(canonical)
	switch {
	case to == from.address && to == c.hot:
		return common.Address{}, fmt.Errorf("%w: the hot wallet itself", chains.ErrNotPayable)
	case to == from.address:
		return common.Address{}, fmt.Errorf("%w: the deposit address itself", chains.ErrNotPayable)
	default:
		return to, nil
	}
}
