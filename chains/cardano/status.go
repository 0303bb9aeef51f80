package cardano

import (
	"context"
	"fmt"

	"causeway/chains"
	"causeway/chains/cardano/client"
)

// Status looks up transactions: in the mempool of the node, and then in the blocks that this process has read. Ogmios finds no transaction by
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
	err := c.asker.Use(ctx, func(s *client.Session) error {
		waiting, err := s.Has(ctx, known)
		for txid, is := range waiting {
			if is {
				states[txid] = chains.TxStatus{State: chains.TxPending}
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	err = c.follow(ctx, func(s *client.Session, t *track, tip client.Tip) error {
		if err := c.grow(ctx, s, t, tip, tip.Height); err != nil {
			return err
		}
		for _, txid := range known {
			id, _ := hashOf(txid)
			if at, ok := t.mined[id]; ok {
				block, _ := t.at(at.height)
				states[txid] = chains.TxStatus{State: chains.TxMined, Height: at.height, Block: hashOfPoint(block), Final: at.height <= tip.Height-int64(c.cfg.Rule.Final)+1,
					Fee: amountOf(at.fee)}
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	return states, nil
}
