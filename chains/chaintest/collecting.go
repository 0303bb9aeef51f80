package chaintest

import (
	"errors"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// gas is the coin for a sweep of a token.
func (s *suite) gas() decimal.Decimal {
	if s.Gas.IsPositive() {
		return s.Gas
	}
	return decimal.NewFromInt(3)
}

// settles mines what is in the mempool. Where time alone excludes, balances are those of the final block.
func (s *suite) settles() {
	s.Helper()
	s.Mine(s, 1)
	if s.Network.Exclusion == chains.ByExpiry {
		s.mineUntilFinal(s.head().Height)
	}
}

// filled pays a deposit address and returns it as a wallet.
func (s *suite) filled(index uint32, paid map[Token]int64) *chains.Wallet {
	s.Helper()
	address := s.derive(index)
	for token, amount := range paid {
		s.Pay(s, Payment{Token: token.Symbol, To: address, Amount: decimal.NewFromInt(amount)})
	}
	s.settles()
	return &chains.Wallet{Address: s.Network.Addresser.Match(address), Index: index}
}

// keeps is the coin that stays at a deposit address.
func (s *suite) keeps() decimal.Decimal {
	s.Helper()
	if s.Network.Keeps == nil {
		return decimal.Zero
	}
	kept, err := s.Network.Keeps(s.ctx)
	s.check(err)
	return kept
}

// sweep is the spend of all that a deposit address holds of a token and need not keep.
func (s *suite) sweep(from *chains.Wallet, token Token, over ...[]byte) chains.Spend {
	s.Helper()
	held := s.held(token, s.head().Height, from.Address)
	if token == s.coin() {
		held = held.Sub(s.keeps())
	}
	return chains.Spend{From: from, Most: true, Over: over,
		Orders: []chains.Order{{To: s.Network.HotAddress(), Token: token.Symbol, Amount: held}}}
}

// collect signs a sweep for a number of its address.
func (s *suite) collect(spend chains.Spend, number uint64) chains.Signed {
	s.Helper()
	draft, err := s.Network.Sender.Prepare(s.ctx, spend)
	s.check(err)
	return s.sign(draft, chains.Slot{Number: number})
}

// nextOf returns a number for a spend of a deposit address: the chain's, where the chain counts.
func (s *suite) nextOf(w *chains.Wallet) uint64 {
	s.Helper()
	if s.Network.Exclusion != chains.ByNumber {
		s.numbers++
		return s.numbers
	}
	n, err := s.Network.Counter.NextNonce(s.ctx, w.Address)
	s.check(err)
	return n
}

// swept sends a sweep, mines it, and returns its transfer.
func (s *suite) swept(from *chains.Wallet, signed chains.Signed) found {
	s.Helper()
	s.accepted(signed.Raw)
	s.Mine(s, 1)
	s.wantState(signed.Txid, chains.TxMined)
	if s.Network.Exclusion == chains.ByNumber {
		s.wantOrigin(signed.Txid, chains.Origin{Txid: signed.Txid, From: from.Address, Nonce: int64(s.nextOf(from)) - 1})
	}
	all := slices.DeleteFunc(s.find(signed.Txid), func(f found) bool { return f.Beside })
	if len(all) != 1 || all[0].To != s.Network.Hot || s.Network.Addresser.Match(all[0].From) != from.Address {
		s.Fatalf("swept from %s to %s: %+v", from.Address, s.Network.Hot, all)
	}
	return all[0]
}

// wantHeld checks what an address holds by now.
func (s *suite) wantHeld(token Token, address string, want decimal.Decimal) {
	s.Helper()
	if got := s.held(token, s.head().Height, address); !got.Equal(want) {
		s.Errorf("%s holds %s %s, want %s", address, got, token.Symbol, want)
	}
}

func (s *suite) sweepsToken() {
	for i, token := range s.Tokens[1:] {
		from := s.filled(uint32(20+i), map[Token]int64{s.coin(): s.gas().IntPart(), token: 7})
		start := s.head().Height
		hot, coins := s.nonceIfAny(), s.held(s.coin(), start, from.Address)
		spend := s.sweep(from, token)
		draft, err := s.Network.Sender.Prepare(s.ctx, spend)
		s.check(err)
		if spare := draft.Spare(); !spare.Token.IsZero() || !spare.Coin.IsPositive() || spare.Coin.LessThan(coins) == s.Network.HotPays {
			s.Errorf("beside all of %s: %+v", token.Symbol, spare)
		}
		signed := s.sign(draft, chains.Slot{Number: s.nextOf(from)})
		if got := s.swept(from, signed); got.Token != token.Symbol || !got.Amount.Equal(decimal.NewFromInt(7)) {
			s.Errorf("7 %s were there, swept: %+v", token.Symbol, got)
		}
		s.wantHeld(token, from.Address, decimal.Zero)
		s.settles() // coin may come back
		left := coins.Add(s.beside(from.Address, start))
		if !s.Network.HotPays {
			left = left.Sub(s.status(signed.Txid).Fee)
		}
		s.wantHeld(s.coin(), from.Address, left)
		if now := s.nonceIfAny(); now != hot {
			s.Errorf("the hot wallet's number was %d and is %d", hot, now)
		}
	}
}

// beside is the coin that came to an address above a height beside payments, less what others' transactions took there.
func (s *suite) beside(address string, above int64) (sum decimal.Decimal) {
	s.Helper()
	for _, b := range s.blocks(above+1, 50) {
		for _, t := range b.Transfers {
			if t.Beside && t.To == address && t.Token == s.coin().Symbol {
				sum = sum.Add(t.Amount)
			}
		}
		for _, c := range b.Costs {
			if c.Address == address {
				sum = sum.Sub(c.Amount)
			}
		}
	}
	return sum
}

// nonceIfAny is the hot wallet's next number, 0 where the chain counts nothing.
func (s *suite) nonceIfAny() uint64 {
	s.Helper()
	if s.Network.Exclusion != chains.ByNumber {
		return 0
	}
	return s.nonce()
}

func (s *suite) sweepsCoin() {
	from := s.filled(30, map[Token]int64{s.coin(): 5})
	signed := s.collect(s.sweep(from, s.coin()), s.nextOf(from))
	want := decimal.NewFromInt(5).Sub(s.keeps()).Sub(signed.Fee)
	if got := s.swept(from, signed); got.Token != s.coin().Symbol || !got.Amount.Equal(want) {
		s.Errorf("swept %+v, want %s: 5 less the fee and what stays", got, want)
	}
	s.wantHeld(s.coin(), from.Address, s.keeps().Add(signed.Fee).Sub(s.status(signed.Txid).Fee))
	s.settles()
	if err := s.unprepared(chains.Spend{From: from, Most: true, Orders: []chains.Order{{
		To: s.Network.HotAddress(), Token: s.coin().Symbol, Amount: decimal.NewFromInt(5)}}}); !errors.Is(err, chains.ErrShort) {
		s.Errorf("5 once more: %v, want ErrShort", err)
	}
}

// unprepared is the error of a spend for a new slot.
func (s *suite) unprepared(spend chains.Spend) error {
	s.Helper()
	_, err := s.Network.Sender.Prepare(s.ctx, spend)
	return err
}

// wantShort checks that a spend is short of something, and returns how much is missing.
func (s *suite) wantShort(spend chains.Spend, of Token) decimal.Decimal {
	s.Helper()
	var short *chains.Short
	if err := s.unprepared(spend); !errors.As(err, &short) || !errors.Is(err, chains.ErrShort) || short.Token != of.Symbol || !short.Missing.IsPositive() {
		s.Fatalf("%+v: %v, want that %s is missing", spend, err, of.Symbol)
	}
	return short.Missing
}

// sweepsWithoutGas pays exactly the missing coin to an address with tokens alone. The sweep may then go, and needs no more.
func (s *suite) sweepsWithoutGas() {
	for i, token := range s.Tokens[1:] {
		from := s.filled(uint32(40+i), map[Token]int64{token: 7})
		spend, had := s.sweep(from, token), s.held(s.coin(), s.head().Height, from.Address)
		missing := s.wantShort(spend, s.coin())
		more := spend
		more.Orders = []chains.Order{spend.Orders[0]}
		more.Orders[0].Amount = decimal.NewFromInt(9)
		if short := s.wantShort(more, token); !short.Equal(decimal.NewFromInt(2)) {
			s.Errorf("9 of 7 %s: %s are missing", token.Symbol, short)
		}
		start := s.head().Height
		s.sent(chains.Order{To: s.derive(from.Index), Token: s.coin().Symbol, Amount: missing})
		s.settles()
		s.wantHeld(s.coin(), from.Address, had.Add(missing).Add(s.beside(from.Address, start)))
		signed := s.collect(spend, s.nextOf(from))
		if signed.Fee.GreaterThan(had.Add(missing)) {
			s.Errorf("%s were missing beside %s, and it may cost %s", missing, had, signed.Fee)
		}
		s.swept(from, signed)
	}
	nothing := s.filled(49, nil)
	s.wantShort(chains.Spend{From: nothing, Most: true, Orders: []chains.Order{{
		To: s.Network.HotAddress(), Token: s.coin().Symbol, Amount: decimal.NewFromInt(1)}}}, s.coin())
}

// replacesSweep replaces sweeps in the mempool: of all coin the dearer one moves less, of a token the same.
func (s *suite) replacesSweep() {
	for i, token := range s.Tokens {
		from := s.filled(uint32(50+i), map[Token]int64{s.coin(): 5, token: 5})
		spend, number := s.sweep(from, token), s.nextOf(from)
		first := s.collect(spend, number)
		s.accepted(first.Raw)
		s.outlast(first)
		spend.Over = [][]byte{first.Raw}
		second := s.collect(spend, number)
		if !second.Fee.GreaterThan(first.Fee) {
			s.Errorf("the fee was %s and is %s", first.Fee, second.Fee)
		}
		want := spend.Orders[0].Amount
		if token == s.coin() {
			want = want.Sub(second.Fee)
		}
		if got := s.swept(from, second); !got.Amount.Equal(want) {
			s.Errorf("swept %+v, want %s", got, want)
		}
		if all := s.find(first.Txid); len(all) != 0 {
			s.Errorf("both were mined: %+v", all)
		}
	}
	s.givesUpSweep()
}

// sweepExpires lets the time of signed sweeps pass. The same slots are then signed again, and move all.
func (s *suite) sweepExpires() {
	for i, token := range s.Tokens {
		from := s.filled(uint32(50+i), map[Token]int64{s.coin(): s.gas().IntPart(), token: 5})
		if token == s.coin() {
			from = s.filled(uint32(50+i), map[Token]int64{token: 5})
		}
		spend, number := s.sweep(from, token), s.nextOf(from)
		first := s.collect(spend, number)
		if most := s.head().Clock + s.Network.Expiry; *first.Until > most {
			s.Errorf("valid until %d, want %d at most", *first.Until, most)
		}
		over := spend
		over.Over = [][]byte{first.Raw}
		if err := s.unprepared(over); err == nil || errors.Is(err, chains.ErrUnpayable) || errors.Is(err, chains.ErrShort) {
			s.Errorf("a sweep over another: %v", err)
		}
		for range patience {
			if s.head().Clock > *first.Until {
				break
			}
			s.Mine(s, 1)
		}
		s.refused(first.Raw, chains.Expired, "its time is over")
		second := s.collect(spend, number)
		if second.Txid == first.Txid {
			s.Fatal("signed again, and not for another time")
		}
		s.swept(from, second)
		s.never(first.Txid)
	}
}

// sweepsInBlocks looks for the transactions of deposit addresses. They are not the hot wallet's.
func (s *suite) sweepsInBlocks() {
	one, two := s.filled(70, map[Token]int64{s.coin(): 5}), s.filled(71, map[Token]int64{s.coin(): 5})
	of := map[*chains.Wallet]chains.Signed{}
	for _, from := range []*chains.Wallet{one, two} {
		of[from] = s.collect(s.sweep(from, s.coin()), s.nextOf(from))
		s.swept(from, of[from])
	}
	s.wantSent(s.Network.Hot)
	s.wantSent(one.Address, []string{of[one].Txid})
	s.wantSent(two.Address, []string{of[two].Txid})
}

// givesUpSweep replaces a sweep by a transaction that moves nothing.
func (s *suite) givesUpSweep() {
	from := s.filled(58, map[Token]int64{s.coin(): 5})
	number := s.nextOf(from)
	first := s.collect(s.sweep(from, s.coin()), number)
	s.accepted(first.Raw)
	s.outlast(first)
	second := s.collect(chains.Spend{From: from, Over: [][]byte{first.Raw}}, number)
	s.accepted(second.Raw)
	s.Mine(s, 1)
	s.wantState(second.Txid, chains.TxMined)
	s.wantHeld(s.coin(), from.Address, decimal.NewFromInt(5).Sub(s.status(second.Txid).Fee))
}

// sweepsItsOwn checks that an address is only spent from by its index, that no wallet pays itself, and that a replacement is of
// the same wallet.
func (s *suite) sweepsItsOwn() {
	from := s.filled(60, map[Token]int64{s.coin(): 5})
	other := s.filled(61, map[Token]int64{s.coin(): 5})
	wrong := s.sweep(from, s.coin())
	wrong.From = &chains.Wallet{Address: from.Address, Index: other.Index}
	if err := s.unprepared(wrong); err == nil || errors.Is(err, chains.ErrShort) {
		s.Errorf("address 60 as index 61: %v, want a refusal", err)
	}
	itself := s.sweep(from, s.coin())
	itself.Orders[0].To = s.derive(from.Index)
	if err := s.unprepared(itself); !errors.Is(err, chains.ErrUnpayable) {
		s.Errorf("a sweep to itself: %v, want ErrUnpayable", err)
	}
	signed := s.collect(s.sweep(other, s.coin()), s.nextOf(other))
	if err := s.unprepared(s.sweep(from, s.coin(), signed.Raw)); err == nil {
		s.Error("a sweep of one address over that of another: no error")
	}
	if err := s.unprepared(chains.Spend{Over: [][]byte{signed.Raw}}); err == nil {
		s.Error("the hot wallet over a sweep of an address: no error")
	}
}
