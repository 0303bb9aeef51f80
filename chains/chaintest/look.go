package chaintest

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// patience is after how many blocks everything must be final.
const patience = 200

func (s *suite) check(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *suite) head() chains.Head {
	s.Helper()
	return s.headAfter(-1)
}

// headAfter is the head for a follower at a height.
func (s *suite) headAfter(followed int64) chains.Head {
	s.Helper()
	h, err := s.Network.Scanner.Head(s.ctx, followed)
	s.check(err)
	for _, height := range []int64{h.Height, followed} {
		if height >= 0 && height <= h.Height && !slices.ContainsFunc(h.Marks, func(m chains.Mark) bool { return m.Height == height }) {
			s.Fatalf("head %+v does not name block %d", h, height)
		}
	}
	for _, m := range h.Marks {
		if m.Height > h.Height || m.Hash == "" || m.Hash != s.hash(m.Height) {
			s.Fatalf("head %+v: block %d is %s", h, m.Height, s.hash(m.Height))
		}
	}
	if h.Final > h.Credit || h.Credit > h.Height || h.Final < 0 {
		s.Fatalf("head %+v: final <= credit <= height does not hold", h)
	}
	return h
}

func (s *suite) hash(height int64) string {
	s.Helper()
	hash, err := s.Network.Scanner.Hash(s.ctx, height)
	s.check(err)
	return hash
}

// below is the hash of a block in the chain of top.
func (s *suite) below(top chains.Block, height int64) string {
	s.Helper()
	hash, err := s.Network.Scanner.HashBelow(s.ctx, chains.Mark{Height: top.Height, Hash: top.Hash}, height)
	s.check(err)
	return hash
}

// blocks reads every block from a height to the head in pages, and checks their links.
func (s *suite) blocks(from int64, page int) []chains.Block {
	s.Helper()
	var out []chains.Block
	for next, top := from, s.head().Height; next <= top; {
		blocks, err := s.Network.Scanner.Blocks(s.ctx, next, page)
		s.check(err)
		if len(blocks) == 0 || len(blocks) > page {
			s.Fatalf("%d blocks from %d on, at most %d wanted and the head is %d", len(blocks), next, page, top)
		}
		for _, b := range blocks {
			if b.Height != next {
				s.Fatalf("block %d where %d was due", b.Height, next)
			}
			if n := len(out); n > 0 && b.Parent != out[n-1].Hash {
				s.Fatalf("block %d has parent %s, block %d is %s", b.Height, b.Parent, b.Height-1, out[n-1].Hash)
			}
			out = append(out, b)
			next++
		}
	}
	return out
}

// recent are the blocks made or changed by a test, with some before. Where coins have to ripen there are many more.
func (s *suite) recent() []chains.Block {
	s.Helper()
	return s.blocks(s.begin, 50)
}

// found is a transfer with its height.
type found struct {
	chains.Transfer
	height int64
}

// find lists the transfers of a txid.
func (s *suite) find(txid string) []found {
	s.Helper()
	var out []found
	for _, b := range s.recent() {
		for _, t := range b.Transfers {
			if t.Txid == txid && !t.Beside {
				out = append(out, found{t, b.Height})
			}
		}
	}
	return out
}

// one is the only transfer of a txid, but for change.
func (s *suite) one(txid string) found {
	s.Helper()
	all := slices.DeleteFunc(s.find(txid), func(f found) bool { return f.To == s.Network.Hot || f.To == s.Change })
	if len(all) != 1 {
		s.Fatalf("%d transfers of %s, want 1: %+v", len(all), txid, all)
	}
	return all[0]
}

func (s *suite) derive(index uint32) string {
	s.Helper()
	address, err := s.Network.Addresser.Derive(s.ctx, index)
	s.check(err)
	return address
}

func (s *suite) status(txid string) chains.TxStatus {
	s.Helper()
	all, err := s.Network.Watcher.Status(s.ctx, []string{txid})
	s.check(err)
	return all[txid]
}

func (s *suite) wantOrigin(txid string, want chains.Origin) {
	s.Helper()
	got, err := s.Network.Counter.Origin(s.ctx, txid)
	s.check(err)
	if want.Txid == "" {
		got = chains.Origin{Txid: got.Txid} // the other members of an unknown one say nothing
	}
	if got != want {
		s.Errorf("transaction %s comes from %+v and not from %+v", txid, got, want)
	}
}

func (s *suite) wantNonceAt(height int64, want uint64) {
	s.Helper()
	got, err := s.Network.Counter.NonceAt(s.ctx, s.Network.Hot, height)
	s.check(err)
	if got != want {
		s.Errorf("the nonce at %d is %d, want %d", height, got, want)
	}
}

func (s *suite) wantState(txid string, want chains.TxState) chains.TxStatus {
	s.Helper()
	got := s.status(txid)
	if got.State != want {
		s.Fatalf("transaction %s is %s, want %s", txid, state(got.State), state(want))
	}
	return got
}

