package evm

import (
	"context"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/evm/client"
)

// Holdings returns the balance of each address at a height. Heights long past need an archive node.
func (c *Connector) Holdings(ctx context.Context, symbol string, addresses []string, height int64) ([]decimal.Decimal, error) {
	t, ok := c.tokens()[symbol]
	if !ok {
		return nil, fmt.Errorf("holdings: network %s has no token %s", c.cfg.Network, symbol)
	}
	if err := c.ready(ctx); err != nil {
		return nil, fmt.Errorf("holdings: %w", err)
	}
	at := hexutil.EncodeUint64(uint64(max(height, 0)))
	balances := make([]balance, len(addresses))
	questions := make([]*client.Question, len(addresses))
	for i, a := range addresses {
		if !common.IsHexAddress(a) {
			return nil, fmt.Errorf("holdings: %w: %q", chains.ErrFormat, a)
		}
		questions[i] = balances[i].ask(t, common.HexToAddress(a), at)
	}
	if err := c.node.Batch(ctx, questions...); err != nil {
		return nil, fmt.Errorf("holdings at %d: %w", height, err)
	}
	held := make([]decimal.Decimal, len(balances))
	for i := range balances {
		units, err := balances[i].units()
		if err != nil {
			return nil, fmt.Errorf("holdings at %d: %w", height, err)
		}
		held[i] = t.amount(units)
	}
	return held, nil
}

// balance is one question for an address's balance and its answer.
type balance struct {
	native *hexutil.Big
	word   hexutil.Bytes
}

func (b *balance) ask(t token, owner common.Address, at string) *client.Question {
	if t.native {
		return client.Ask(&b.native, "eth_getBalance", owner, at)
	}
	return client.Ask(&b.word, "eth_call", callObject{To: &t.contract, Data: balanceOf(owner)}, at)
}

func (b *balance) units() (*big.Int, error) {
	switch {
	case b.native != nil:
		return b.native.ToInt(), nil
	case len(b.word) == common.HashLength:
		return new(big.Int).SetBytes(b.word), nil
	case b.word != nil && len(b.word) == 0: // there is no contract: it holds nothing for anybody
		return new(big.Int), nil
	default:
		return nil, odd("a balance that is no number")
	}
}
