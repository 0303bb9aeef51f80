package monero

import (
	"errors"
	"fmt"
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
