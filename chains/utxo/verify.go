package utxo

import (
	"context"
	"encoding/hex"
	"fmt"

	"causeway/chains"
	"causeway/chains/utxo/client"
)

// verify checks the chain of a node before any other answer of it is believed.
func (c *Connector) verify(ctx context.Context, node *client.Client) error {
	if err := c.verifyChain(ctx, node); err != nil {
		return fmt.Errorf("network %s: %w", c.cfg.Network, err)
	}
	return nil
}

// verifyChain compares the first block with the chain's, and the block by which the chain differs from others with the same first block. A
// node that has not read so far yet is down.
func (c *Connector) verifyChain(ctx context.Context, node *client.Client) error {
	var first, fork string
	questions := []*client.Question{client.Ask(&first, "getblockhash", 0)}
	if c.chain.fork.hash != "" {
		questions = append(questions, client.Ask(&fork, "getblockhash", c.chain.fork.height))
	}
	if err := node.Batch(ctx, questions[0]); err != nil {
		return err
	}
	if first != c.chain.genesis {
		return fmt.Errorf("%w: its first block is %.64s, and that of %s (%s) is %s: %w", ErrChain, first, c.cfg.Network, c.cfg.Chain, c.chain.genesis, chains.ErrDown)
	}
	if len(questions) > 1 {
		switch err := node.Batch(ctx, questions[1]); {
		case client.IsClass(err, client.Missing):
			return odd("the node is still syncing: it has no block %d", c.chain.fork.height)
		case err != nil:
			return err
		case fork != c.chain.fork.hash:
			return fmt.Errorf("%w: its block %d is %.64s, and that of %s is %s: %w", ErrChain, c.chain.fork.height, fork, c.cfg.Network, c.chain.fork.hash, chains.ErrDown)
		}
	}
	if c.coin.form == goldHeader && c.cfg.Chain == mainChain {
		return c.verifyGold(ctx, node)
	}
	return nil
}

// verifyGold checks that the first block after the fork of BitcoinGold has a header of its form. No block of another chain has.
func (c *Connector) verifyGold(ctx context.Context, node *client.Client) error {
	var name, raw string
	err := node.Batch(ctx, client.Ask(&name, "getblockhash", c.chain.gold))
	if err == nil {
		err = node.Batch(ctx, client.Ask(&raw, "getblockheader", name, false))
	}
	if client.IsClass(err, client.Missing) {
		return odd("the node is still syncing: it has no block %d", c.chain.gold)
	}
	if err != nil {
		return err
	}
	bytes, err := hex.DecodeString(raw)
	r := readerOf(bytes)
	h := goldHeaderOf(r, true)
	if err != nil || !r.ended() || h.hash.String() != name {
		return fmt.Errorf("%w: its block %d has no header of BitcoinGold: %w", ErrChain, c.chain.gold, chains.ErrDown)
	}
	return nil
}
