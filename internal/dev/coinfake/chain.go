package coinfake

import (
	"cmp"
	"slices"
	"time"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// bits is the difficulty of regtest.
const bits = 0x207fffff

// block is a block in the chain, or one taken back.
type block struct {
	wire.MsgBlock
	hash     chainhash.Hash
	height   int
	parent   *block
	invalid  bool
	received time.Time
	undo     map[wire.OutPoint]output // the outputs that it spends
	fees     []int64
}

// output is an unspent output.
type output struct {
	*wire.TxOut
	version  int32 // of its transaction
	height   int   // of its block; -1 in the mempool
	coinbase bool
}

// chain is all state of a fake.
type chain struct {
	coin
	blocks  []*block // all, in the order in which they came
	byHash  map[chainhash.Hash]*block
	active  []*block // by height
	unspent map[wire.OutPoint]output
	mined   map[chainhash.Hash]*block // by transaction; of one taken back, its last block
	pool    []*waiting                // by arrival
}

func newChain(c coin) chain {
	out := chain{coin: c, byHash: map[chainhash.Hash]*block{}, unspent: map[wire.OutPoint]output{}, mined: map[chainhash.Hash]*block{}}
	first := &block{MsgBlock: *c.genesis, hash: c.genesis.BlockHash(), received: c.genesis.Header.Timestamp, fees: []int64{0}}
	out.blocks, out.byHash[first.hash] = []*block{first}, first
	// Nobody can spend the first block's money.
	out.active = []*block{first}
	return out
}

func (c *chain) tip() *block { return c.active[len(c.active)-1] }

// has reports whether a block is in the chain.
func (c *chain) has(b *block) bool { return b.height < len(c.active) && c.active[b.height] == b }

// mine adds a block with the whole mempool, which is the count-th of a call.
func (c *chain) mine(script []byte, count int) *block {
	txs, fees := c.choose()
	parent := c.tip()
	b := &block{height: parent.height + 1, parent: parent, received: time.Now(), fees: append([]int64{0}, fees...)}
	reward := c.subsidy >> (b.height / 150)
	for _, fee := range fees {
		reward += fee
	}
	b.Transactions = append([]*wire.MsgTx{c.coinbase(b.height, count, reward, script, txs)}, txs...)
	at := time.Unix(time.Now().Unix(), 0)
	if least := time.Unix(median(parent)+1, 0); at.Before(least) {
		at = least
	}
	version := c.blockVersion
	if c.witness && b.height >= 144 {
		version |= 1 << 28 // it signals as its node does
	}
	b.Header = wire.BlockHeader{
		Version: version, PrevBlock: parent.hash, MerkleRoot: root(txids(b.Transactions)), Timestamp: at, Bits: bits,
		Nonce: uint32(len(c.blocks)),
	}
	b.hash = c.hashOf(b)
	c.blocks, c.byHash[b.hash] = append(c.blocks, b), b
	c.connect(b)
	return b
}

// choose orders the mempool for a block; a transaction stands behind those whose outputs it spends.
func (c *chain) choose() (txs []*wire.MsgTx, fees []int64) {
	left := slices.Clone(c.pool)
	switch c.order {
	case byFee:
		slices.SortStableFunc(left, func(a, b *waiting) int { return cmp.Compare(b.rate(), a.rate()) })
	case byTxid:
		slices.SortFunc(left, func(a, b *waiting) int { return cmp.Compare(a.txid.String(), b.txid.String()) })
	}
	placed := map[chainhash.Hash]bool{}
	for len(left) > 0 {
		i := 0
		if c.order != byTxid {
			i = slices.IndexFunc(left, func(w *waiting) bool {
				return !slices.ContainsFunc(w.tx.TxIn, func(in *wire.TxIn) bool {
					return c.waiting(in.PreviousOutPoint.Hash) != nil && !placed[in.PreviousOutPoint.Hash]
				})
			})
		}
		txs, fees = append(txs, left[i].tx), append(fees, left[i].fee)
		placed[left[i].txid] = true
		left = slices.Delete(left, i, i+1)
	}
	return txs, fees
}

// connect puts a block on top of the chain.
func (c *chain) connect(b *block) {
	b.undo = map[wire.OutPoint]output{}
	// The order by txid has children before their parents.
	for i, tx := range b.Transactions {
		c.mined[tx.TxHash()] = b
		for n, out := range tx.TxOut {
			if len(out.PkScript) == 0 || out.PkScript[0] != opReturn {
				c.unspent[wire.OutPoint{Hash: tx.TxHash(), Index: uint32(n)}] = output{out, tx.Version, b.height, i == 0}
			}
		}
	}
	for _, tx := range b.Transactions[1:] {
		for _, in := range tx.TxIn {
			b.undo[in.PreviousOutPoint] = c.unspent[in.PreviousOutPoint]
			delete(c.unspent, in.PreviousOutPoint)
		}
	}
	c.active = append(c.active, b)
	c.settle()
}

// disconnect takes the newest block back, and returns its transactions.
func (c *chain) disconnect() []*wire.MsgTx {
	b := c.tip()
	c.active = c.active[:b.height]
	for at, out := range b.undo {
		c.unspent[at] = out
	}
	for _, tx := range b.Transactions {
		for n := range tx.TxOut {
			delete(c.unspent, wire.OutPoint{Hash: tx.TxHash(), Index: uint32(n)})
		}
	}
	return b.Transactions[1:]
}

// reorganise goes over to the best of the valid chains: the longest, and of equals the first to come.
func (c *chain) reorganise() {
	best := c.blocks[0]
	for _, b := range c.blocks {
		if b.height > best.height && b.valid() {
			best = b
		}
	}
	var back []*wire.MsgTx
	var ahead []*block
	for b := best; !c.has(b); b = b.parent {
		ahead = append(ahead, b)
	}
	fork := best.height - len(ahead)
	for c.tip().height > fork {
		back = append(c.disconnect(), back...)
	}
	slices.Reverse(ahead)
	for _, b := range ahead {
		c.connect(b)
	}
	old := c.pool
	c.pool = nil
	for _, tx := range back {
		_, _ = c.accept(tx)
	}
	for _, w := range old {
		_, _ = c.accept(w.tx)
	}
}

func (b *block) valid() bool {
	for ; b != nil; b = b.parent {
		if b.invalid {
			return false
		}
	}
	return true
}

// below reports whether a block is another, or stands below it.
func (b *block) below(above *block) bool {
	for ; above != nil; above = above.parent {
		if above == b {
			return true
		}
	}
	return false
}

// median is the time in the middle of the last eleven blocks.
func median(b *block) int64 {
	var times []int64
	for ; b != nil && len(times) < 11; b = b.parent {
		times = append(times, b.Header.Timestamp.Unix())
	}
	slices.Sort(times)
	return times[len(times)/2]
}
