package chaintest

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

func (s *suite) heads() {
	s.Mine(s, 2)
	before := s.head()
	s.Mine(s, 3)
	after := s.headAfter(before.Height)
	s.headAfter(after.Height + 1) // no node has this one
	if after.Height != before.Height+3 || after.Credit < before.Credit || after.Final < before.Final {
		s.Fatalf("three blocks after %+v the head is %+v", before, after)
	}
	newest, err := s.Network.Scanner.Blocks(s.ctx, after.Height, 1)
	if err != nil || len(newest) != 1 || after.Time.IsZero() || !after.Time.Equal(newest[0].Time) {
		s.Errorf("the head is of %v, and its block %+v, %v", after.Time, newest, err)
	}
	if s.hash(after.Height) == "" {
		s.Error("the newest block has no hash")
	}
	if hash := s.hash(after.Height + 1); hash != "" {
		s.Errorf("the block above the head has hash %s", hash)
	}
	blocks, err := s.Network.Scanner.Blocks(s.ctx, after.Height+1, 10)
	if err != nil || len(blocks) != 0 {
		s.Errorf("blocks above the head: %v, %v", blocks, err)
	}
}

func (s *suite) links() {
	s.Mine(s, 7)
	whole, paged := s.blocks(1, 100), s.blocks(1, 2)
	if len(whole) != len(paged) {
		s.Fatalf("%d blocks at once, %d in pages", len(whole), len(paged))
	}
	seen := map[string]bool{}
	for i, b := range whole {
		if b.Hash != paged[i].Hash || b.Hash != s.hash(b.Height) {
			s.Errorf("block %d has several hashes", b.Height)
		}
		if b.Hash == "" || seen[b.Hash] || b.Hash == b.Parent {
			s.Errorf("hash %q of block %d is not its own", b.Hash, b.Height)
		}
		if b.Time.IsZero() || i > 0 && b.Time.Before(whole[i-1].Time) {
			s.Errorf("block %d is from %v, the one before from %v", b.Height, b.Time, whole[max(i-1, 0)].Time)
		}
		seen[b.Hash] = true
	}
}

func (s *suite) finality() {
	s.Mine(s, 1)
	height := s.head().Height
	if s.head().Final >= height {
		s.Fatal("the newest block is final at once, and yet can be reorganised")
	}
	hash := s.hash(height)
	s.mineUntilFinal(height)
	if got := s.hash(height); got != hash {
		s.Errorf("block %d was %s and is %s", height, hash, got)
	}
}

// finalAtOnce checks that every block is final, and that hashes are told below a block of the chain alone.
func (s *suite) finalAtOnce() {
	s.Mine(s, 3)
	if h := s.head(); h.Final != h.Height || h.Credit != h.Height {
		s.Fatalf("no block here can be undone, and the head is %+v", h)
	}
	all := s.blocks(1, 50)
	s.linked(all, chains.Block{Height: all[len(all)-1].Height, Hash: all[0].Hash})
}

func (s *suite) transfers() {
	type sending struct {
		Payment
		txid string
	}
	var all []sending
	for i, token := range s.Tokens {
		smallest := decimal.New(1, -token.Decimals)
		for j, amount := range []decimal.Decimal{decimal.NewFromInt(3).Add(smallest), decimal.NewFromInt(2), decimal.NewFromInt(1).Sub(smallest)} {
			p := Payment{Token: token.Symbol, To: s.derive(uint32(10*i + j%2)), Amount: amount}
			all = append(all, sending{p, s.Pay(s, p)})
		}
	}
	if s.Network.Mempool != nil {
		pending, err := s.Network.Mempool.Pending(s.ctx)
		s.check(err)
		for _, p := range all {
			if !slices.ContainsFunc(pending.Transfers, func(t chains.Transfer) bool { return s.same(t, p.Payment, p.txid) }) {
				s.Errorf("%s is not in the mempool: %+v", p.txid, pending)
			}
		}
	}
	s.Mine(s, 2)
	for _, p := range all {
		if got := s.one(p.txid); !s.same(got.Transfer, p.Payment, p.txid) {
			s.Errorf("%+v was paid, %+v is on the chain", p, got)
		}
	}
	if s.Network.Mempool != nil {
		pending, err := s.Network.Mempool.Pending(s.ctx)
		if err != nil || len(pending.Transfers)+len(pending.Spent) != 0 {
			s.Errorf("the mempool after the block: %v, %v", pending, err)
		}
	}
}

