package cardano_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/dev/ogmios"
)

// TestCoinsWithOtherTokensAreLeft has a stranger send a token to the hot wallet: its ADA counts, and its coin is not spent.
//
// Covers operator §Settings: ADA alone is credited and paid
func TestCoinsWithOtherTokensAreLeft(t *testing.T) {
	t.Parallel()
	l := launch(t)
	_, err := l.node.Pay(ogmios.Payment{To: l.Hot(), Lovelace: 5_000_000_000, Assets: map[string]string{strings.Repeat("ab", 28) + "544f4b454e": "7"}})
	require.NoError(t, err)
	require.NoError(t, l.node.Mine(1))
	all := l.coins(t)
	require.Len(t, all, 2)
	mixed := all[slices.IndexFunc(all, func(c chains.Coin) bool { return c.Mixed })]
	require.True(t, mixed.Amount.Equal(decimal.NewFromInt(5000)))
	blocks, err := l.Blocks(t.Context(), 5, 1)
	require.NoError(t, err)
	require.Equal(t, []chains.Transfer{{Txid: strings.TrimSuffix(mixed.ID, ":0"), Token: "ADA", To: l.Hot(), Amount: decimal.New(5_000_000_000, -6), Mixed: true}},
		blocks[0].Transfers, "it came, and is credited")
	pay := chains.Spend{Orders: []chains.Order{l.order(t, "5")}}
	signed, coins := l.signed(t, pay)
	require.Len(t, coins, 1)
	require.True(t, coins[0].Amount.Equal(decimal.NewFromInt(1000)))
	d, err := l.sender.Prepare(t.Context(), pay)
	require.NoError(t, err)
	_, err = d.Sign(chains.Slot{Number: 1, Coins: []chains.Coin{mixed}})
	require.ErrorContains(t, err, mixed.ID)
	outcome, why := l.sender.Broadcast(t.Context(), signed.Raw)
	require.Equal(t, chains.Accepted, outcome, why)
	pay.Orders[0].Amount = decimal.NewFromInt(2000)
	d, err = l.sender.Prepare(t.Context(), pay)
	require.NoError(t, err)
	_, err = d.(chains.Chooser).Choose(l.coins(t))
	var short *chains.Short
	require.ErrorAs(t, err, &short, "what is left is no money to pay with")
	require.True(t, short.Missing.GreaterThan(decimal.NewFromInt(1000)))
}

// TestFailedScripts has a transaction name our coin and pay us, and its script fail: it spends its collateral alone.
func TestFailedScripts(t *testing.T) {
	t.Parallel()
	l := launch(t)
	coin := l.coins(t)[0]
	from, _, _ := strings.Cut(coin.ID, ":")
	failed, err := l.node.Fail(ogmios.Failure{Input: from + "#0", To: l.Hot(), Lovelace: 70_000_000, Back: 3_000_000})
	require.NoError(t, err)
	require.NoError(t, l.node.Mine(1))
	head, err := l.Head(t.Context(), -1)
	require.NoError(t, err)
	blocks, err := l.Blocks(t.Context(), head.Height, 1)
	require.NoError(t, err)
	require.Equal(t, []chains.Transfer{{Txid: failed, Token: "ADA", Position: 1, To: l.Hot(), Amount: decimal.New(3_000_000, -6)}}, blocks[0].Transfers)
	require.Len(t, blocks[0].Spent, 1)
	require.NotEqual(t, coin.ID, blocks[0].Spent[0].Coin)
	require.Len(t, l.coins(t), 2)
	all, err := l.Status(t.Context(), []string{failed})
	require.NoError(t, err)
	require.Equal(t, chains.TxMissing, all[failed].State, "it has done nothing that was ordered")
}

