package utxo

import (
	"cmp"
	"context"
	"errors"
	"time"

	"causeway/chains/utxo/client"
)

// readFor is how long one question to the index reads blocks. The next one goes on from there.
const readFor = 15 * time.Second

// build begins anew.
func (v view) build(ctx context.Context) error {
	x := &v.index
	x.coins, x.hashes = map[place]*record{}, map[int64]hash{}
	if v.coin.scans {
		told, err := v.found(ctx)
		if err == nil {
			err = v.take(ctx, told)
		}
		x.built = err == nil
		return err
	}
	name, err := v.hashAt(ctx, v.cfg.Start-1)
	if err != nil {
		return err
	}
	before, ok := hashOf(name)
	if !ok {
		return odd("no block %d, which is before the first that is followed", v.cfg.Start-1)
	}
	x.top, x.floor, x.built = v.cfg.Start-1, v.cfg.Start-1, true
	x.hashes[x.top] = before
	return nil
}

// advance reads the blocks since, and takes back those that have left the chain.
func (v view) advance(ctx context.Context) error {
	x := &v.index
	began, forks := time.Now(), 0
	for ; forks < rereads; forks++ {
		if err := v.rejoin(ctx); err != nil || !x.built {
			return err
		}
		names, _, err := v.names(ctx, x.top+1, 50)
		if err != nil {
			return err
		}
		if len(names) == 0 {
			return nil
		}
		for _, name := range names {
			b, err := v.block(ctx, name, x.top+1)
			if err == nil && b.parent != x.hashes[x.top] {
				err = errForked
			}
			if errors.Is(err, errForked) {
				break
			}
			if err != nil {
				return err
			}
			x.add(b)
			forks = -1
			if time.Since(began) > readFor {
				return later("the coins of our addresses are not known yet: the blocks are read up to %d", x.top)
			}
		}
	}
	return errForked
}

// rejoin takes back the blocks that are no longer in the node's chain.
func (v view) rejoin(ctx context.Context) error {
	x := &v.index
	for {
		name, err := v.hashAt(ctx, x.top)
		if err != nil {
			return err
		}
		if name == x.hashes[x.top].String() {
			return nil
		}
		if x.top <= x.floor && name == "" { // another node may still come there
			return lacking("the node has no block %d yet, from which on the coins of our addresses are known", x.top)
		}
		if x.top <= x.floor {
			x.built = false
			return nil
		}
		x.undo(x.top - 1)
	}
}

// add reads the block after the top.
func (x *index) add(b *block) {
	x.top++
	x.hashes[x.top] = b.hash
	for i := range b.txs { // before what is spent: BitcoinCash orders a block by txid, and a child may come first
		t := &b.txs[i]
		for _, o := range t.outs {
			if _, ours := x.scripts[string(o.script)]; ours {
				x.put(&record{held: held{place: place{t.hash, o.vout}, units: o.units, script: string(o.script)}, made: x.top, young: t.coinbase})
			}
		}
	}
	for i := range b.txs {
		for _, in := range b.txs[i].ins {
			if r := x.coins[in.place()]; r != nil {
				r.spent = x.top
			}
		}
	}
	x.forget()
}

// take begins with the coins that a search has found. Coinbases among the newest coins are told apart: they count later.
func (v view) take(ctx context.Context, told *client.Scan) error {
	x := &v.index
	best, named := hashOf(told.Best)
	if !told.Success || !named || told.Height < 0 {
		return odd("a search for coins without its end")
	}
	x.top, x.floor = told.Height, told.Height
	x.hashes[x.top] = best
	var recent []hash
	for _, u := range told.Unspents {
		if len(u.Tokens) > 0 {
			continue
		}
		from, named := hashOf(u.Txid)
		units, fine := unitsOf(u.Amount.String())
		script := decoded(u.Script)
		if !named || !fine || !x.knows(script) || u.Height < 0 || u.Height > x.top {
			return odd("a search for coins with one that was not asked for")
		}
		x.put(&record{held: held{place: place{from, u.Vout}, units: units, script: script}, made: u.Height, young: u.Coinbase != nil && *u.Coinbase})
		if u.Coinbase == nil && u.Height > x.top-kept-v.coin.maturity {
			recent = append(recent, from)
		}
	}
	return v.findYoung(ctx, recent)
}

