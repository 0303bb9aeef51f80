package sandbox_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/sandbox"
)

// spend is a payout of so many BTC from these coins, over earlier bytes.
func spend(t *testing.T, n *chains.Network, units string, slot chains.Slot, over ...[]byte) chains.Signed {
	t.Helper()
	draft, err := n.Sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{order(t, n, units)}, Over: over})
	must(t, err)
	signed, err := draft.Sign(slot)
	must(t, err)
	return signed
}

// filled is a network of coins. Its hot wallet has the coin of the genesis and these.
func filled(t *testing.T, amounts ...string) (*chains.Network, sandbox.Operator) {
	t.Helper()
	n, db := open(t, "Bitcoin")
	o := sandbox.Operator{DB: db}
	for _, a := range amounts {
		_, err := o.Pay(t.Context(), sandbox.Payment{Network: n.Name, Token: n.Coin, To: n.Hot, Amount: amount(a)})
		must(t, err)
	}
	_, err := o.Mine(t.Context(), n.Name, 1)
	must(t, err)
	return n, o
}

func coinsOf(t *testing.T, n *chains.Network) []chains.Coin {
	t.Helper()
	head, err := n.Scanner.Head(t.Context(), -1)
	must(t, err)
	coins, err := n.Unspent(t.Context(), head.Height)
	must(t, err)
	slices.SortFunc(coins, func(a, b chains.Coin) int { return b.Amount.Cmp(a.Amount) })
	return coins
}

func outcome(t *testing.T, n *chains.Network, raw []byte, want chains.Outcome) {
	t.Helper()
	if got, reason := n.Sender.Broadcast(t.Context(), raw); got != want {
		t.Errorf("outcome %d (%q), want %d", got, reason, want)
	}
}

// Coins are chosen from the largest on until they are enough. A replacement keeps those of the bytes before it, and takes others
// only if it must.
func TestCoinsAreChosen(t *testing.T) {
	t.Parallel()
	n, _ := filled(t)
	free := []chains.Coin{{ID: "c:0", Token: "BTC", Amount: amount("1")}, {ID: "a:0", Token: "BTC", Amount: amount("3")},
		{ID: "b:0", Token: "BTC", Amount: amount("3")}, {ID: "d:0", Token: "OTHER", Amount: amount("9")}}
	choose := func(units string, over ...[]byte) (ids string, err error) {
		d, err := n.Sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{order(t, n, units)}, Over: over})
		must(t, err)
		chosen, err := d.(chains.Chooser).Choose(free)
		for _, c := range chosen {
			ids += c.ID[:1]
		}
		return ids, err
	}
	for units, want := range map[string]string{"2.9999": "a", "3": "ab", "6.5": "abc", "6.9999": "abc"} {
		got, err := choose(units)
		require.NoError(t, err)
		require.Equal(t, want, got, units)
	}
	_, err := choose("7")
	require.ErrorIs(t, err, chains.ErrShort)

	first := spend(t, n, "2.9998", chains.Slot{Coins: free[1:2]})
	got, err := choose("2.9998", first.Raw)
	require.NoError(t, err)
	require.Empty(t, got)
	got, err = choose("2.9999", first.Raw)
	require.NoError(t, err)
	require.Equal(t, "b", got)
	d, err := n.Sender.Prepare(t.Context(), chains.Spend{Over: [][]byte{first.Raw}})
	must(t, err)
	_, err = d.Sign(chains.Slot{Coins: free[2:3]})
	require.ErrorContains(t, err, "the replacement is for coin a:0")
	_, err = n.Sender.Prepare(t.Context(), chains.Spend{Over: [][]byte{first.Raw, spend(t, n, "1", chains.Slot{Coins: free[2:3]}).Raw}})
	require.ErrorContains(t, err, "several slots")
}

// Change is split, so that the next payouts need not wait for it to be mined again. No coin of it is smaller than the payout.
func TestChangeIsSplit(t *testing.T) {
	t.Parallel()
	n, _ := filled(t)
	for units, want := range map[string][]string{
		"0.1":      {"0.2249", "0.225", "0.225", "0.225"},
		"0.3":      {"0.3499", "0.35"},
		"0.7":      {"0.2999"},
		"0.9999":   nil,
		"0.999899": {"0.000001"},
	} {
		signed := spend(t, n, units, chains.Slot{Coins: []chains.Coin{{ID: "a:0", Token: "BTC", Amount: amount("1")}}})
		var m struct {
			Outputs []struct{ Amount decimal.Decimal }
		}
		must(t, json.Unmarshal(signed.Raw, &m))
		sum := signed.Fee
		for _, o := range m.Outputs {
			sum = sum.Add(o.Amount)
		}
		require.True(t, sum.Equal(amount("1")), "%s", sum)
		require.Len(t, m.Outputs, 1+len(want), units)
		for i, w := range want {
			require.InDelta(t, amount(w).InexactFloat64(), m.Outputs[len(m.Outputs)-1-i].Amount.InexactFloat64(), 0.0001, units)
		}
	}
}

