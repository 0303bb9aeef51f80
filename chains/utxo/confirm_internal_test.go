package utxo

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"causeway/chains"
	"causeway/chains/addresses"
)

// purse returns coins of the wallet. Their ids say what they are (minted).
func (d *draft) purse(units ...int64) []chains.Coin {
	out := make([]chains.Coin, len(units))
	for i, u := range units {
		var from hash
		binary.BigEndian.PutUint32(from[:], uint32(i+1))
		binary.BigEndian.PutUint64(from[4:], uint64(u))
		out[i] = chains.Coin{ID: place{from, uint32(i)}.id(), Token: d.sender.symbol(), Amount: amountOf(u)}
	}
	return out
}

// at puts a coin at the deposit address of an index.
func (d *draft) at(t testing.TB, c chains.Coin, index uint32) chains.Coin {
	t.Helper()
	address, err := d.sender.Derive(t.Context(), index)
	if err != nil {
		t.Fatal(err)
	}
	where, _ := placeOf(c.ID)
	binary.BigEndian.PutUint32(where.from[12:], index+1)
	c.ID, c.At = where.id(), &chains.Wallet{Address: d.sender.Match(address), Index: index}
	return c
}

// minted stands for a node that knows the coins of a purse. No node has them.
func (s *Sender) minted(ctx context.Context, ins []input) (map[place]output, error) {
	out := map[place]output{}
	for _, in := range ins {
		o := output{vout: in.vout, units: int64(binary.BigEndian.Uint64(in.from[4:])), script: s.hotScript}
		if index := binary.BigEndian.Uint32(in.from[12:]); index > 0 {
			address, err := s.Derive(ctx, index-1)
			if err != nil {
				return nil, err
			}
			if o.script, err = addresses.Script(s.cfg.Network, address); err != nil {
				return nil, err
			}
		}
		out[in.place()] = o
	}
	return out, nil
}

// TestTheBooksAreNotBelieved: books that say less of a coin than it is, or more, or that it lies elsewhere, have nothing signed. On Dogecoin
// no signature says what a coin is.
func TestTheBooksAreNotBelieved(t *testing.T) {
	t.Parallel()
	for network, coin := range coins {
		d := drafting(t, network, coin.rate.String(), 20*coin.dust)
		slot := d.purse(50*coin.dust+1_000_000, 90*coin.dust+2_000_000)
		if _, err := d.Sign(chains.Slot{Coins: slot}); err != nil {
			t.Fatalf("%s: %v", network, err)
		}
		less, more, elsewhere := slot[1], slot[1], d.at(t, slot[1], 7)
		less.Amount, more.Amount = less.Amount.Sub(amountOf(1)), more.Amount.Add(amountOf(1))
		elsewhere.ID = slot[1].ID
		for says, c := range map[string]chains.Coin{"and the books say " + less.Amount.String(): less, "and the books say " + more.Amount.String(): more,
			"at another address": elsewhere} {
			if signed, err := d.Sign(chains.Slot{Coins: []chains.Coin{slot[0], c}}); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %+v: %+v, %v", network, c, signed, err)
			}
		}
	}
}
