package monero

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// TestCoinsWithinTheHighestFee: many small coins would cost more than max_fee, so what the wallet makes of them would never be signed.
func TestCoinsWithinTheHighestFee(t *testing.T) {
	t.Parallel()
	c := &Connector{cfg: Defaults(), view: viewOf(t, recordedView)}
	d := &draft{sender: &Sender{Connector: c}, rate: 1_000_000, has: map[string]held{}, outs: []destination{{Units: 1e12}}, paid: 1e12}
	var free []chains.Coin
	for i := range 60 {
		id := fmt.Sprint(i)
		d.has[id] = held{entry{Unlocked: true, Units: 1e11}, id}
		free = append(free, chains.Coin{ID: id, Token: coin, Amount: decimal.New(1, -1)})
	}
	limit := d.coinLimit()
	if amountOf(d.fee(limit)).GreaterThan(c.cfg.MaxFee) || !amountOf(d.fee(limit+1)).GreaterThan(c.cfg.MaxFee) {
		t.Errorf("%d coins cost %s, and one more %s", limit, amountOf(d.fee(limit)), amountOf(d.fee(limit+1)))
	}
	coins, err := d.Choose(free)
	if err != nil || len(coins) > limit {
		t.Errorf("%d coins are chosen, %v; at most %d cost no more than max_fee", len(coins), err, limit)
	}
	d.paid = 5e12
	if coins, err := d.Choose(free); !errors.Is(err, chains.ErrShort) {
		t.Errorf("%d coins, %v", len(coins), err)
	}
}

// TestTheRestIsSplit: while the hot wallet has few coins, the rest comes back in several, none of them too small for another spend.
func TestTheRestIsSplit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		own, orders int
		paid, rest  uint64
		want        []uint64
	}{
		{1, 1, 1e12, 9e12 + 1, []uint64{2250000000001, 2250000000000, 2250000000000, 2250000000000}},
		{6, 1, 1e12, 9e12, []uint64{4.5e12, 4.5e12}},
		{8, 1, 1e12, 9e12, []uint64{9e12}},
		{1, 13, 1e12, 9e12, []uint64{4.5e12, 4.5e12}},
		{1, 14, 1e12, 9e12, []uint64{9e12}},
		{1, 1, 4e12, 9e12, []uint64{4.5e12, 4.5e12}}, // each pays as much again
		{1, 1, 1e6, 1e8, []uint64{1e8}},              // less than the fee of many coins
		{1, 0, 0, 9e12, []uint64{9e12}},              // gathered
	} {
		d := &draft{rate: 20_000, outs: make([]destination, c.orders), paid: c.paid, has: map[string]held{"spent": {entry: entry{Spent: true}}}}
		deposit := held{}
		deposit.At.Minor = 1
		d.has["deposit"] = deposit
		for i := range c.own {
			d.has[fmt.Sprint(i)] = held{}
		}
		if d.back = d.split(); !slices.Equal(d.rests(c.rest), c.want) {
			t.Errorf("%+v: %d come back", c, d.rests(c.rest))
		}
	}
}