func state(x chains.TxState) string {
	names := []string{"missing", "pending", "mined", "reverted", "rejected"}
	if int(x) < len(names) {
		return names[x]
	}
	return fmt.Sprint(int(x))
}

// mineUntilFinal mines until a height is final.
func (s *suite) mineUntilFinal(height int64) {
	s.Helper()
	for range patience {
		if s.head().Final >= height {
			return
		}
		s.Mine(s, 1)
	}
	s.Fatalf("block %d is not final after %d more blocks", height, patience)
}

func (s *suite) coin() Token { return s.Tokens[0] }

// order is a payout to a deposit address of ours, so it can be seen on the chain.
func (s *suite) order(token Token, units int64) chains.Order {
	s.Helper()
	memo := ""
	if s.Network.Memo {
		memo = "12345678"
	}
	return chains.Order{To: s.derive(7), Memo: memo, Token: token.Symbol, Amount: decimal.NewFromInt(units)}
}

// nonce returns the wallet's next number, where the exclusion is ByNumber.
func (s *suite) nonce() uint64 {
	s.Helper()
	n, err := s.Network.Counter.NextNonce(s.ctx, s.Network.Hot)
	s.check(err)
	return n
}

// prepare prepares orders for a new slot.
func (s *suite) prepare(orders ...chains.Order) chains.Draft {
	s.Helper()
	return s.over(nil, orders...)
}

// over prepares orders for the slot of earlier bytes.
func (s *suite) over(raw [][]byte, orders ...chains.Order) chains.Draft {
	s.Helper()
	d, err := s.Network.Sender.Prepare(s.ctx, chains.Spend{Orders: orders, Over: raw})
	s.check(err)
	return d
}

func (s *suite) sign(d chains.Draft, slot chains.Slot) chains.Signed {
	s.Helper()
	signed, err := d.Sign(slot)
	s.check(err)
	if signed.Txid == "" || len(signed.Raw) == 0 || !signed.Fee.IsPositive() {
		s.Fatalf("signed %+v: txid, raw or fee is missing", signed)
	}
	if (signed.Until != nil) != (s.Network.Exclusion == chains.ByExpiry) {
		s.Fatalf("signed %+v: valid until %v", signed, signed.Until)
	}
	if again, err := d.Sign(slot); err != nil || again.Txid != signed.Txid || !bytes.Equal(again.Raw, signed.Raw) {
		s.Fatalf("signed %+v and then %+v, %v, for the same slot", signed, again, err)
	}
	return signed
}

// accepted sends raw bytes, and fails unless the network takes them.
func (s *suite) accepted(raw []byte) {
	s.Helper()
	if outcome, reason := s.Network.Sender.Broadcast(s.ctx, raw); outcome != chains.Accepted {
		s.Fatalf("broadcast: outcome %d (%s), want accepted", outcome, reason)
	}
}

// slot returns a new slot for a draft.
func (s *suite) slot(d chains.Draft) chains.Slot {
	s.Helper()
	if s.Network.Exclusion == chains.ByNumber {
		return chains.Slot{Number: s.nonce()}
	}
	s.numbers++
	return s.lease(chains.Slot{Number: s.numbers}, d)
}

// lease adds the coins chosen by a draft to a slot, where the exclusion is ByCoins.
func (s *suite) lease(slot chains.Slot, d chains.Draft) chains.Slot {
	s.Helper()
	if s.Network.Exclusion != chains.ByCoins {
		return slot
	}
	free := slices.DeleteFunc(s.unspent(s.head().Height), func(c chains.Coin) bool { return s.leased[c.ID] })
	chosen, err := d.(chains.Chooser).Choose(free)
	s.check(err)
	for _, c := range chosen {
		s.leased[c.ID] = true
	}
	slot.Coins = append(slices.Clone(slot.Coins), chosen...)
	return slot
}

func (s *suite) unspent(height int64) []chains.Coin {
	s.Helper()
	coins, err := s.Network.Unspent(s.ctx, height)
	s.check(err)
	return coins
}

// replaced prepares and signs orders over earlier bytes, in their slot.
func (s *suite) replaced(slot chains.Slot, earlier [][]byte, orders ...chains.Order) chains.Signed {
	s.Helper()
	draft := s.over(earlier, orders...)
	return s.sign(draft, s.lease(slot, draft))
}

// fresh prepares and signs orders in a slot of their own.
func (s *suite) fresh(orders ...chains.Order) (chains.Signed, chains.Slot) {
	s.Helper()
	draft := s.prepare(orders...)
	slot := s.slot(draft)
	return s.sign(draft, slot), slot
}

// sent prepares, signs and sends orders in the next slot.
func (s *suite) sent(orders ...chains.Order) chains.Signed {
	s.Helper()
	signed, _ := s.fresh(orders...)
	s.accepted(signed.Raw)
	return signed
}
