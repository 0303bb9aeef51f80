package chaintest

import (
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// refused sends raw bytes, and fails if the network takes them or answers otherwise.
func (s *suite) refused(raw []byte, want chains.Outcome, when string) {
	s.Helper()
	if got, reason := s.Network.Sender.Broadcast(s.ctx, raw); got != want || reason == "" {
		s.Errorf("%s: outcome %d (%q), want %d", when, got, reason, want)
	}
}

// never fails if a transaction is in a block or in the mempool.
func (s *suite) never(txid string) {
	s.Helper()
	if all := s.find(txid); len(all) != 0 {
		s.Errorf("%s is in a block: %+v", txid, all)
	}
	if got := s.status(txid); got.State != chains.TxMissing && got.State != chains.TxRejected {
		s.Errorf("%s is %s", txid, state(got.State))
	}
}

func (s *suite) coinOnce() {
	first, slot := s.fresh(s.order(s.coin(), 2))
	second := s.sign(s.prepare(s.order(s.coin(), 3)), slot)
	if first.Txid == second.Txid {
		s.Fatal("two different orders have one txid")
	}
	s.accepted(first.Raw)
	if s.Keeps {
		s.refused(second.Raw, chains.SlotTaken, "its coin is spent in the mempool, and nothing is replaced")
	} else {
		s.refused(second.Raw, chains.Underpriced, "its coin is spent in the mempool, for no lower fee")
	}
	s.Mine(s, 1)
	s.refused(second.Raw, chains.SlotTaken, "its coin is spent in a block")
	s.Mine(s, 1)
	s.one(first.Txid)
	s.never(second.Txid)
}

// to is an order of the coin to a deposit address.
func (s *suite) to(index uint32, units int64) chains.Order {
	s.Helper()
	o := s.order(s.coin(), units)
	o.To = s.derive(index)
	return o
}

// paid is what arrived by a transaction at deposit addresses, by their spelling.
func (s *suite) paid(txid string) map[string]decimal.Decimal {
	s.Helper()
	out := map[string]decimal.Decimal{}
	for _, f := range s.find(txid) {
		if f.To != s.Network.Hot {
			out[f.To] = out[f.To].Add(f.Amount)
		}
	}
	return out
}

// wantPaid fails unless a transaction pays so many units to these deposit addresses, and nothing else.
func (s *suite) wantPaid(txid string, units map[uint32]int64) {
	s.Helper()
	got := s.paid(txid)
	for index, want := range units {
		if to := s.Network.Addresser.Match(s.derive(index)); !got[to].Equal(decimal.NewFromInt(want)) {
			s.Errorf("%d were sent to address %d, and %s arrived", want, index, got[to])
		}
	}
	if len(got) != len(units) {
		s.Errorf("%d were paid: %v", len(got), got)
	}
}

func (s *suite) batch() {
	start := s.head().Height
	before := s.held(s.coin(), start, s.Network.Hot)
	txid := s.sent(s.to(7, 2), s.to(8, 3)).Txid
	s.Mine(s, 1)
	s.wantPaid(txid, map[uint32]int64{7: 2, 8: 3})
	for i, f := range s.find(txid)[:2] {
		if s.Shuffled {
			break
		}
		if f.Position != i || f.To != s.Network.Addresser.Match(s.derive(uint32(7+i))) {
			s.Errorf("order %d is at %d: %+v", i, f.Position, f)
		}
	}
	want := before.Sub(decimal.NewFromInt(5)).Sub(s.status(txid).Fee)
	if got := s.held(s.coin(), start+1, s.Network.Hot); !got.Equal(want) {
		s.Errorf("after 2 and 3 and one fee the hot wallet holds %s, want %s", got, want)
	}
}

func (s *suite) dropsPayee() {
	first, slot := s.fresh(s.to(7, 2), s.to(8, 3))
	s.accepted(first.Raw)
	second := s.replaced(slot, [][]byte{first.Raw}, s.to(8, 3))
	s.accepted(second.Raw)
	s.Mine(s, 2)
	s.wantPaid(second.Txid, map[uint32]int64{8: 3})
	s.never(first.Txid)
	s.refused(first.Raw, chains.SlotTaken, "it was replaced, and that is in a block")
}

// keepsFirst has a dearer transaction of a coin wait until the first one is gone.
func (s *suite) keepsFirst() {
	first, slot := s.fresh(s.to(7, 2), s.to(8, 3))
	if !s.Refuses {
		s.accepted(first.Raw)
	}
	second := s.replaced(slot, [][]byte{first.Raw}, s.to(8, 3))
	if s.Refuses {
		s.accepted(first.Raw)
	}
	s.refused(second.Raw, chains.SlotTaken, "the first one is in the mempool")
	s.Mine(s, 1)
	s.refused(second.Raw, chains.SlotTaken, "the first one is in a block")
	s.Reorg(s, 1, first.Txid)
	s.accepted(second.Raw)
	s.Mine(s, 1)
	s.wantPaid(second.Txid, map[uint32]int64{8: 3})
	s.never(first.Txid)
}

// coins checks that the coins of a payout are spent in its block, and that its change is new ones.
func (s *suite) coins() {
	start := s.head().Height
	before := s.unspent(start)
	signed, slot := s.fresh(s.to(7, 2), s.to(8, 3))
	s.accepted(signed.Raw)
	s.wantUnspent(before)
	s.Mine(s, 1)
	var spent []string
	for _, x := range s.blocks(start+1, 1)[0].Spent {
		if x.Txid == signed.Txid {
			spent = append(spent, x.Coin)
		}
	}
	ids := make([]string, len(slot.Coins))
	for i, c := range slot.Coins {
		ids[i] = c.ID
	}
	if s.Shuffled {
		slices.Sort(spent)
		slices.Sort(ids)
	}
	if !slices.Equal(spent, ids) {
		s.Errorf("coins %v are spent, want %v", spent, ids)
	}
	after := slices.DeleteFunc(slices.Clone(before), func(c chains.Coin) bool { return slices.Contains(ids, c.ID) })
	for _, f := range s.find(signed.Txid) {
		if f.To == s.Network.Hot {
			after = append(after, chains.Coin{ID: chains.CoinID(f.Txid, f.Position), Token: f.Token, Amount: f.Amount})
		}
	}
	s.wantUnspent(after)
	s.Reorg(s, 1, signed.Txid)
	s.wantUnspent(before)
}

// wantUnspent fails unless these are the coins in blocks now, in any order, and together the balance.
func (s *suite) wantUnspent(want []chains.Coin) {
	s.Helper()
	height, sum := s.head().Height, decimal.Zero
	got := s.unspent(height)
	for _, c := range got {
		if c.Token == s.coin().Symbol {
			sum = sum.Add(c.Amount)
		}
		if !slices.ContainsFunc(want, func(w chains.Coin) bool { return w.ID == c.ID && w.Token == c.Token && w.Amount.Equal(c.Amount) }) {
			s.Errorf("coin %+v at %d is none of %+v", c, height, want)
		}
	}
	if held := s.held(s.coin(), height, s.Network.Hot); len(got) != len(want) || !sum.Equal(held) {
		s.Errorf("%d coins of %s at %d, want %d of %s", len(got), sum, height, len(want), held)
	}
}

// spentElsewhere has a signer with other books spend a coin of ours.
func (s *suite) spentElsewhere() {
	first, slot := s.fresh(s.order(s.coin(), 2))
	other := s.sign(s.prepare(s.to(9, 4)), chains.Slot{Number: slot.Number + 1000, Coins: slot.Coins})
	s.accepted(other.Raw)
	s.Mine(s, 1)
	s.refused(first.Raw, chains.SlotTaken, "its coin is spent elsewhere")
	if !s.Refuses {
		bumped := s.replaced(slot, [][]byte{first.Raw}, s.order(s.coin(), 2))
		s.refused(bumped.Raw, chains.SlotTaken, "the same for a higher fee")
		s.never(bumped.Txid)
	}
	block := s.blocks(s.head().Height, 1)[0]
	if want := (chains.Spending{Coin: slot.Coins[0].ID, Txid: other.Txid}); !slices.Contains(block.Spent, want) {
		s.Errorf("block %d spends %+v, and not %+v", block.Height, block.Spent, want)
	}
	s.never(first.Txid)
}

// ripen mines until all coins may be spent.
func (s *suite) ripen() {
	s.Helper()
	if s.Ripe > 0 {
		s.Mine(s, s.Ripe)
	}
}
