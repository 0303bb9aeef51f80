package cardano

import (
	"context"
	"fmt"
	"maps"

	"causeway/chains"
	"causeway/chains/cardano/client"
)

// Status looks up transactions: in the mempool of the node in use, and then in the blocks that this process has read of it. Ogmios finds no transaction by
// its id. Blocks below were final before the process began, or are below those of 3 times the longest reorganisation.
func (c *Connector) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	states := make(map[string]chains.TxStatus, len(txids))
	var known []string
	for _, txid := range txids {
		states[txid] = chains.TxStatus{State: chains.TxMissing}
		if _, ok := hashOf(txid); ok { // no transaction here has another id
			known = append(known, txid)
		}
	}
	if len(known) == 0 {
		return states, nil
	}
	err := c.nodes.Use(ctx, func(n node) error {
		head, err := c.headOf(ctx, n, -1)
		if err != nil {
			return err
		}
		now, err := n.Client.status(ctx, known, head.Final)
		maps.Copy(states, now)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	return states, nil
}

// status is Status, as one node answers. Blocks up to final are.
func (p *peer) status(ctx context.Context, txids []string, final int64) (map[string]chains.TxStatus, error) {
	states := make(map[string]chains.TxStatus, len(txids))
	err := p.asker.Use(ctx, func(s *client.Session) error {
		waiting, err := s.Has(ctx, txids)
		for _, txid := range txids {
			states[txid] = chains.TxStatus{State: chains.TxMissing}
			if waiting[txid] {
				states[txid] = chains.TxStatus{State: chains.TxPending}
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	err = p.follow(ctx, func(s *client.Session, t *track, tip client.Tip) error {
		if err := p.grow(ctx, s, t, tip, tip.Height); err != nil {
			return err
		}
		for _, txid := range txids {
			id, _ := hashOf(txid)
			if at, ok := t.mined[id]; ok {
				block, _ := t.at(at.height)
				states[txid] = chains.TxStatus{State: chains.TxMined, Height: at.height, Block: hashOfPoint(block), Final: at.height <= final, Fee: amountOf(at.fee)}
			}
		}
		return nil
	})
	return states, err
}
