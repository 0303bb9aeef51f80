package bitcoind

import (
	"slices"
	"strconv"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"
)

// Height returns the newest block.
func (n *Node) Height(t testing.TB) int64 {
	t.Helper()
	var height int64
	n.Call(t, &height, "getblockcount")
	return height
}

// Hash returns the hash of the block at a height.
func (n *Node) Hash(t testing.TB, height int64) string {
	t.Helper()
	var hash string
	n.Call(t, &hash, "getblockhash", height)
	return hash
}

// Mine adds blocks; the first takes the mempool. Each call pays another miner, so that a block never has the hash of a block that was
// taken back.
func (n *Node) Mine(t testing.TB, blocks int) {
	t.Helper()
	n.miners++
	n.Call(t, nil, "generatetoaddress", blocks, Address(t, "miner "+strconv.Itoa(n.miners)))
}

// Mempool returns the ids of what waits for a block.
func (n *Node) Mempool(t testing.TB) []string {
	t.Helper()
	var txids []string
	n.Call(t, &txids, "getrawmempool")
	return txids
}

// Tx is a transaction as nodes give and take it. Not all of Litecoin's can be read by everybody.
type Tx struct{ ID, Raw string }

// Transactions returns the transactions of a block, the miner's first.
func (n *Node) Transactions(t testing.TB, hash string) []Tx {
	t.Helper()
	var block struct{ Tx []string }
	n.Call(t, &block, "getblock", hash, 1)
	return n.raw(t, block.Tx)
}

func (n *Node) raw(t testing.TB, txids []string) []Tx {
	t.Helper()
	txs := make([]Tx, len(txids))
	for i, txid := range txids {
		txs[i].ID = txid
		n.Call(t, &txs[i].Raw, "getrawtransaction", txid)
	}
	return txs
}

// Reorg replaces the newest depth blocks by as many others and adds one more. The transactions of the old blocks are mined again in
// the first of the new ones, except those in drop: these are gone.
func (n *Node) Reorg(t testing.TB, depth int, drop ...string) {
	t.Helper()
	n.reorganise(t, depth, drop, nil)
}

// DoubleSpend is Reorg, and in the first of the new blocks the coins of a transaction of Send go back to their owner. It returns the id
// of the transaction doing that.
func (n *Node) DoubleSpend(t testing.TB, depth int, txid string) string {
	t.Helper()
	conflict := n.conflict(t, txid)
	n.reorganise(t, depth, []string{txid}, conflict)
	return conflict.TxHash().String()
}

func (n *Node) reorganise(t testing.TB, depth int, drop []string, instead *wire.MsgTx) {
	t.Helper()
	from := n.Height(t) - int64(depth) + 1
	var old []Tx
	for h := from; h < from+int64(depth); h++ {
		old = append(old, n.Transactions(t, n.Hash(t, h))[1:]...)
	}
	old = append(old, n.raw(t, n.Mempool(t))...)
	n.Call(t, nil, "invalidateblock", n.Hash(t, from))
	if len(drop) > 0 {
		n.forget(t)
	}
	if instead != nil {
		n.submit(t, instead)
	}
	for _, tx := range old {
		if !slices.Contains(drop, tx.ID) {
			// The node may have it already, and it may hang on a transaction that is gone.
			_ = n.Try(nil, "sendrawtransaction", tx.Raw)
		}
	}
	n.Mine(t, depth+1)
	for _, txid := range drop {
		n.purse.coins = append(n.purse.coins, n.purse.spent[txid]...) // Send looks whether they are there
	}
}

// forget empties the mempool. A node is restarted for it.
func (n *Node) forget(t testing.TB) {
	t.Helper()
	if n.process == nil {
		n.Call(t, nil, "fake_forget")
		return
	}
	n.Restart(t)
}

// Version returns the node's name for itself.
func (n *Node) Version(t testing.TB) string {
	t.Helper()
	var info struct{ Subversion string }
	n.Call(t, &info, "getnetworkinfo")
	return info.Subversion
}
