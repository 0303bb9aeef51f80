package chaintest

import (
	"errors"
	"slices"

	"causeway/chains"
)

// expires lets the time of signed bytes pass. The same slot is then signed again.
func (s *suite) expires() {
	order := s.order(s.coin(), 2)
	first, slot := s.fresh(order)
	if most := s.head().Clock + s.Network.Expiry; *first.Until > most {
		s.Errorf("valid until %d, want %d at most", *first.Until, most)
	}
	if other := s.sign(s.prepare(order), chains.Slot{Number: slot.Number + 1}); other.Txid == first.Txid {
		s.Error("equal orders of two slots have one txid")
	}
	for range patience {
		if s.head().Clock > *first.Until {
			break
		}
		s.Mine(s, 1)
	}
	s.refused(first.Raw, chains.Expired, "its time is over")
	second := s.sign(s.prepare(order), slot)
	if second.Txid == first.Txid {
		s.Fatal("signed again, and not for another time")
	}
	s.accepted(second.Raw)
	s.Mine(s, 2)
	s.one(second.Txid)
	s.refused(first.Raw, chains.Expired, "the slot was signed again")
	s.never(first.Txid)
}

func (s *suite) irreplaceable() {
	order := s.order(s.coin(), 2)
	first, _ := s.fresh(order)
	s.accepted(first.Raw)
	for _, orders := range [][]chains.Order{{order}, nil} {
		_, err := s.Network.Sender.Prepare(s.ctx, chains.Spend{Orders: orders, Over: [][]byte{first.Raw}})
		if err == nil || errors.Is(err, chains.ErrUnpayable) || errors.Is(err, chains.ErrShort) {
			s.Errorf("%d orders over earlier bytes: %v", len(orders), err)
		}
	}
	s.Mine(s, 1)
	s.one(first.Txid)
}

// sentInBlocks looks for each transaction of the hot wallet.
func (s *suite) sentInBlocks() {
	s.Pay(s, Payment{Token: s.coin().Symbol, To: s.Network.HotAddress(), Amount: s.order(s.coin(), 1).Amount})
	one, nothing := s.sent(s.order(s.coin(), 2)), s.sent()
	s.Mine(s, 1)
	two := s.sent(s.order(s.coin(), 3))
	s.Mine(s, 1)
	s.wantSent(s.Network.Hot, []string{one.Txid, nothing.Txid}, []string{two.Txid})
	if s.Reorg != nil {
		s.Reorg(s, 2, two.Txid)
		s.wantSent(s.Network.Hot, []string{one.Txid, nothing.Txid})
	}
}

// wantSent fails unless the blocks with transactions of an address have exactly these, and no other block has any of the address.
func (s *suite) wantSent(from string, want ...[]string) {
	s.Helper()
	var got [][]string
	for _, b := range s.recent() {
		var txids []string
		for _, x := range b.Sent {
			if x.From == from {
				txids = append(txids, x.Txid)
			}
		}
		if len(txids) > 0 {
			got = append(got, slices.Sorted(slices.Values(txids)))
		}
	}
	for _, txids := range want {
		slices.Sort(txids)
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		s.Errorf("%v were sent by the blocks, want %v", got, want)
	}
}

func (s *suite) clock() {
	before := s.head()
	for i := range 3 * patience / 10 {
		if i%10 == 9 && s.Reorg != nil {
			s.Reorg(s, 1)
		} else {
			s.Mine(s, 1)
		}
		now := s.head()
		if now.Clock < before.Clock {
			s.Fatalf("the clock went from %d to %d", before.Clock, now.Clock)
		}
		before = now
	}
	if before.Clock == 0 {
		s.Error("the clock stands still")
	}
}
