package utxo

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"

	"causeway/chains/addresses"
	"causeway/chains/utxo/client"
)

// search is one search of the node through all its coins. It takes minutes on a main chain, and longer than any caller may wait: it goes
// on without them, and its answer is for the next one.
type search struct {
	scripts int // it is for so many
	began   time.Time
	done    chan struct{} // closed at its end
	told    client.Scan
	err     error
}

// found returns the answer of a search for the scripts of the index, and begins one where there is none.
func (c *Connector) found(ctx context.Context) (*client.Scan, error) {
	x := &c.index
	if x.search == nil || x.search.scripts != len(x.scripts) {
		if err := c.begin(ctx); err != nil {
			return nil, err
		}
	}
	select {
	case <-x.search.done:
		s := x.search
		x.search = nil
		if s.err != nil { // perhaps of another node than the one asked now
			return nil, later("%s", s.err)
		}
		return &s.told, nil
	case <-ctx.Done():
		return nil, later("the node searches its coins for those of our addresses, since %s", time.Since(x.search.began).Round(time.Second))
	}
}

// begin begins a search, after the one under way.
func (c *Connector) begin(ctx context.Context) error {
	x := &c.index
	if x.search != nil {
		select {
		case <-x.search.done:
		case <-ctx.Done():
			return later("the node searches its coins for fewer addresses than are asked for, since %s", time.Since(x.search.began).Round(time.Second))
		}
	}
	wanted, err := c.wanted()
	if err != nil {
		return err
	}
	s := &search{scripts: len(x.scripts), began: time.Now(), done: make(chan struct{})}
	x.search = s
	go func() {
		defer close(s.done)
		s.err = c.nodes.Within(c.cfg.ScanTimeout).Use(c.open, func(node client.Node) error {
			s.told = client.Scan{}
			return node.Client.Call(c.open, &s.told, "scantxoutset", "start", wanted)
		})
	}()
	return nil
}

// mostRanged is how many addresses the node derives of one object of a search. It takes no range of more.
const mostRanged = 1_000_000

// wanted are the objects of a search, as descriptors: the deposit addresses in ranges, so that the request is short however many there
// are, and each other script for itself.
func (c *Connector) wanted() ([]any, error) {
	x := &c.index
	account, err := hdkeychain.NewKeyFromString(c.cfg.XPub)
	if err == nil {
		account, err = account.CloneWithVersion(c.chain.version())
	}
	if err != nil {
		return nil, addresses.ErrXPub
	}
	form := "pkh(%s/0/*)"
	if c.coin.segwit {
		form = "wpkh(%s/0/*)"
	}
	most := cmp.Or(x.ranged, mostRanged)
	var out []any
	for first := uint32(0); first < x.derived; first += most {
		out = append(out, scanned{fmt.Sprintf(form, account), [2]uint32{first, min(first+most, x.derived) - 1}})
	}
	for script, deposit := range x.scripts {
		if deposit == 0 {
			out = append(out, fmt.Sprintf("raw(%x)", script))
		}
	}
	return out, nil
}

// scanned are the addresses of a descriptor, from one index to another.
type scanned struct {
	Descriptor string    `json:"desc"`
	Range      [2]uint32 `json:"range"`
}
