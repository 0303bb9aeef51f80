package chaintest

import (
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

// found lists the transfers of a txid in the blocks from 1 on, with their heights.
type found struct {
	chains.Transfer
	height int64
}

func (s *suite) find(txid string) []found {
	s.Helper()
	var out []found
	for _, b := range s.blocks(1, 50) {
		for _, t := range b.Transfers {
			if t.Txid == txid {
				out = append(out, found{t, b.Height})
			}
		}
	}
	return out
}

// one is the only transfer of a txid.
func (s *suite) one(txid string) found {
	s.Helper()
	all := s.find(txid)
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
	got, err := s.Network.Watcher.Origin(s.ctx, txid)
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
	got, err := s.Network.Watcher.NonceAt(s.ctx, height)
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

func (s *suite) nonce() uint64 {
	s.Helper()
	n, err := s.Network.Watcher.NextNonce(s.ctx)
	s.check(err)
	return n
}

func (s *suite) prepare(o chains.Order) chains.Draft {
	s.Helper()
	d, err := s.Network.Sender.Prepare(s.ctx, o)
	s.check(err)
	return d
}

func (s *suite) sign(d chains.Draft, nonce uint64) chains.Signed {
	s.Helper()
	signed, err := d.Sign(nonce)
	s.check(err)
	if signed.Txid == "" || len(signed.Raw) == 0 || !signed.Fee.IsPositive() {
		s.Fatalf("signed %+v: txid, raw or fee is missing", signed)
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

// sent prepares, signs and sends an order with the next nonce.
func (s *suite) sent(o chains.Order) chains.Signed {
	s.Helper()
	signed := s.sign(s.prepare(o), s.nonce())
	s.accepted(signed.Raw)
	return signed
}
