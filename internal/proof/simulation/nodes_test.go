package simulation

import (
	"context"
	"fmt"
	"slices"

	"causeway/chains"
)

// nodes are two nodes behind one address. The head and the fate of transactions come from a well one. While the other
// is stranded, blocks and hashes come from it: a fork left by the well one, with a payment to us.
type nodes struct {
	chains.Scanner
	first, top int64 // of the fork; the stranded node has no more. Zero while both are well
	pays       chains.Transfer
}

// Blocks returns blocks of the stranded node, if one is.
func (n *nodes) Blocks(ctx context.Context, from int64, limit int) ([]chains.Block, error) {
	blocks, err := n.Scanner.Blocks(ctx, from, limit)
	if n.first == 0 {
		return blocks, err
	}
	var out []chains.Block
	for _, b := range blocks {
		if b.Height > n.top {
			break
		}
		if b.Height >= n.first {
			b.Hash, b.Parent = n.hash(b.Height, b.Hash), n.hash(b.Height-1, b.Parent)
			p := n.pays
			p.Txid = fmt.Sprintf("%s-%d", p.Txid, b.Height)
			b.Transfers = append(b.Transfers, p)
		}
		out = append(out, b)
	}
	return out, err
}

// Hash returns the hash of a block of the stranded node, if one is.
func (n *nodes) Hash(ctx context.Context, height int64) (string, error) {
	hash, err := n.Scanner.Hash(ctx, height)
	if err != nil || n.first == 0 {
		return hash, err
	}
	if height > n.top {
		return "", nil
	}
	return n.hash(height, hash), nil
}

// HashBelow returns the hash of a block of the node asked by Hash, if top is in its chain.
func (n *nodes) HashBelow(ctx context.Context, top chains.Mark, height int64) (string, error) {
	if hash, err := n.Hash(ctx, top.Height); err != nil || hash != top.Hash {
		return "", err
	}
	return n.Hash(ctx, height)
}

func (n *nodes) hash(height int64, hash string) string {
	if height < n.first {
		return hash
	}
	return fmt.Sprintf("stranded-%s-%s", n.pays.Txid, hash)
}

// strand has the second node of a network stay behind on a fork, or come back. The stranded node may undo final blocks,
// and does not tell the holdings of our addresses.
func (w *world) strand() {
	if w.shallow {
		return
	}
	name := w.network()
	n, _ := w.registry.Network(name)
	two := n.Scanner.(*nodes)
	if two.first != 0 {
		two.first = 0
		w.trace("both nodes of %s are well", name)
		return
	}
	var height int64
	w.must(w.db.NewRaw("select height from sandbox_networks where network = ?", name).Scan(context.Background(), &height))
	there := slices.DeleteFunc(slices.Concat(w.wallets, w.payins), func(p place) bool { return p.network != name })
	if len(there) == 0 {
		return
	}
	to, amount := pick(w, there), w.amount(50, 2)
	w.serial++
	w.undone = true
	two.first, two.top = height-int64(w.random.IntN(4)), height+int64(w.random.IntN(6))
	two.pays = chains.Transfer{Txid: fmt.Sprintf("stranded%d", w.serial), Token: tokens[name][0], From: "somebody",
		To: n.Addresser.Match(to.address), Memo: to.memo, Amount: amount}
	w.trace("a node of %s stays on a fork from %d to %d", name, two.first, two.top)
}

// relieve brings every node back.
func (w *world) relieve() {
	for _, n := range w.registry.All() {
		n.Scanner.(*nodes).first = 0
	}
}
