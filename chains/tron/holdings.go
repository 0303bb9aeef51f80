package tron

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/shopspring/decimal"
	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/tron/client"
)

// A node has the balances of its solid block alone: what it tells of the newest one has the mempool in it. Blocks between the solid one and
// the height asked for are read, and what they did is added or taken away.
const (
	// farthest is how many such blocks are read. Below or above, the balance cannot be known.
	farthest = 400
	// heldAtOnce is how many balances are asked for between two looks at the solid block.
	heldAtOnce = 40
)

// Holdings returns each address's balance of a token at a height.
func (c *Connector) Holdings(ctx context.Context, symbol string, of []string, height int64) ([]decimal.Decimal, error) {
	token, known := c.known.Load().bySymbol[symbol]
	if !known {
		return nil, fmt.Errorf("holdings: %s has no token %q", Network, symbol)
	}
	owners := make([]common.Address, len(of))
	for i, address := range of {
		a, err := addresses.TronAccount(address)
		if err != nil {
			return nil, fmt.Errorf("holdings of %q: %w", address, err)
		}
		owners[i] = a
	}
	out := make([]decimal.Decimal, len(of))
	for from := 0; from < len(of); from += heldAtOnce {
		to := min(from+heldAtOnce, len(of))
		var units []*big.Int
		err := c.use(ctx, func(v view) (err error) {
			units, err = v.heldAt(ctx, token, owners[from:to], height)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("holdings of %s at %d: %w", symbol, height, err)
		}
		for i, u := range units {
			out[from+i] = token.amount(u)
		}
	}
	return out, nil
}

// heldAt returns the balances of some owners at a height, in base units.
func (v view) heldAt(ctx context.Context, t token, owners []common.Address, height int64) ([]*big.Int, error) {
	for range rereads {
		before, err := v.newest(ctx, solid)
		if err != nil {
			return nil, err
		}
		units, err := v.solidUnits(ctx, t, owners)
		if err != nil {
			return nil, err
		}
		after, err := v.newest(ctx, solid)
		if err != nil {
			return nil, err
		}
		if before.ID != after.ID {
			continue
		}
		return units, v.walk(ctx, t, owners, units, before, height)
	}
	return nil, odd("the solid block changes faster than %d balances can be read", len(owners))
}

// solidUnits asks for balances at the solid block.
func (v view) solidUnits(ctx context.Context, t token, owners []common.Address) ([]*big.Int, error) {
	units := make([]*big.Int, len(owners))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(blocksAtOnce)
	for i, owner := range owners {
		group.Go(func() (err error) {
			units[i], err = v.solidBalance(ctx, t, owner)
			return err
		})
	}
	return units, group.Wait()
}

// solidBalance asks for a balance at the solid block.
func (v view) solidBalance(ctx context.Context, t token, owner common.Address) (*big.Int, error) {
	if t.native {
		a, err := v.account(ctx, solid, owner)
		if err != nil {
			return nil, err
		}
		if t.staked {
			return new(big.Int).Add(big.NewInt(a.Balance), big.NewInt(bound(a))), nil
		}
		return big.NewInt(a.Balance), nil
	}
	answer, err := v.constant(ctx, solid, owner, t.contract, asks(selectorBalance, owner))
	if err != nil {
		return nil, err
	}
	return answer.number(t)
}

// account asks about an account, which has no address if it was never paid to.
func (v view) account(ctx context.Context, of string, a common.Address) (*client.Account, error) {
	var out client.Account
	if err := v.ask(ctx, &out, of+"/getaccount", map[string]string{"address": hexOf(a)}); err != nil {
		return nil, err
	}
	if out.Address != "" && out.Address != hexOf(a) || out.Balance < 0 || bound(&out) < 0 {
		return nil, odd("account %s is told as another one", addresses.TronOf(a))
	}
	return &out, nil
}

// bound is the TRX of an account that is staked, lent out of a stake, or on its way back; less than zero where an amount is.
func bound(a *client.Account) (sum int64) {
	parts := []int64{a.LentNet, a.Resource.LentEnergy}
	for _, f := range a.Frozen {
		parts = append(parts, f.Amount)
	}
	for _, u := range a.Leaving {
		parts = append(parts, u.Amount)
	}
	for _, part := range parts {
		if sum += part; part < 0 || sum < 0 {
			return -1
		}
	}
	return sum
}

// walk goes from the balances at the solid block to those at a height, by what the blocks in between did.
func (v view) walk(ctx context.Context, t token, owners []common.Address, units []*big.Int, from *client.Header, height int64) error {
	at := from.Header.Raw.Number
	low, high := min(at, height), max(at, height)
	if low == high {
		return nil
	}
	if height < 0 || high-low > farthest {
		return blameless{fmt.Sprintf("the node has balances of block %d alone, and %d is too far from it", at, height), true}
	}
	blocks, err := v.run(ctx, low+1, int(high-low))
	if err != nil {
		return err
	}
	if height > at && blocks[0].parent != from.ID || height < at && blocks[len(blocks)-1].id != from.ID {
		return errForked
	}
	wanted := make(map[common.Address]int, len(owners))
	for i, owner := range owners {
		wanted[owner] = i
		units[i] = new(big.Int).Set(units[i])
	}
	change := func(owner common.Address, by *big.Int) {
		i, asked := wanted[owner]
		switch {
		case !asked:
		case height > at:
			units[i].Add(units[i], by)
		default:
			units[i].Sub(units[i], by)
		}
	}
	for _, b := range blocks {
		for i := range b.txs {
			b.txs[i].changes(t, change)
		}
	}
	for i, owner := range owners { // an address asked about twice
		if units[wanted[owner]].Sign() < 0 {
			return odd("block %d would leave %s less than nothing", height, addresses.TronOf(owner))
		}
		units[i] = units[wanted[owner]]
	}
	return nil
}

// changes tells what a transaction did to balances of a token.
func (x *transaction) changes(t token, change func(common.Address, *big.Int)) {
	move := func(from, to common.Address, units *big.Int) {
		change(from, new(big.Int).Neg(units))
		change(to, units)
	}
	if !t.native {
		for _, m := range x.logs {
			if m.contract == t.contract {
				move(m.from, m.to, m.units)
			}
		}
		return
	}
	if !x.known {
		return
	}
	if x.done != nil {
		change(x.owner, big.NewInt(-x.done.fee))
	}
	if !x.succeeded {
		return
	}
	switch x.kind {
	case kindTransfer, kindTrigger:
		move(x.owner, x.to, big.NewInt(x.units))
	case kindFreeze:
		change(x.owner, big.NewInt(-x.units))
	case kindFreezeV2:
		if !t.staked {
			change(x.owner, big.NewInt(-x.units))
		}
	}
	if x.done == nil {
		return
	}
	change(x.owner, big.NewInt(x.done.back))
	if !t.staked {
		change(x.owner, big.NewInt(x.done.unstaked))
	}
	for _, inner := range x.done.inner {
		move(inner.from, inner.to, big.NewInt(inner.units))
	}
}

// hexAccount reads an account in hex.
func hexAccount(text string) (a common.Address, ok bool) {
	b, err := hex.DecodeString(text)
	if err != nil {
		return a, false
	}
	return account(b)
}

var _ chains.Holder = (*Connector)(nil)
