package tron

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
		return fmt.Sprintf("the hot wallet %s", addresses.TronOf(w.address))
	}
	return fmt.Sprintf("deposit address %d, %s", w.index, addresses.TronOf(w.address))
}

// path is where the wallet's key is in the seed.
func (w wallet) path() string { return fmt.Sprintf("%s/%d/%d", AccountPath, w.branch, w.index) }

// hotWallet is the wallet from which payouts are paid.
func (c *Connector) hotWallet() wallet { return wallet{c.hot, addresses.HotBranch, 0} }

// wallet returns the wallet of a spend: the hot wallet, or the deposit address of an index. A deposit address of another index is
// an error.
func (c *Connector) wallet(ctx context.Context, from *chains.Wallet) (wallet, error) {
	if from == nil {
		return c.hotWallet(), nil
	}
	derived, err := c.Derive(ctx, from.Index)
	if err != nil {
		return wallet{}, err
	}
	if derived != from.Address {
		return wallet{}, fmt.Errorf("deposit address %d is %s, not %s", from.Index, derived, from.Address)
	}
	address, err := addresses.TronAccount(derived)
	return wallet{address, addresses.DepositBranch, from.Index}, err
}

// payee checks the recipient of an order. A deposit address pays the hot wallet alone, and the hot wallet everybody else.
func (c *Connector) payee(from wallet, address string) (common.Address, error) {
	if from.branch == addresses.HotBranch {
		canonical, err := c.Validate(address)
		if err != nil {
			return common.Address{}, err
		}
		return addresses.TronAccount(canonical)
	}
	if address != c.Hot() {
		return common.Address{}, fmt.Errorf("%w: a deposit address pays the hot wallet alone", chains.ErrNotPayable)
	}
	return c.hot, nil
}
