package chaintest

import (
	"errors"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

func (s *suite) addresses() {
	seen := map[string]bool{}
	for index := range uint32(10) {
		address := s.derive(index)
		canonical, err := s.Network.Addresser.Validate(address)
		if err != nil || canonical != address {
			s.Fatalf("our address %s validates as %q, %v", address, canonical, err)
		}
		match := s.Network.Addresser.Match(address)
		if match == "" || seen[match] {
			s.Fatalf("address %d matches as %q, like another or like nothing", index, match)
		}
		if again := s.Network.Addresser.Match(match); again != match {
			s.Errorf("%s matches as %s, which matches as %s", address, match, again)
		}
		if again := s.derive(index); again != address {
			s.Errorf("address %d is %s and then %s", index, address, again)
		}
		seen[match] = true
	}
	if hot := s.Network.Hot; hot == "" || seen[hot] || s.Network.Addresser.Match(hot) != hot {
		s.Errorf("hot wallet %q: not an address of its own in the spelling of Match", hot)
	}
	for _, wrong := range []string{"", " ", s.Foreign, s.derive(0) + "0", "'; drop table payouts; --"} {
		if _, err := s.Network.Addresser.Validate(wrong); !errors.Is(err, chains.ErrFormat) {
			s.Errorf("address %q: %v, want ErrFormat", wrong, err)
		}
	}
}

func (s *suite) payout() {
	signed, slot := s.fresh(s.order(s.coin(), 2))
	s.wantState(signed.Txid, chains.TxMissing)
	s.accepted(signed.Raw)
	s.accepted(signed.Raw)
	s.wantState(signed.Txid, s.waiting())
	if s.Network.Exclusion == chains.ByNumber && s.nonce() <= slot.Number {
		s.Errorf("nonce %d is in the mempool, and the next one is %d", slot.Number, s.nonce())
	}
	s.Mine(s, 1)
	mined := s.wantState(signed.Txid, chains.TxMined)
	if mined.Final != (s.Reorg == nil) || mined.Height != s.head().Height || mined.Block != s.hash(mined.Height) {
		s.Errorf("just mined in block %d: %+v", s.head().Height, mined)
	}
	if !mined.Fee.IsPositive() || mined.Fee.GreaterThan(signed.Fee) {
		s.Errorf("it cost %s, and at most %s was signed", mined.Fee, signed.Fee)
	}
	s.accepted(signed.Raw)
	for s.head().Final < mined.Height {
		if early := s.status(signed.Txid); early.Final {
			s.Fatalf("final in block %d while the head is %+v", early.Height, s.head())
		}
		if s.head().Height > mined.Height+patience {
			s.Fatalf("block %d is not final after %d more", mined.Height, patience)
		}
		s.Mine(s, 1)
	}
	if final := s.wantState(signed.Txid, chains.TxMined); !final.Final || final.Height != mined.Height {
		s.Errorf("after its block became final: %+v", final)
	}
	if got := s.one(signed.Txid); !got.Amount.Equal(decimal.NewFromInt(2)) {
		s.Errorf("2 were sent, %s arrived", got.Amount)
	}
}

// waiting is the state of a transaction that was accepted, and is in no block.
func (s *suite) waiting() chains.TxState {
	if s.Unseen {
		return chains.TxMissing
	}
	return chains.TxPending
}

func (s *suite) exact() {
	for _, token := range s.Tokens {
		order := s.order(token, 4)
		order.Amount = order.Amount.Add(decimal.New(1, -token.Decimals))
		txid := s.sent(order).Txid
		s.Mine(s, 1)
		got := s.one(txid)
		if got.Token != token.Symbol || !got.Amount.Equal(order.Amount) || got.To != s.Network.Addresser.Match(order.To) || got.Memo != order.Memo {
			s.Errorf("%+v was ordered, %+v is on the chain", order, got)
		}
		if from := s.Network.Addresser.Match(got.From); from != s.Network.Hot && (s.Network.Exclusion != chains.ByCoins || from != "") {
			s.Errorf("it came from %s, not from the hot wallet", got.From)
		}
	}
}

func (s *suite) again() {
	signed := s.sent(s.order(s.coin(), 3))
	s.Mine(s, 1)
	s.wantState(signed.Txid, chains.TxMined)
	s.Reorg(s, 1, signed.Txid)
	s.wantState(signed.Txid, chains.TxMissing)
	s.accepted(signed.Raw)
	s.wantState(signed.Txid, chains.TxPending)
	s.Mine(s, 1)
	s.wantState(signed.Txid, chains.TxMined)
	s.one(signed.Txid)
}

func (s *suite) unknown() {
	never, _ := s.fresh(s.order(s.coin(), 1))
	sent := s.sent(s.order(s.coin(), 2))
	all, err := s.Network.Watcher.Status(s.ctx, []string{never.Txid, sent.Txid})
	s.check(err)
	if all[never.Txid].State != chains.TxMissing || all[sent.Txid].State != s.waiting() {
		s.Errorf("never sent: %+v, sent: %+v", all[never.Txid], all[sent.Txid])
	}
	if _, err := s.Network.Watcher.Status(s.ctx, nil); err != nil {
		s.Errorf("the status of nothing: %v", err)
	}
}

func (s *suite) nonces() {
	top := s.head().Height
	first, slot := s.fresh(s.order(s.coin(), 2))
	second := s.sign(s.prepare(s.order(s.coin(), 3)), slot)
	nonce := slot.Number
	if first.Txid == second.Txid {
		s.Fatal("two different orders have one txid")
	}
	s.accepted(first.Raw)
	for _, when := range []string{"while it is in the mempool", "after it is mined"} {
		if outcome, _ := s.Network.Sender.Broadcast(s.ctx, second.Raw); outcome == chains.Accepted {
			s.Errorf("a nonce was taken twice %s", when)
		}
		s.wantOrigin(first.Txid, chains.Origin{Txid: first.Txid, From: s.Network.Hot, Nonce: int64(nonce)})
		s.wantOrigin(second.Txid, chains.Origin{})
		s.Mine(s, 1)
	}
	s.wantNonceAt(top, nonce)
	s.wantNonceAt(top+1, nonce+1)
	s.one(first.Txid)
	if all := s.find(second.Txid); len(all) != 0 {
		s.Errorf("a nonce was spent twice: %+v", all)
	}
	if got := s.status(second.Txid); got.State != chains.TxMissing && got.State != chains.TxRejected {
		s.Errorf("the second one of a nonce is %s", state(got.State))
	}
}

func (s *suite) bump() {
	order := s.order(s.coin(), 2)
	first, slot := s.fresh(order)
	s.accepted(first.Raw)
	s.outlast(first)
	second := s.replaced(slot, [][]byte{first.Raw}, order)
	if !second.Fee.GreaterThan(first.Fee) {
		s.Errorf("the fee was %s and is %s", first.Fee, second.Fee)
	}
	s.accepted(second.Raw)
	s.Mine(s, 2)
	s.one(second.Txid)
	if all := s.find(first.Txid); len(all) != 0 {
		s.Errorf("both were mined: %+v", all)
	}
	s.wantState(second.Txid, chains.TxMined)
	if got := s.status(first.Txid); got.State == chains.TxMined || got.State == chains.TxPending {
		s.Errorf("the replaced one is %s", state(got.State))
	}
}

// outlast waits for the end of a transaction, where nothing replaces it before.
func (s *suite) outlast(signed chains.Signed) {
	s.Helper()
	if s.Outlast == nil {
		return
	}
	s.Outlast(s)
	s.refused(signed.Raw, chains.Expired, "its time is over")
	s.wantState(signed.Txid, chains.TxMissing)
}

func (s *suite) cancel() {
	first, slot := s.fresh(s.order(s.coin(), 2))
	s.accepted(first.Raw)
	s.outlast(first)
	second := s.replaced(slot, [][]byte{first.Raw})
	s.accepted(second.Raw)
	s.Mine(s, 2)
	s.wantState(second.Txid, chains.TxMined)
	if all := s.find(first.Txid); len(all) != 0 {
		s.Errorf("cancelled and mined: %+v", all)
	}
	for _, b := range s.recent() {
		if slices.ContainsFunc(b.Transfers, func(t chains.Transfer) bool { return t.Txid == second.Txid && t.To != s.Network.Hot }) {
			s.Errorf("the cancelling transaction pays somebody: %+v", b.Transfers)
		}
	}
}

// refusal is the error of an order for a new slot, of Choose too: it alone may know that the coins are too little.
func (s *suite) refusal(o chains.Order) error {
	s.Helper()
	d, err := s.Network.Sender.Prepare(s.ctx, chains.Spend{Orders: []chains.Order{o}})
	if chooser, ok := d.(chains.Chooser); ok && err == nil {
		_, err = chooser.Choose(s.unspent(s.head().Height))
	}
	return err
}

func (s *suite) refusals() {
	fine := s.order(s.coin(), 1)
	for _, c := range []struct {
		name   string
		change func(*chains.Order)
		want   error
	}{
		{"more than is held", func(o *chains.Order) { o.Amount = decimal.New(1, 15) }, chains.ErrShort},
		{"an address of another network", func(o *chains.Order) { o.To = s.Foreign }, chains.ErrUnpayable},
		{"an unknown token", func(o *chains.Order) { o.Token = "NOSUCH" }, chains.ErrUnpayable},
		{"nothing", func(o *chains.Order) { o.Amount = decimal.Zero }, chains.ErrUnpayable},
		{"less than nothing", func(o *chains.Order) { o.Amount = decimal.NewFromInt(-1) }, chains.ErrUnpayable},
		{"half of the smallest unit", func(o *chains.Order) { o.Amount = decimal.New(5, -s.coin().Decimals-1) }, chains.ErrUnpayable},
	} {
		order := fine
		c.change(&order)
		if err := s.refusal(order); !errors.Is(err, c.want) {
			s.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	many := slices.Repeat([]chains.Order{fine}, max(s.Network.Batch, 1)+1)
	if _, err := s.Network.Sender.Prepare(s.ctx, chains.Spend{Orders: many}); err == nil {
		s.Errorf("%d orders in a transaction of at most %d", len(many), s.Network.Batch)
	}
	if outcome, reason := s.Network.Sender.Broadcast(s.ctx, []byte("no transaction")); outcome == chains.Accepted || reason == "" {
		s.Errorf("garbage: outcome %d, reason %q", outcome, reason)
	}
}

func (s *suite) holdings() {
	for _, token := range s.Tokens {
		one, two := s.derive(101), s.derive(102)
		start := s.head().Height
		s.Pay(s, Payment{Token: token.Symbol, To: one, Amount: decimal.NewFromInt(5)})
		s.Mine(s, 1)
		s.Pay(s, Payment{Token: token.Symbol, To: two, Amount: decimal.NewFromInt(7)})
		s.Mine(s, 1)
		for _, c := range []struct {
			addresses []string
			height    int64
			want      int64
		}{
			{[]string{one, two}, start, 0}, {[]string{one, two}, start + 1, 5}, {[]string{one, two}, start + 2, 12},
			{[]string{one}, start + 2, 5}, {[]string{two}, start + 2, 7}, {nil, start + 2, 0},
		} {
			if got := s.held(token, c.height, c.addresses...); !got.Equal(decimal.NewFromInt(c.want)) {
				s.Errorf("%s at block %d: %s %s, want %d", c.addresses, c.height, got, token.Symbol, c.want)
			}
		}
	}
	s.outgoing()
}

// outgoing checks that the hot wallet loses exactly the amount and the fee, and only once it is mined.
func (s *suite) outgoing() {
	start := s.head().Height
	before := s.held(s.coin(), start, s.Network.Hot)
	signed := s.sent(s.order(s.coin(), 9))
	if got := s.held(s.coin(), start, s.Network.Hot); !got.Equal(before) {
		s.Errorf("the hot wallet held %s and, before anything was mined, %s", before, got)
	}
	s.Mine(s, 1)
	want := before.Sub(decimal.NewFromInt(9)).Sub(s.status(signed.Txid).Fee)
	if got := s.held(s.coin(), start+1, s.Network.Hot); !got.Equal(want) {
		s.Errorf("after 9 and the fee left the hot wallet holds %s, want %s", got, want)
	}
}

func (s *suite) held(token Token, height int64, addresses ...string) decimal.Decimal {
	s.Helper()
	held, err := s.Network.Holder.Holdings(s.ctx, token.Symbol, addresses, height)
	s.check(err)
	return decimal.Sum(decimal.Zero, held...)
}