// TestCoinsThatCannotBeSpent: the node takes coins of the hot wallet in blocks alone, and no more of them than there is.
func TestCoinsThatCannotBeSpent(t *testing.T) {
	t.Parallel()
	n, o := filled(t)
	all := coinsOf(t, n)
	with := func(c chains.Coin) []byte { return spend(t, n, "1", chains.Slot{Coins: []chains.Coin{c}}).Raw }
	outcome(t, n, with(chains.Coin{ID: "unknown:0", Token: "BTC", Amount: amount("2")}), chains.NotTaken)
	outcome(t, n, with(chains.Coin{ID: all[0].ID + "9", Token: "BTC", Amount: amount("2")}), chains.NotTaken)
	outcome(t, n, with(chains.Coin{ID: "unknown", Token: "BTC", Amount: amount("2")}), chains.NotTaken)
	outcome(t, n, with(chains.Coin{ID: all[0].ID, Token: "BTC", Amount: all[0].Amount.Add(amount("1"))}), chains.Rejected)

	paid, err := o.Pay(t.Context(), payment(t, n, "5"))
	must(t, err)
	other, err := o.Pay(t.Context(), sandbox.Payment{Network: n.Name, Token: n.Coin, To: n.Hot, Amount: amount("5")})
	must(t, err)
	pending := with(chains.Coin{ID: chains.CoinID(other, 0), Token: "BTC", Amount: amount("5")})
	outcome(t, n, pending, chains.NotTaken)
	_, err = o.Mine(t.Context(), n.Name, 1)
	must(t, err)
	outcome(t, n, pending, chains.Accepted)
	outcome(t, n, with(chains.Coin{ID: chains.CoinID(paid, 0), Token: "BTC", Amount: amount("5")}), chains.Rejected)

	sent := spend(t, n, "1", chains.Slot{Coins: all[:1]})
	for before, after := range map[string]string{`"coins":["`: `"coins":["` + all[0].ID + `","`, `"fee":"0.0001"`: `"fee":"0.00001"`,
		`"token":"BTC"`: `"token":"USDT"`, `"coins":["` + all[0].ID + `"]`: `"coins":[]`} {
		changed := strings.Replace(string(sent.Raw), before, after, 1)
		require.NotEqual(t, string(sent.Raw), changed)
		outcome(t, n, []byte(changed), chains.Rejected)
	}
	accepted(t, n, sent)
}

// A conflict with several transactions of the mempool replaces all of them, and pays more than they together.
func TestAConflictReplacesAll(t *testing.T) {
	t.Parallel()
	n, o := filled(t, "5", "5")
	all := coinsOf(t, n)
	one, two := spend(t, n, "1", chains.Slot{Number: 1, Coins: all[:1]}), spend(t, n, "2", chains.Slot{Number: 2, Coins: all[1:2]})
	accepted(t, n, one)
	accepted(t, n, two)
	both := func(over ...[]byte) chains.Signed {
		return spend(t, n, "3", chains.Slot{Number: 1, Coins: all[:2]}, over...)
	}
	outcome(t, n, both().Raw, chains.Underpriced)
	dearer := both(one.Raw)
	outcome(t, n, dearer.Raw, chains.Underpriced)
	wantState(t, n, one.Txid, chains.TxPending)
	dearest := both(one.Raw, dearer.Raw)
	accepted(t, n, dearest)
	wantState(t, n, one.Txid, chains.TxMissing)
	wantState(t, n, two.Txid, chains.TxMissing)
	outcome(t, n, two.Raw, chains.Underpriced)
	height, err := o.Mine(t.Context(), n.Name, 1)
	must(t, err)
	outcome(t, n, two.Raw, chains.SlotTaken)
	wantState(t, n, dearest.Txid, chains.TxMined)
	_, err = o.Reorg(t.Context(), n.Name, 1, dearest.Txid)
	must(t, err)
	accepted(t, n, two)
	held, err := n.Holder.Holdings(t.Context(), n.Coin, []string{n.Hot}, height+1)
	must(t, err)
	sum := decimal.Zero
	for _, c := range all {
		sum = sum.Add(c.Amount)
	}
	require.True(t, held[0].Equal(sum), "%s held, %s before", held, sum)
}

// A reorganisation that drops a transaction drops also the spender of its change, and the spender of that.
//
// Covers operator §Sandbox networks: A transaction spending an output
func TestDroppedCoinsTakeTheirSpendersAlong(t *testing.T) {
	t.Parallel()
	n, o := filled(t)
	before := coinsOf(t, n)
	chain := []chains.Signed{spend(t, n, "0.5", chains.Slot{Coins: before[:1]})}
	for i := uint64(1); ; i++ {
		accepted(t, n, chain[i-1])
		if i == 3 {
			break
		}
		_, err := o.Mine(t.Context(), n.Name, 1)
		must(t, err)
		change := slices.IndexFunc(coinsOf(t, n), func(c chains.Coin) bool { return strings.HasPrefix(c.ID, chain[i-1].Txid+":") })
		chain = append(chain, spend(t, n, "0.01", chains.Slot{Number: i, Coins: coinsOf(t, n)[change : change+1]}))
	}
	_, err := o.Reorg(t.Context(), n.Name, 2, chain[0].Txid)
	must(t, err)
	for _, signed := range chain {
		wantState(t, n, signed.Txid, chains.TxMissing)
	}
	require.Equal(t, before, coinsOf(t, n))
	outcome(t, n, chain[1].Raw, chains.NotTaken)
	for _, signed := range chain {
		accepted(t, n, signed)
		_, err := o.Mine(t.Context(), n.Name, 1)
		must(t, err)
		wantState(t, n, signed.Txid, chains.TxMined)
	}
}

