package utxo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/utxo/client"
)

// How many transactions are read at once, and for how long, if there is more than one block. A step holds what they pay to everybody:
// some kilobyte for each transaction. namedAtOnce is how many blocks are asked for by their heights together.
const (
	mostRead    = 8_000
	longestRead = 8 * time.Second
	namedAtOnce = 25
)

// Blocks returns the blocks from a height on. Its cost is that of the blocks, however many addresses are ours: transfers to everybody
// are returned, and the coins that anybody spends.
func (c *Connector) Blocks(ctx context.Context, from int64, limit int) (out []chains.Block, err error) {
	err = c.use(ctx, func(v view) (err error) {
		for range rereads {
			if out, err = v.stretch(ctx, from, limit); !errors.Is(err, errForked) {
				break
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("blocks from %d: %w", from, err)
	}
	return out, nil
}

// stretch reads blocks until they are enough for one step. Their names are asked for some at a time: full blocks are few. What was read
// before an answer was lost is kept, else who is far behind a node that loses answers would never have it all.
func (v view) stretch(ctx context.Context, from int64, limit int) (out []chains.Block, err error) {
	read, began := 0, time.Now()
	enough := func() bool {
		return len(out) == limit || len(out) > 0 && (read > mostRead || time.Since(began) > longestRead)
	}
	for !enough() {
		first, asked := from+int64(len(out)), min(namedAtOnce, limit-len(out))
		names, mature, err := v.names(ctx, first, asked)
		for i := 0; err == nil && i < len(names) && !enough(); i++ {
			var whole chains.Block
			var txs int
			if whole, txs, err = v.follow(ctx, out, names[i], first+int64(i), mature[i]); err == nil {
				out, read = append(out, whole), read+txs
			}
		}
		switch {
		case len(out) > 0 && client.Lost(err):
			v.nodes.Leave(v.node, err)
			return out, nil
		case err != nil:
			return nil, err
		case len(names) < asked:
			return out, nil
		}
	}
	return out, nil
}

// follow reads a block, which has to be on top of those before, and returns how many transactions it has.
func (v view) follow(ctx context.Context, before []chains.Block, name string, height int64, mature string) (whole chains.Block, txs int, err error) {
	b, err := v.block(ctx, name, height)
	if err != nil {
		return whole, 0, err
	}
	if len(before) > 0 && b.parent.String() != before[len(before)-1].Hash {
		return whole, 0, errForked
	}
	whole, err = v.told(ctx, b, height, mature)
	return whole, len(b.txs), err
}

// names asks for the hashes of blocks, and of those whose coinbase may be spent since; "" of the latter where there is none.
func (v view) names(ctx context.Context, from int64, limit int) (names, mature []string, err error) {
	names, mature = make([]string, limit), make([]string, limit)
	var questions []*client.Question
	for i := range names {
		height := from + int64(i)
		questions = append(questions, client.Ask(&names[i], "getblockhash", height))
		if old := height - v.coin.maturity + 1; old > 0 {
			questions = append(questions, client.Ask(&mature[i], "getblockhash", old))
		}
	}
	if err := v.each(ctx, questions...); err != nil {
		return nil, nil, err
	}
	for _, q := range questions {
		if q.Err != nil && !client.IsClass(q.Err, client.Missing) {
			return nil, nil, q.Err
		}
	}
	for i, name := range names {
		if name == "" {
			return names[:i], mature[:i], nil
		}
	}
	return names, mature, nil
}

// block reads a block.
func (v view) block(ctx context.Context, name string, height int64) (*block, error) {
	if v.coin.spoken {
		var told client.Block
		if err := v.ask(ctx, client.Ask(&told, "getblock", name, 2)); err != nil {
			return nil, v.forked(err)
		}
		return spokenBlock(&told, name, height)
	}
	var b *block
	err := v.askRaw(ctx, func(r io.Reader) (err error) {
		b, err = v.coin.readBlock(r, name, height, height >= v.chain.gold)
		return err
	}, "getblock", name, 0)
	return b, v.forked(err)
}

// forked is the error of a block just named by the node: it has left the chain if the node does not have it.
func (c *Connector) forked(err error) error {
	if client.IsClass(err, client.Missing) {
		return errForked
	}
	return err
}

// told returns a block as the follower needs it. A coinbase counts in the block after which it may be spent.
func (v view) told(ctx context.Context, b *block, height int64, mature string) (chains.Block, error) {
	out := chains.Block{Height: height, Hash: b.hash.String(), Parent: b.parent.String(), Time: b.time}
	if len(b.txs) > 0 {
		v.coinbases.keep(out.Hash, &b.txs[0])
	}
	payments := 0
	for i := range b.txs {
		payments += len(b.txs[i].outs)
	}
	out.Transfers = make([]chains.Transfer, 0, payments)
	for i := range b.txs {
		t := &b.txs[i]
		if t.coinbase {
			continue
		}
		id := t.hash.String()
		out.Transfers, out.Spent = v.transfers(out.Transfers, t, id), t.spent(out.Spent, id)
	}
	if mature != "" {
		t, err := v.coinbase(ctx, mature)
		if err != nil {
			return out, err
		}
		out.Transfers = v.transfers(out.Transfers, t, t.hash.String())
	}
	return out, nil
}

// transfers adds what a transaction pays, also by scripts without an address. Who pays is not in it: coins name no sender.
func (c *Connector) transfers(all []chains.Transfer, t *transaction, id string) []chains.Transfer {
	symbol := c.symbol()
	for _, o := range t.outs {
		if o.units != 0 {
			to := addresses.OfScript(c.cfg.Network, o.script)
			all = append(all, chains.Transfer{Txid: id, Token: symbol, Position: int(o.vout), To: to, Amount: amountOf(o.units)})
		}
	}
	return all
}

// spent adds the coins that a transaction spends.
func (t *transaction) spent(all []chains.Spending, id string) []chains.Spending {
	for i := range t.ins {
		all = append(all, chains.Spending{Coin: t.ins[i].coin(), Txid: id})
	}
	return all
}

// coin is the id of the coin that an input spends.
func (in input) coin() string { return chains.CoinID(in.from.String(), int(in.vout)) }
