package workers_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// byAmount is a world with Ethereum crediting up to 100 USD after one confirmation, and the rest after two.
func byAmount(t *testing.T) (*world, *chains.Network) {
	t.Helper()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	n.Rule.ByAmount = []chains.AmountRule{{UpTo: dec("100"), Depth: 1}}
	return w, n
}

// early makes a payin a small one, credited after one block.
func early(p *pay.Payin) { p.CreditAfter = 1 }

// block mines one block and follows it.
func (w *world) block(network string) {
	w.t.Helper()
	_, err := w.chain.Mine(w.t.Context(), network, 1)
	require.NoError(w.t, err)
	w.round()
}

// A small payin is completed after one block, a larger one by the network's rule. Both are locked until they are final.
//
// Covers addendum §8: Small amounts may be credited
// Covers operator §Settings: credit_by_amount
func TestSmallAmountsAreCreditedEarly(t *testing.T) {
	t.Parallel()
	w, _ := byAmount(t)
	small, large := w.payin("Ethereum", "USDT", "100", early), w.payin("Ethereum", "USDT", "100.01")
	w.pays("Ethereum", "USDT", small.Wallet, "100")
	w.pays("Ethereum", "USDT", large.Wallet, "100.01")
	w.block("Ethereum")
	require.Equal(t, pay.PayinCompleted, w.payinNow(small.ID).Status)
	require.Equal(t, pay.PayinPending, w.payinNow(large.ID).Status)
	w.equal("100", w.balance("USDT").Locked)
	w.equal("0", w.balance("USDT").Available)
	w.block("Ethereum")
	require.Equal(t, pay.PayinCompleted, w.payinNow(large.ID).Status)
	w.equal("200.01", w.balance("USDT").Locked)
	w.mine("Ethereum", 2)
	w.equal("200.01", w.balance("USDT").Available)
}

// The rule goes by the amounts received, not only by the amount asked for: one large transfer to a small payin waits, and so do many
// small ones in one block. Without a price, nothing is early.
//
// Covers addendum §8: The larger of what a payin asks for
func TestALargeAmountIsNotEarlyInSmallPayins(t *testing.T) {
	t.Parallel()
	w, _ := byAmount(t)
	one, many, coin := w.payin("Ethereum", "USDT", "50", early), w.payin("Ethereum", "USDT", "50", early), w.payin("Ethereum", "ETH", "1", early)
	fixed := w.wallet("Ethereum", "customer")
	w.exec("delete from prices where base = 'ETH'")
	w.pays("Ethereum", "USDT", one.Wallet, "5000")
	w.pays("Ethereum", "ETH", coin.Wallet, "1")
	for range 3 {
		w.pays("Ethereum", "USDT", many.Wallet, "40")
		w.pays("Ethereum", "USDT", fixed.Wallet, "40")
	}
	w.block("Ethereum")
	w.equal("0", w.balance("USDT").Locked)
	w.equal("0", w.balance("ETH").Locked)
	w.block("Ethereum")
	w.equal("5240", w.balance("USDT").Locked)
	w.equal("1", w.balance("ETH").Locked)
	w.pays("Ethereum", "USDT", fixed.Wallet, "60")
	w.block("Ethereum")
	w.equal("5300", w.balance("USDT").Locked)
	require.Equal(t, pay.CreditDepth(1), w.payinsOf(fixed)[0].CreditAfter)
	w.mine("Ethereum", 4)
}

// A merchant's own table takes the place of the network's; an empty one credits everything by the network's rule.
//
// Covers operator §Settings: credit_by_amount_of
func TestAMerchantHasItsOwnTable(t *testing.T) {
	t.Parallel()
	w, n := byAmount(t)
	n.Rule.ByAmountOf = map[uuid.UUID][]chains.AmountRule{w.merchant: {}}
	p := w.payin("Ethereum", "USDT", "50", early) // recorded before the table was changed
	fixed := w.wallet("Ethereum", "customer")
	w.pays("Ethereum", "USDT", p.Wallet, "50")
	w.pays("Ethereum", "USDT", fixed.Wallet, "50")
	w.block("Ethereum")
	w.equal("0", w.balance("USDT").Locked)
	w.mine("Ethereum", 4)
	w.equal("100", w.balance("USDT").Available)
}

// tagging is a node with a safe block.
type tagging struct {
	chains.Scanner
	safe int64
}

func (n *tagging) Head(ctx context.Context, followed int64) (chains.Head, error) {
	h, err := n.Scanner.Head(ctx, followed)
	h.Safe, h.Credit, h.Final = n.safe, h.Credit-20, h.Final-20
	return h, err
}

// Larger amounts are credited at a safe block, and never later than by the network's rule.
//
// Covers addendum §8: Small amounts may be credited
func TestAnAmountIsCreditedAtASafeBlock(t *testing.T) {
	t.Parallel()
	w, n := byAmount(t)
	n.Rule.ByAmount = append(n.Rule.ByAmount, chains.AmountRule{UpTo: dec("1000"), Depth: pay.CreditAtSafe})
	node := &tagging{Scanner: n.Scanner}
	n.Scanner = node
	small := w.payin("Ethereum", "USDT", "50", early)
	p := w.payin("Ethereum", "USDT", "500", func(p *pay.Payin) { p.CreditAfter = pay.CreditAtSafe })
	w.pays("Ethereum", "USDT", p.Wallet, "500")
	w.pays("Ethereum", "USDT", small.Wallet, "500") // as much
	w.block("Ethereum")
	w.block("Ethereum")
	w.equal("0", w.balance("USDT").Locked)
	head, err := node.Head(t.Context(), -1)
	require.NoError(t, err)
	node.safe = head.Height
	w.round()
	w.equal("1000", w.balance("USDT").Locked)
	w.mine("Ethereum", 25)
	w.equal("1000", w.balance("USDT").Available)
}

// An early credit counts for the followed chain, like any other: a node on a fork credits nothing early, nor do unreadable blocks.
//
// Covers addendum §8: Confirmations count for
// Covers addendum §8: Blocks that a head names
func TestNothingIsEarlyWhileNodesDisagree(t *testing.T) {
	t.Parallel()
	w, n := byAmount(t)
	n.Rule.ByAmount[0].Depth = 2
	n.Rule.Credit = 12
	p := w.payin("Ethereum", "USDT", "50", func(p *pay.Payin) { p.CreditAfter = 2 })
	two := w.strand("Ethereum", p.Wallet)
	two.pays.Amount = dec("50")
	w.mine("Ethereum", 4)
	w.equal("0", w.balance("USDT").Available.Add(w.balance("USDT").Locked))
	two.dead = false
	w.work()
	n.Scanner = &aheadBy{two.Scanner, 1000}
	w.pays("Ethereum", "USDT", p.Wallet, "50")
	w.block("Ethereum")
	w.equal("0", w.balance("USDT").Available.Add(w.balance("USDT").Locked))
	n.Scanner = two.Scanner
	w.mine("Ethereum", 4)
	w.equal("50", w.balance("USDT").Available)
}
