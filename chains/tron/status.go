package tron

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/chains/tron/client"
)

// value asks about a transaction.
type value struct {
	Value string `json:"value"`
}

// Status looks up transactions, as the node in use knows them. One that a node calls mined counts only while it is in a block of the best
// chain, where it is read. A missing one may be known to another node: only blocks prove anything.
func (c *Connector) Status(ctx context.Context, txids []string) (states map[string]chains.TxStatus, err error) {
	if len(txids) == 0 {
		return map[string]chains.TxStatus{}, nil
	}
	err = c.use(ctx, func(v view) (err error) {
		states, err = v.status(ctx, txids)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	return states, nil
}

// status is Status, as one node answers.
func (v view) status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	answers := make([]chains.TxStatus, len(txids))
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(blocksAtOnce)
	for i, txid := range txids {
		group.Go(func() (err error) {
			answers[i], err = v.state(within, txid)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	head, err := v.head(ctx, -1)
	if err != nil {
		return nil, err
	}
	states := make(map[string]chains.TxStatus, len(txids))
	for i, txid := range txids {
		mined := answers[i].State == chains.TxMined || answers[i].State == chains.TxReverted
		answers[i].Final = mined && answers[i].Height <= head.Final
		states[txid] = answers[i]
	}
	return states, nil
}

// state looks up one transaction.
func (v view) state(ctx context.Context, txid string) (chains.TxStatus, error) {
	missing := chains.TxStatus{State: chains.TxMissing}
	if !isHash(txid) {
		return missing, nil // no transaction here has such an id
	}
	var done client.Info
	if err := v.ask(ctx, &done, "wallet/gettransactioninfobyid", value{txid}); err != nil {
		return missing, err
	}
	if done.ID == txid && done.BlockNumber > 0 {
		b, err := v.block(ctx, done.BlockNumber)
		if err != nil {
			return missing, err
		}
		if i := slices.IndexFunc(b.txs, func(t transaction) bool { return t.id.String() == txid }); i >= 0 {
			return v.mined(b, &b.txs[i])
		}
	}
	var waiting client.Transaction
	if err := v.ask(ctx, &waiting, "wallet/gettransactionfrompending", value{txid}); err != nil {
		return missing, err
	}
	if waiting.ID == txid {
		return chains.TxStatus{State: chains.TxPending}, nil
	}
	return missing, nil
}

// mined is the state of a transaction in a block.
func (c *Connector) mined(b *block, t *transaction) (chains.TxStatus, error) {
	if t.done == nil {
		return chains.TxStatus{}, odd("the node does not tell what %s cost", t.id)
	}
	now := chains.TxStatus{State: chains.TxReverted, Height: b.height, Block: b.id, Fee: sun(t.done.fee)}
	if t.succeeded {
		now.State, now.Amiss = chains.TxMined, c.amiss(t)
	}
	return now, nil
}

// amiss compares the move of a token with the one ordered by the transaction's own words. A token may keep a part, or move nothing and yet
// succeed.
func (c *Connector) amiss(t *transaction) *chains.Amiss {
	token, watched := c.known.Load().byContract[t.to]
	to, units, transfers := readTransferCall(t.call)
	if t.kind != kindTrigger || !watched || !transfers {
		return nil
	}
	arrived, spent := new(big.Int), new(big.Int)
	for _, m := range t.logs {
		if m.contract != t.to {
			continue
		}
		for _, side := range []struct {
			plus bool
			sum  *big.Int
			ours bool
		}{{true, arrived, m.to == to}, {false, arrived, m.from == to}, {true, spent, m.from == t.owner}, {false, spent, m.to == t.owner}} {
			switch {
			case side.ours && side.plus:
				side.sum.Add(side.sum, m.units)
			case side.ours:
				side.sum.Sub(side.sum, m.units)
			}
		}
	}
	if arrived.Cmp(units) == 0 && spent.Cmp(units) == 0 {
		return nil
	}
	return &chains.Amiss{Arrived: token.amount(arrived), Spent: token.amount(spent)}
}