// TestACoinAsCollateral has a transaction with a failed script take a coin of ours as its collateral, as only somebody with our key can: the
// coin is spent, and what is signed for it has lost its slot.
func TestACoinAsCollateral(t *testing.T) {
	t.Parallel()
	l := launch(t)
	signed, coins := l.signed(t, chains.Spend{Orders: []chains.Order{l.order(t, "5")}})
	to, err := l.node.Stranger("payee")
	require.NoError(t, err)
	name := strings.Replace(coins[0].ID, ":", "#", 1)
	failed, err := l.node.Fail(ogmios.Failure{Input: strings.Repeat("ab", 32) + "#0", To: to, Lovelace: 5_000_000, Back: 990_000_000, Collateral: name})
	require.NoError(t, err)
	require.NoError(t, l.node.Mine(1))
	head, err := l.Head(t.Context(), -1)
	require.NoError(t, err)
	blocks, err := l.Blocks(t.Context(), head.Height, 1)
	require.NoError(t, err)
	require.Equal(t, []chains.Spending{{Coin: coins[0].ID, Txid: failed}}, blocks[0].Spent)
	require.Empty(t, l.coins(t))
	outcome, why := l.sender.Broadcast(t.Context(), signed.Raw)
	require.Equal(t, chains.SlotTaken, outcome, why)
	held, err := l.Holdings(t.Context(), "ADA", []string{l.Hot(), to}, head.Height)
	require.NoError(t, err)
	require.True(t, held[0].IsZero())
	require.True(t, held[1].Equal(decimal.NewFromInt(990)))
}

// TestOurKeyWithAStrangersStake pays to our keys with somebody's part for stake beside them: the transfers name our addresses, the holdings
// have the coins by their ids, and the emulator takes a transaction that spends them.
//
// Covers operator §Settings: A payment to a key of ours with somebody's part for stake
func TestOurKeyWithAStrangersStake(t *testing.T) {
	t.Parallel()
	l := launch(t)
	deposit, err := l.Derive(t.Context(), 3)
	require.NoError(t, err)
	var apart []string
	l.Apart(func(context.Context, int64) ([]string, error) { return apart, nil })
	for _, plain := range []string{l.Hot(), deposit} {
		beside, err := l.node.Beside(plain, "eve")
		require.NoError(t, err)
		l.pay(t, beside, decimal.NewFromInt(700))
		require.Equal(t, beside, l.Match(beside), "a stranger's address stays what it is")
	}
	require.NoError(t, l.node.Mine(1))
	blocks, err := l.Blocks(t.Context(), 5, 1)
	require.NoError(t, err)
	free := l.coins(t)
	for i, plain := range []string{l.Hot(), deposit} {
		moved := blocks[0].Transfers[i]
		require.Equal(t, plain, moved.Plain)
		require.NotEqual(t, plain, moved.To)
		id := chains.CoinID(moved.Txid, moved.Position)
		apart = append(apart, id)
		coin := chains.Coin{ID: id, Token: "ADA", Amount: moved.Amount}
		if plain == deposit {
			coin.At = &chains.Wallet{Address: deposit, Index: 3}
		}
		free = append(free, coin)
	}
	held := func(of ...string) (sums []string) {
		amounts, err := l.Holdings(t.Context(), "ADA", of, 5)
		require.NoError(t, err)
		for _, a := range amounts {
			sums = append(sums, a.String())
		}
		return sums
	}
	require.Equal(t, []string{"1700", "700"}, held(l.Hot(), deposit))
	require.Equal(t, []string{"700", "1000"}, held(blocks[0].Transfers[0].To, l.Hot()), "a coin is counted once")
	apart = apart[:1]
	require.Equal(t, []string{"1700", "0"}, held(l.Hot(), deposit), "the node lists coins by the exact address")
	apart = []string{strings.Repeat("ab", 32) + ":0"}
	require.Equal(t, []string{"1000", "0"}, held(l.Hot(), deposit), "the node does not have it")
	apart = []string{"no coin"}
	_, err = l.Holdings(t.Context(), "ADA", []string{deposit}, 5)
	require.ErrorContains(t, err, "no id of a coin")

	d, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{l.order(t, "2350")}})
	require.NoError(t, err)
	coins, err := d.(chains.Chooser).Choose(free)
	require.NoError(t, err)
	require.Len(t, coins, 3)
	signed, err := d.Sign(chains.Slot{Number: 1, Coins: coins})
	require.NoError(t, err)
	outcome, why := l.sender.Broadcast(t.Context(), signed.Raw)
	require.Equal(t, chains.Accepted, outcome, why)
	_, err = l.Validate(blocks[0].Transfers[0].To)
	require.ErrorIs(t, err, chains.ErrNotPayable, "the hot wallet pays nothing to itself")
	_, err = l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{{To: blocks[0].Transfers[0].To, Token: "ADA", Amount: decimal.NewFromInt(5)}}})
	require.ErrorIs(t, err, chains.ErrUnpayable)
	_, err = l.Validate(blocks[0].Transfers[1].To)
	require.NoError(t, err)
}
