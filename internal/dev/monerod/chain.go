package monerod

import (
	"testing"
	"time"
)

// Height returns the newest block.
func (n *Node) Height(t testing.TB) int64 {
	t.Helper()
	var count struct{ Count int64 }
	n.Call(t, &count, "get_block_count", nil)
	return count.Count - 1
}

// Hash returns the hash of the block at a height.
func (n *Node) Hash(t testing.TB, height int64) string {
	t.Helper()
	var hash string
	n.Call(t, &hash, "on_get_block_hash", []int64{height})
	return hash
}

// Mine adds blocks for nobody; the first takes the mempool. No two blocks are the same: each pays to a key of its own.
func (n *Node) Mine(t testing.TB, blocks int) {
	t.Helper()
	n.MineTo(t, nobody, blocks)
}

// MineTo is Mine for an address. What a block pays may be spent after 60 more.
func (n *Node) MineTo(t testing.TB, address string, blocks int) {
	t.Helper()
	n.await(t)
	if blocks > 0 {
		n.Call(t, nil, "generateblocks", map[string]any{"amount_of_blocks": blocks, "wallet_address": address})
	}
}

// await waits until the node has passed on what is in its mempool, which it does in the background. No block has a transaction before.
func (n *Node) await(t testing.TB) {
	t.Helper()
	for limit := time.Now().Add(patience); ; {
		var pool struct{ Transactions []struct{ Relayed bool } }
		n.Post(t, &pool, "/get_transaction_pool", struct{}{})
		waits := false
		for _, tx := range pool.Transactions {
			waits = waits || !tx.Relayed
		}
		if !waits {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("the node passes on nothing of %+v", pool)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// nobody is the address of a wallet that is restored from no words.
const nobody = "42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm"

// Transactions returns the ids of the transactions in a block, without that of the miner.
func (n *Node) Transactions(t testing.TB, height int64) []string {
	t.Helper()
	var block struct {
		Hashes []string `json:"tx_hashes"`
	}
	n.Call(t, &block, "get_block", map[string]any{"height": height})
	return block.Hashes
}

// Mempool returns the ids of what waits for a block.
func (n *Node) Mempool(t testing.TB) []string {
	t.Helper()
	var pool struct {
		Hashes []string `json:"tx_hashes"`
	}
	n.Post(t, &pool, "/get_transaction_pool_hashes", struct{}{})
	return pool.Hashes
}

// Reorg replaces the newest depth blocks by as many others and adds one more. The transactions of the old blocks are mined again in the
// first of the new ones, except those in drop: these are gone.
func (n *Node) Reorg(t testing.TB, depth int, drop ...string) {
	t.Helper()
	n.Post(t, &struct{}{}, "/pop_blocks", map[string]any{"nblocks": depth})
	if len(drop) > 0 {
		n.Call(t, nil, "flush_txpool", map[string]any{"txids": drop})
	}
	n.Mine(t, depth+1)
}

// Send offers the node a transaction, and returns its words where it does not take it.
func (n *Node) Send(t testing.TB, raw string) (refused string) {
	t.Helper()
	var answer struct{ Status, Reason string }
	n.Post(t, &answer, "/send_raw_transaction", map[string]any{"tx_as_hex": raw})
	if answer.Status != "OK" {
		return answer.Status + ": " + answer.Reason
	}
	return ""
}
