package chaintest

import (
	"errors"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// deposited has a stranger pay so many units to a deposit address, and returns the coin that this is.
func (s *suite) deposited(index uint32, units int64) chains.Coin {
	s.Helper()
	to := s.derive(index)
	txid := s.Pay(s, Payment{Token: s.coin().Symbol, To: to, Amount: decimal.NewFromInt(units)})
	s.Mine(s, 1)
	at := &chains.Wallet{Address: s.Network.Addresser.Match(to), Index: index}
	for _, f := range s.find(txid) {
		if f.To == at.Address {
			return chains.Coin{ID: chains.CoinID(txid, f.Position), Token: f.Token, Amount: f.Amount, At: at}
		}
	}
	s.Fatalf("%s pays nothing to %s", txid, to)
	return chains.Coin{}
}

// spendsDeposits pays from coins of deposit addresses, by themselves and beside one of the hot wallet. The rest comes to the hot wallet.
func (s *suite) spendsDeposits() {
	one, two, three := s.deposited(20, 5), s.deposited(21, 6), s.deposited(22, 7)
	s.ripen()
	alone := s.prepare(s.to(7, 2))
	chosen, err := alone.(chains.Chooser).Choose([]chains.Coin{one})
	if err != nil || len(chosen) != 1 || chosen[0] != one {
		s.Fatalf("chosen of the only coin: %v, %v", chosen, err)
	}
	s.numbers++
	s.spends(s.sign(alone, chains.Slot{Number: s.numbers, Coins: chosen}), chosen, 3, map[uint32]int64{7: 2})

	hot := slices.DeleteFunc(s.unspent(s.head().Height), func(c chains.Coin) bool { return c.Amount.LessThan(decimal.NewFromInt(100)) })[:1]
	more := hot[0].Amount.Add(decimal.NewFromInt(8)).IntPart()
	draft := s.prepare(s.to(7, more))
	chosen, err = draft.(chains.Chooser).Choose([]chains.Coin{two, hot[0], three})
	s.check(err)
	if len(chosen) != 3 || chosen[0] != hot[0] {
		s.Fatalf("a slot begins with a coin of the hot wallet: %v", chosen)
	}
	s.numbers++
	slot := chains.Slot{Number: s.numbers, Coins: chosen}
	signed := s.sign(draft, slot)
	s.spends(signed, chosen, 5, map[uint32]int64{7: more})

	height := s.head().Height
	s.Reorg(s, 1, signed.Txid)
	s.wantHeldAt(height, map[uint32]int64{20: 0, 21: 6, 22: 7})
	s.accepted(signed.Raw)
	s.Mine(s, 1)
	s.wantHeldAt(s.head().Height, map[uint32]int64{20: 0, 21: 0, 22: 0})
	wrong := three
	wrong.At = &chains.Wallet{Address: three.At.Address, Index: 23}
	if _, err := s.prepare(s.to(7, 2)).Sign(chains.Slot{Number: 999, Coins: []chains.Coin{wrong}}); err == nil {
		s.Error("a coin was signed as one of another index")
	}
}

// leavesOut has a deposit vanish after a payout was signed with it. Another transaction of the slot pays without it, and is the only one.
func (s *suite) leavesOut() {
	deposit := s.deposited(20, 5)
	s.ripen()
	hot := slices.DeleteFunc(s.unspent(s.head().Height), func(c chains.Coin) bool { return c.Amount.LessThan(decimal.NewFromInt(100)) })[:2]
	more := hot[0].Amount.Add(decimal.NewFromInt(2)).IntPart()
	draft := s.prepare(s.to(7, more))
	chosen, err := draft.(chains.Chooser).Choose([]chains.Coin{hot[0], deposit})
	s.check(err)
	s.numbers++
	slot := chains.Slot{Number: s.numbers, Coins: chosen}
	first := s.sign(draft, slot)
	from, _, _ := strings.Cut(deposit.ID, ":")
	s.Reorg(s, 1+s.Ripe, from)
	if got, _ := s.Network.Sender.Broadcast(s.ctx, first.Raw); got != chains.NotTaken && got != chains.SlotTaken {
		s.Fatalf("a coin of it is gone: outcome %d", got)
	}

	again := chains.Spend{Orders: []chains.Order{s.to(7, more)}, Over: [][]byte{first.Raw}, Gone: []chains.Coin{deposit}}
	draft, err = s.Network.Sender.Prepare(s.ctx, again)
	s.check(err)
	if _, err := draft.(chains.Chooser).Choose(nil); !errors.Is(err, chains.ErrShort) {
		s.Errorf("what is gone counts: %v", err)
	}
	chosen, err = draft.(chains.Chooser).Choose(hot[1:])
	s.check(err)
	second := s.sign(draft, chains.Slot{Number: slot.Number, Coins: append(slot.Coins[:1:1], chosen...)})
	s.accepted(second.Raw)
	s.Mine(s, 1)
	s.wantPaid(second.Txid, map[uint32]int64{7: more})
	s.never(first.Txid)
	again.Gone = slot.Coins[:1]
	if err := s.unprepared(again); err == nil {
		s.Error("the first coin of a slot was left out")
	}
}

// spends sends a transaction, and fails unless it spends these coins, pays so many units to deposit addresses, and returns less than rest.
func (s *suite) spends(signed chains.Signed, coins []chains.Coin, rest int64, units map[uint32]int64) {
	s.Helper()
	start := s.head().Height
	before := s.held(s.coin(), start, s.Network.Hot)
	s.accepted(signed.Raw)
	s.Mine(s, 1)
	s.wantPaid(signed.Txid, units)
	var spent []string
	for _, x := range s.blocks(start+1, 1)[0].Spent {
		if x.Txid == signed.Txid {
			spent = append(spent, x.Coin)
		}
	}
	came := decimal.NewFromInt(rest).Sub(s.status(signed.Txid).Fee)
	for i, c := range coins {
		if i >= len(spent) || spent[i] != c.ID && (!s.Shuffled || !slices.Contains(spent, c.ID)) {
			s.Errorf("coins %v are spent, want %v", spent, coins)
		}
		if c.At == nil {
			came = came.Sub(c.Amount)
			continue
		}
		s.wantHeldAt(start, map[uint32]int64{c.At.Index: c.Amount.IntPart()})
		s.wantHeldAt(start+1, map[uint32]int64{c.At.Index: 0})
	}
	if got := s.held(s.coin(), start+1, s.Network.Hot).Sub(before); !got.Equal(came) {
		s.Errorf("%s came to the hot wallet, want %s", got, came)
	}
}

// wantHeldAt fails unless deposit addresses hold so many units at a height.
func (s *suite) wantHeldAt(height int64, units map[uint32]int64) {
	s.Helper()
	for index, want := range units {
		if got := s.held(s.coin(), height, s.derive(index)); !got.Equal(decimal.NewFromInt(want)) {
			s.Errorf("deposit address %d holds %s at %d, want %d", index, got, height, want)
		}
	}
}