// findYoung marks the coinbases among transactions with coins of ours.
func (v view) findYoung(ctx context.Context, ids []hash) error {
	found, err := v.transactions(ctx, ids)
	if err != nil {
		return err
	}
	for _, r := range v.index.coins {
		if t := found[r.place.from]; t != nil {
			r.young = t.coinbase
		}
	}
	return nil
}

// descend has the index answer for heights below the one at which it began: it reads the blocks above, the highest first, for the coins
// that they spend. Where they are many, one question has no time for all, and the next one goes on. What was read stays for a while,
// since who follows from far below asks again and again.
func (v view) descend(ctx context.Context, height int64) error {
	x := &v.index
	if height < x.top-kept {
		x.deep, x.deepUntil = height, time.Now().Add(deepFor)
	}
	if height >= x.floor {
		return nil
	}
	if !v.coin.scans {
		return later("the coins at block %d are not known: blocks are followed from %d on", height, v.cfg.Start)
	}
	for began := time.Now(); x.floor > height; {
		b, err := v.block(ctx, x.hashes[x.floor].String(), x.floor)
		if err != nil {
			return err
		}
		if err := v.bringBack(ctx, v.mayBeOurs(b), x.floor); err != nil {
			return err
		}
		x.floor--
		x.hashes[x.floor] = b.parent
		if x.floor > height && time.Since(began) > cmp.Or(x.patience, readFor) {
			return later("the coins at block %d are not known yet: the blocks above are read down to %d", height, x.floor+1)
		}
	}
	return nil
}

// deepFor is how long blocks far below the top stay known after they were asked for.
const deepFor = time.Hour

// mayBeOurs returns the inputs of a block that may spend coins of the index: those that show a key of ours. An address of another form
// than ours, as a cold one may be, shows nothing of the kind: any input may be of it.
func (v view) mayBeOurs(b *block) (out []input) {
	x := &v.index
	for i := range b.txs {
		for _, in := range b.txs[i].ins {
			if !b.txs[i].coinbase && (x.hidden || in.key != nil && x.knows(string(v.coin.ownScript(in.key)))) {
				out = append(out, in)
			}
		}
	}
	return out
}

// bringBack adds the coins of the index among those that inputs of a block spend.
func (v view) bringBack(ctx context.Context, ins []input, height int64) error {
	spent, err := v.spentBy(ctx, ins)
	if err != nil {
		return err
	}
	for p, o := range spent {
		if !v.index.knows(string(o.script)) {
			continue
		}
		r := &record{held: held{place: p, units: o.units, script: string(o.script)}, spent: height}
		if r.made, r.young, err = v.madeAt(ctx, p.from); err != nil {
			return err
		}
		v.index.put(r)
	}
	return nil
}

// madeAt returns the height of a transaction in a block, and whether it is a coinbase.
func (v view) madeAt(ctx context.Context, id hash) (height int64, coinbase bool, err error) {
	var told client.Tx
	var at client.Header
	if err := v.ask(ctx, client.Ask(&told, "getrawtransaction", id.String(), 1)); err != nil {
		return 0, false, err
	}
	if told.BlockHash == "" || told.Txid != id.String() {
		return 0, false, odd("transaction %s is in no block, and a coin of it was spent in one", id)
	}
	if err := v.ask(ctx, client.Ask(&at, "getblockheader", told.BlockHash)); err != nil {
		return 0, false, err
	}
	return at.Height, len(told.Vin) == 1 && told.Vin[0].Coinbase != "", nil
}
