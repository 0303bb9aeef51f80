package monero

import (
	"context"

	"causeway/chains"
	"causeway/chains/monero/client"
)

// followed is a block with its transactions, as it was read.
type followed struct {
	*parsedBlock
	txs []*transaction
}

// errUnshown says that a spend may be of a coin of ours, and only the signer can tell.
var errUnshown = odd("a transaction may spend a coin of ours, and the wallet was not shown its key image: a process that signs shows it")

// knowledge is what a wallet knows of our coins.
type knowledge struct {
	byImage map[string]string // ids of coins
	unshown map[uint64]bool   // coins without an image, by their place among all outputs of the chain
	height  int64             // up to which the wallet has read
}

// know asks the wallet for the key images of our coins.
func (c *Connector) know(ctx context.Context, upTo int64) (*knowledge, error) {
	give, err := c.seer.take(ctx)
	if err != nil {
		return nil, err
	}
	defer give()
	height, err := c.seer.ready(ctx)
	if err != nil {
		return nil, err
	}
	if height < upTo {
		return nil, odd("the wallet has read up to block %d, and block %d is followed", height, upTo)
	}
	all, err := c.seer.list(ctx)
	if err != nil {
		return nil, err
	}
	coins, err := c.coinsOf(ctx, all)
	if err != nil {
		return nil, err
	}
	k := &knowledge{byImage: map[string]string{}, unshown: map[uint64]bool{}, height: height}
	for _, h := range coins {
		if h.Image == "" {
			k.unshown[h.Global] = true
		} else {
			k.byImage[h.Image] = h.id
		}
	}
	return k, nil
}

// spends returns what a transaction spends. The coins of others have no name: their key images take its place.
func (k *knowledge) spends(t *transaction) (all []chains.Spending, ours bool, err error) {
	for i, image := range t.images {
		name := image.String()
		if id, is := k.byImage[name]; is {
			all, ours = append(all, chains.Spending{Coin: id, Txid: t.id.String()}), true
			continue
		}
		for _, member := range t.rings[i] {
			if k.unshown[member] {
				return nil, false, errUnshown
			}
		}
		all = append(all, chains.Spending{Coin: "image:" + name, Txid: t.id.String()})
	}
	return all, ours, nil
}

// codeNoTransfer is a wallet server's error for a transaction that it has not found.
const codeNoTransfer = -8

// doubted returns the subaddresses at which a wallet has found less in a transaction than our own reading. One-time keys used before count
// once, and only a wallet knows those of all blocks. It reads the transaction again first, since it may have lacked a subaddress.
func (c *Connector) doubted(ctx context.Context, t *transaction, height int64, found []arrival) (map[uint32]bool, error) {
	w := c.seer
	give, err := w.take(ctx)
	if err != nil {
		return nil, err
	}
	defer give()
	doubts, err := w.lacks(ctx, t, height, found)
	if err != nil || len(doubts) == 0 {
		return doubts, err
	}
	if _, err := w.ready(ctx); err != nil {
		return nil, err
	}
	if err := w.server.Call(ctx, nil, "scan_tx", map[string]any{"txids": []string{t.id.String()}}); err != nil {
		return nil, err
	}
	return w.lacks(ctx, t, height, found)
}

// lacks returns the subaddresses at which the wallet has found less than it should.
func (w *wallet) lacks(ctx context.Context, t *transaction, height int64, found []arrival) (map[uint32]bool, error) {
	var told struct {
		Transfers []struct {
			Units  uint64 `json:"amount"`
			Height int64
			Type   string
			At     struct{ Minor uint32 } `json:"subaddr_index"`
		}
	}
	err := w.server.Call(ctx, &told, "get_transfer_by_txid", account(map[string]any{"txid": t.id.String()}))
	if err != nil && client.Code(err) != codeNoTransfer {
		return nil, err
	}
	more := map[uint32]uint64{}
	for _, a := range found {
		more[a.minor] += a.units
	}
	for _, x := range told.Transfers {
		if x.Type == "in" && x.Height != height {
			return nil, errForked
		}
		if x.Type == "in" {
			more[x.At.Minor] -= min(more[x.At.Minor], x.Units)
		}
	}
	out := map[uint32]bool{}
	for minor, units := range more {
		if units > 0 {
			out[minor] = true
		}
	}
	return out, nil
}