func (s *suite) same(t chains.Transfer, p Payment, txid string) bool {
	return t.Txid == txid && t.Token == p.Token && (s.Shuffled || t.Position == 0) && t.Memo == p.Memo &&
		t.To == s.Network.Addresser.Match(p.To) && t.Amount.Equal(p.Amount)
}

func (s *suite) memos() {
	memo := ""
	if s.Network.Memo {
		memo = "87654321"
	}
	txid := s.Pay(s, Payment{Token: s.coin().Symbol, To: s.derive(0), Memo: memo, Amount: decimal.NewFromInt(1)})
	s.Mine(s, 1)
	if got := s.one(txid); got.Memo != memo {
		s.Errorf("memo %q was sent, %q arrived", memo, got.Memo)
	}
}

func (s *suite) reorganised() {
	s.Mine(s, 1)
	kept := s.head().Height
	var txids []string
	for i, token := range s.Tokens {
		txids = append(txids, s.Pay(s, Payment{Token: token.Symbol, To: s.derive(uint32(i)), Amount: decimal.NewFromInt(5)}))
	}
	s.Mine(s, 2)
	before := s.blocks(1, 50)
	var was []found
	for _, txid := range txids {
		was = append(was, s.one(txid))
	}
	s.Reorg(s, 2)
	s.headAfter(kept + 1)
	after := s.blocks(1, 50)
	if len(after) <= len(before) {
		s.Fatalf("the chain had %d blocks and has %d: nobody would follow it", len(before), len(after))
	}
	for i, b := range before {
		if same := b.Hash == after[i].Hash; same != (b.Height <= kept) {
			s.Errorf("block %d (kept up to %d): same hash %v", b.Height, kept, same)
		}
	}
	s.linked(after, before[len(before)-1])
	for i, txid := range txids {
		now := s.one(txid)
		if now.Token != was[i].Token || now.Position != was[i].Position || now.To != was[i].To || !now.Amount.Equal(was[i].Amount) {
			s.Errorf("the transfer was %+v and is %+v", was[i], now)
		}
	}
}

// linked checks the hashes of the blocks below the highest, and below one that is not in the chain.
func (s *suite) linked(all []chains.Block, left chains.Block) {
	s.Helper()
	top := all[len(all)-1]
	for _, b := range all {
		if hash := s.below(top, b.Height); hash != b.Hash {
			s.Errorf("below %s, block %d is %q and not %q", top.Hash, b.Height, hash, b.Hash)
		}
	}
	if hash := s.below(left, 1); hash != "" {
		s.Errorf("block 1 is %q below %s, which is not in the chain", hash, left.Hash)
	}
	if hash := s.below(all[0], 2); hash != "" {
		s.Errorf("block 2 is %q below the first", hash)
	}
}

func (s *suite) dropped() {
	pay := func(index uint32) string {
		return s.Pay(s, Payment{Token: s.coin().Symbol, To: s.derive(index), Amount: decimal.NewFromInt(2)})
	}
	gone, stays := pay(1), pay(2)
	s.Mine(s, 1)
	s.one(gone)
	s.Reorg(s, 1, gone)
	if all := s.find(gone); len(all) != 0 {
		s.Errorf("dropped and still there: %+v", all)
	}
	s.one(stays)
	s.wantState(gone, chains.TxMissing)
	s.wantState(stays, chains.TxMined)
	s.Mine(s, 2)
	if all := s.find(gone); len(all) != 0 {
		s.Errorf("dropped and mined again: %+v", all)
	}
}

// uris holds the payment URI to the address, and a text that is none to the address alone or a word before it.
func (s *suite) uris() {
	if s.Network.URI == nil {
		s.Fatal("the network writes no URI")
	}
	for _, token := range s.Tokens {
		p := chains.Payment{To: s.derive(3), Token: chains.Token{Symbol: token.Symbol, Decimals: int(token.Decimals)}, Amount: decimal.NewFromInt(3)}
		if token != s.coin() {
			p.Token.Contract = "contract-of-" + token.Symbol
		}
		text, ok := s.Network.URI(p)
		if !strings.Contains(text, p.To) || ok && !p.Native() && !strings.Contains(text, p.Token.Contract) {
			s.Errorf("%s to %s: a wallet reads %q, which names another payment", token.Symbol, p.To, text)
		}
		if !ok && !strings.HasSuffix(text, p.To) {
			s.Errorf("%s to %s: no URI, and yet more than the address: %q", token.Symbol, p.To, text)
		}
	}
}
