package tronnode

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// TestNoMoneyIsMade sends transactions by chance, undoes blocks by chance, and counts all TRX: what is missing was burned as fees.
// What each block has left is asked again once the block is solid.
func TestNoMoneyIsMade(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	chance := rand.New(rand.NewPCG(1, 2))
	keys := []Key{sender, KeyOf("a"), KeyOf("b"), Rich}
	key := func() Key { return keys[chance.IntN(len(keys))] }
	for _, k := range keys {
		_, _ = n.Fund(k.Text(), 500*trx)
	}
	atHeight, compared := map[int64]int64{}, 0
	for range 400 {
		from, to := key(), key()
		switch sun := int64(chance.IntN(20*trx) + 1); chance.IntN(12) {
		case 0, 1, 2:
			_, _ = n.Send(from, to.Text(), sun)
		case 3, 4:
			_, _ = n.Call(from, USDT, "transfer", to.Address(), amount(int64(chance.IntN(1000))))
		case 5:
			_, _ = n.Freeze(from, sun)
		case 6:
			_, _ = n.Lend(from, to.Text(), sun)
		case 7:
			send(t, n, stakeDraft(n, from, undelegate, loanOf(to, sun)).signed(from))
		case 8:
			send(t, n, stakeDraft(n, from, unfreeze, frozenOf(sun)).signed(from))
		case 9:
			newest, _ := n.Height()
			depth := chance.IntN(3) + 1
			if err := n.Reorganise(depth, chance.IntN(2) == 0); err != nil {
				t.Fatal(err)
			}
			maps.DeleteFunc(atHeight, func(height, _ int64) bool { return height > newest-int64(depth) })
		default:
			atHeight[n.Mine(1)] = balance(t, n, "wallet", sender.Text())
		}
		if _, solid := n.Height(); atHeight[solid] != 0 {
			compared++
			if got := balance(t, n, "walletsolidity", sender.Text()); got != atHeight[solid] {
				t.Fatalf("at block %d the sender had %d, and %d once it was solid", solid, atHeight[solid], got)
			}
		}
	}
	if compared < 20 {
		t.Errorf("only %d solid blocks were compared", compared)
	}
	n.Drop()
	if all, burned := n.total(), n.burned(); all+burned != richBalance+1 || burned == 0 {
		t.Errorf("%d sun are there and %d were burned, of %d", all, burned, int64(richBalance+1))
	}
}

// total counts all TRX, those in stakes too.
func (n *Node) total() int64 {
	var sum int64
	for _, a := range n.accounts {
		sum += a.balance
		for _, s := range a.stakes {
			sum += s.frozen + s.lent
		}
		for _, l := range a.leaving {
			sum += l.amount
		}
	}
	return sum
}

// burned counts the fees of all blocks.
func (n *Node) burned() int64 {
	var sum int64
	for _, b := range n.blocks {
		for _, tx := range b.txs {
			sum += tx.fee + tx.netFee + tx.energyFee + tx.memoFee
		}
	}
	return sum
}