// The coins at a height are those unspent in the blocks up to it, whatever came later.
func TestCoinsAtAHeight(t *testing.T) {
	t.Parallel()
	n, o := filled(t)
	before := coinsOf(t, n)
	signed := spend(t, n, "1", chains.Slot{Coins: before[:1]})
	accepted(t, n, signed)
	height, err := o.Mine(t.Context(), n.Name, 1)
	must(t, err)
	for at, want := range map[int64]int{0: 0, 1: 1, height - 1: 1, height: 4, height + 9: 4} {
		coins, err := n.Unspent(t.Context(), at)
		must(t, err)
		require.Len(t, coins, want, "at %d", at)
	}
	coins, err := n.Unspent(t.Context(), height-1)
	must(t, err)
	require.Equal(t, before, coins)
	require.Equal(t, chains.CoinID(before[0].ID[:64], 0), before[0].ID, "the genesis' coin")
}

// No number excludes here: books that give out one number with two coins pay twice.
func TestANumberTwiceWithTwoCoins(t *testing.T) {
	t.Parallel()
	n, o := filled(t, "5")
	all := coinsOf(t, n)
	one, two := spend(t, n, "1", chains.Slot{Number: 1, Coins: all[:1]}), spend(t, n, "1", chains.Slot{Number: 1, Coins: all[1:2]})
	accepted(t, n, one)
	accepted(t, n, two)
	_, err := o.Mine(t.Context(), n.Name, 1)
	must(t, err)
	wantState(t, n, one.Txid, chains.TxMined)
	wantState(t, n, two.Txid, chains.TxMined)
}

// Transactions with coins in common, sent at the same time and mined and undone meanwhile: in the end every coin has one spender.
func TestCoinsAtOnce(t *testing.T) {
	t.Parallel()
	n, o := filled(t, "5", "6", "7")
	all := coinsOf(t, n)[1:]
	var signed []chains.Signed
	for i := range 12 {
		signed = append(signed, spend(t, n, "1", chains.Slot{Number: uint64(i), Coins: []chains.Coin{all[i%3], all[(i+i/6+1)%3]}}))
	}
	stop := churn(t, n, o.DB)
	var work sync.WaitGroup
	for s := range 4 {
		work.Go(func() {
			for i := range signed {
				n.Sender.Broadcast(t.Context(), signed[(i*5+s*3)%len(signed)].Raw)
			}
		})
	}
	work.Wait()
	stop()
	height, err := o.Mine(t.Context(), n.Name, 1)
	must(t, err)
	spent := map[string]string{}
	blocks, err := n.Scanner.Blocks(t.Context(), 1, 1_000_000)
	must(t, err)
	for _, b := range blocks {
		for _, x := range b.Spent {
			require.Empty(t, spent[x.Coin], "%s is spent twice", x.Coin)
			spent[x.Coin] = x.Txid
		}
	}
	require.NotEmpty(t, spent)
	sum := decimal.Zero
	for _, c := range coinsOf(t, n) {
		sum = sum.Add(c.Amount)
	}
	held, err := n.Holder.Holdings(t.Context(), n.Coin, []string{n.Hot}, height)
	must(t, err)
	require.True(t, held[0].Equal(sum), "%s held, coins of %s", held, sum)
}

// A hundred orders fit into a transaction, and are one payment of coins each.
//
// Covers operator §Sandbox networks: show answers
func TestABatchIsFull(t *testing.T) {
	t.Parallel()
	n, o := filled(t)
	orders := slices.Repeat([]chains.Order{order(t, n, "0.01")}, n.Batch)
	draft, err := n.Sender.Prepare(t.Context(), chains.Spend{Orders: orders})
	must(t, err)
	signed, err := draft.Sign(slot(t, n, draft, 0))
	must(t, err)
	accepted(t, n, signed)
	_, err = o.Mine(t.Context(), n.Name, 1)
	must(t, err)
	v, err := o.Show(t.Context(), n.Name, sandbox.Filter{Txid: signed.Txid})
	must(t, err)
	require.Len(t, v.Transactions, n.Batch+4)
	if _, err := n.Sender.Prepare(t.Context(), chains.Spend{Orders: append(orders, orders[0])}); err == nil || errors.Is(err, chains.ErrUnpayable) {
		t.Errorf("%d orders: %v", n.Batch+1, err)
	}
}
