package monero

import (
	"context"
	"encoding/hex"
	"slices"
	"sync"

	"causeway/chains"
)

// held is an output of ours as the books name it.
type held struct {
	entry
	id string
}

// read are outputs of transactions that were read for a wallet's outputs, and what transactions spend. Neither ever changes.
type read struct {
	turn   sync.Mutex
	places map[string]map[string]arrival // by id of the transaction, and by one-time key
	images map[string]string             // by one-time key: a reorganisation takes them from a wallet
	spends map[string][]string           // key images by id of the transaction that spends them
}

// coinsOf returns those of a wallet's outputs that are coins: found by our own reading too. Others are locked, or of miners.
func (c *Connector) coinsOf(ctx context.Context, all []entry) ([]held, error) {
	if err := c.readAll(ctx, all); err != nil {
		return nil, err
	}
	c.read.turn.Lock()
	defer c.read.turn.Unlock()
	var out []held
	for _, e := range all {
		a, ours := c.read.places[e.Txid][e.Key]
		if !ours {
			continue
		}
		if a.units != e.Units || a.minor != e.At.Minor {
			return nil, odd("the wallet tells another amount or place of output %d of %s", a.place, e.Txid)
		}
		if e.Image == "" {
			e.Image = c.read.images[e.Key]
		} else if c.read.images[e.Key] == "" {
			c.read.images[e.Key] = e.Image
		}
		out = append(out, held{e, chains.CoinID(e.Txid, a.place)})
	}
	return out, nil
}

// readAll reads the transactions of outputs, once each.
func (c *Connector) readAll(ctx context.Context, all []entry) error {
	c.read.turn.Lock()
	defer c.read.turn.Unlock()
	if c.read.places == nil {
		c.read.places, c.read.images = map[string]map[string]arrival{}, map[string]string{}
	}
	var ids []hash
	asked := map[string]bool{}
	for _, e := range all {
		if e.At.Minor >= mostKnown {
			return odd("the wallet has found output %.64s at address %d, and the first %d are looked for", e.Key, e.At.Minor, mostKnown)
		}
		c.saw(e.At.Minor) // a transaction is read once, so its addresses are known before
		if c.read.places[e.Txid] == nil && !asked[e.Txid] {
			id, err := idOf(e.Txid)
			if err != nil {
				return err
			}
			asked[e.Txid] = true
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return c.node.Use(ctx, func(n node) error {
		for len(ids) > 0 {
			some := ids[:min(len(ids), mostRead)]
			txs, err := readTransactions(ctx, n, some, anyHeight)
			if err != nil {
				return err
			}
			for _, t := range txs {
				found := map[string]arrival{}
				for _, a := range c.view.arrivals(t, c.among) {
					found[hex.EncodeToString(a.key[:])] = a
				}
				c.read.places[t.id.String()] = found
			}
			ids = ids[len(some):]
		}
		return nil
	})
}

func idOf(txid string) (hash, error) {
	raw, err := hex.DecodeString(txid)
	if err != nil || len(raw) != 32 {
		return hash{}, odd("the wallet names a transaction %.64q", txid)
	}
	return hash(raw), nil
}

// imagesOf returns the key images that transactions spend. Each is read once.
func (c *Connector) imagesOf(ctx context.Context, txids map[string]int64) (map[string][]string, error) {
	c.read.turn.Lock()
	defer c.read.turn.Unlock()
	if c.read.spends == nil {
		c.read.spends = map[string][]string{}
	}
	var ids []hash
	for txid := range txids {
		if _, known := c.read.spends[txid]; !known {
			id, err := idOf(txid)
			if err != nil {
				return nil, err
			}
			ids = append(ids, id)
		}
	}
	for some := range slices.Chunk(ids, mostRead) {
		err := c.node.Use(ctx, func(n node) error {
			txs, err := readTransactions(ctx, n, some, anyHeight)
			for _, t := range txs {
				names := []string{}
				for _, image := range t.images {
					names = append(names, image.String())
				}
				c.read.spends[t.id.String()] = names
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	out := make(map[string][]string, len(txids))
	for txid := range txids {
		out[txid] = c.read.spends[txid]
	}
	return out, nil
}
