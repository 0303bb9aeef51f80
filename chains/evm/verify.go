package evm

import (
	"context"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
	"causeway/chains/evm/client"
)

// ready returns an error if no node can be asked.
func (c *Connector) ready(ctx context.Context) error {
	return c.node.Ready(ctx)
}

// verify checks the chain of a node and its tokens before any other answer of the node is believed.
func (c *Connector) verify(ctx context.Context, node *client.Client) error {
	if err := c.verifyChain(ctx, node); err != nil {
		return err
	}
	return c.verifyTokens(ctx, node)
}

func (c *Connector) verifyChain(ctx context.Context, node *client.Client) error {
	var id *hexutil.Big
	if err := node.Call(ctx, &id, "eth_chainId"); err != nil {
		return err
	}
	if id == nil || id.ToInt().Cmp(c.chainID()) != 0 {
		return fmt.Errorf("network %s: %w (%v, wanted %d): %w", c.cfg.Network, ErrChain, id, c.cfg.ChainID, chains.ErrDown)
	}
	return nil
}

// verifyTokens compares the decimals of every token with its contract's answer. A contract without an answer, or not there,
// only logs a warning: nothing can be paid with it.
func (c *Connector) verifyTokens(ctx context.Context, node *client.Client) error {
	var tokens []token
	for _, t := range c.tokens() {
		if !t.native {
			tokens = append(tokens, t)
		}
	}
	answers := make([]hexutil.Bytes, len(tokens))
	questions := make([]*client.Question, len(tokens))
	for i, t := range tokens {
		questions[i] = client.Ask(&answers[i], "eth_call", callObject{To: &t.contract, Data: selectorDecimals}, "latest")
	}
	if err := node.Each(ctx, questions...); err != nil {
		return err
	}
	for i, t := range tokens {
		err := questions[i].Err
		switch {
		case err != nil && !client.IsClass(err, client.Reverted):
			return err
		case err != nil || len(answers[i]) != common.HashLength:
			c.log.WithField("token", t.symbol).Warn("the token's contract does not say its decimals: is it there?")
		case new(big.Int).SetBytes(answers[i]).Cmp(big.NewInt(int64(t.decimals))) != 0:
			return fmt.Errorf("network %s: %w: %s, not %d: %w", c.cfg.Network, ErrDecimals, t.symbol, t.decimals, chains.ErrDown)
		}
	}
	return nil
}
