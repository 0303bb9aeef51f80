package chaintest

import (
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// gathers makes one coin of the hot wallet out of its smallest ones, and no more of them than it is told.
func (s *suite) gathers() {
	for units := range int64(5) {
		s.Pay(s, Payment{Token: s.coin().Symbol, To: s.Network.HotAddress(), Amount: decimal.NewFromInt(1 + units)})
	}
	s.Mine(s, 1)
	s.ripen()
	before := s.unspent(s.head().Height)
	signed, slot := s.gathered(3)
	s.accepted(signed.Raw)
	if !s.Keeps {
		first := signed
		signed = s.sign(s.gather(3, first.Raw), slot)
		s.accepted(signed.Raw)
		defer s.never(first.Txid)
	}
	s.Mine(s, 1)
	left := slices.DeleteFunc(before, func(c chains.Coin) bool { return c.Amount.LessThan(decimal.NewFromInt(4)) })
	if len(before)-len(left) != 3 {
		s.Fatalf("3 coins of less than 4 were paid, and %d are among %+v", len(before)-len(left), before)
	}
	fee := s.status(signed.Txid).Fee
	s.wantUnspent(append(left, chains.Coin{ID: chains.CoinID(signed.Txid, s.find(signed.Txid)[0].Position), Token: s.coin().Symbol, Amount: decimal.NewFromInt(1 + 2 + 3).Sub(fee)}))
	s.wantCosts(fee)
}

// wantCosts checks what a move and a coin in it are said to cost, by the fee of three coins that were gathered. Nodes may give or take
// something for a replacement.
func (s *suite) wantCosts(fee decimal.Decimal) {
	s.Helper()
	move, err := s.Network.MoveCost(s.ctx, s.coin().Symbol)
	s.check(err)
	coin, err := s.Network.CoinCost(s.ctx)
	s.check(err)
	if most := move.Add(coin.Mul(decimal.NewFromInt(2))).Mul(decimal.NewFromInt(3)); !coin.IsPositive() || coin.GreaterThan(move) || fee.GreaterThan(most) {
		s.Errorf("a move costs %s, a coin %s, and three of them cost %s", move, coin, fee)
	}
}

// gather prepares to gather coins, over earlier bytes.
func (s *suite) gather(coins int, over ...[]byte) chains.Draft {
	s.Helper()
	draft, err := s.Network.Sender.Prepare(s.ctx, chains.Spend{Gather: coins, Over: over})
	s.check(err)
	return draft
}

// gathered signs that coins are gathered, in a new slot.
func (s *suite) gathered(coins int) (chains.Signed, chains.Slot) {
	s.Helper()
	draft := s.gather(coins)
	slot := s.slot(draft)
	if len(slot.Coins) != coins {
		s.Fatalf("%d coins are gathered, want %d: %+v", len(slot.Coins), coins, slot.Coins)
	}
	return s.sign(draft, slot), slot
}

// mostGathered is how many coins the treasury asks for at once. A connector with smaller transactions takes fewer.
const mostGathered = 100

// gathersAlone checks what is refused: orders beside, and nothing to gather. The treasury's own number is not.
func (s *suite) gathersAlone() {
	s.check(s.unprepared(chains.Spend{Gather: mostGathered}))
	if err := s.unprepared(chains.Spend{Gather: 2, Orders: []chains.Order{s.order(s.coin(), 1)}}); err == nil {
		s.Error("coins are gathered beside an order")
	}
	if _, err := s.gather(2).(chains.Chooser).Choose(nil); err == nil {
		s.Error("nothing was gathered")
	}
}
