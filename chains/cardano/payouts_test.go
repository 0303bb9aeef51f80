package cardano_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/cardano"
	"causeway/internal/dev/ogmios"
)

// order is a payout to a stranger.
func (l *launched) order(t testing.TB, units string) chains.Order {
	t.Helper()
	to, err := l.node.Stranger("payee")
	check(t, err)
	return chains.Order{To: to, Token: "ADA", Amount: decimal.RequireFromString(units)}
}

// draft prepares a spend, and leases coins of the hot wallet beside those before.
func (l *launched) draft(t testing.TB, spend chains.Spend, before ...chains.Coin) (chains.Draft, []chains.Coin) {
	t.Helper()
	d, err := l.sender.Prepare(t.Context(), spend)
	check(t, err)
	chosen, err := d.(chains.Chooser).Choose(slices.DeleteFunc(l.coins(t), func(c chains.Coin) bool { return slices.Contains(before, c) }))
	check(t, err)
	return d, append(slices.Clone(before), chosen...)
}

// coins are the hot wallet's.
func (l *launched) coins(t testing.TB) []chains.Coin {
	t.Helper()
	head, err := l.Head(t.Context(), -1)
	check(t, err)
	coins, err := l.Unspent(t.Context(), head.Height)
	check(t, err)
	return coins
}

func (l *launched) signed(t testing.TB, spend chains.Spend, before ...chains.Coin) (chains.Signed, []chains.Coin) {
	t.Helper()
	d, coins := l.draft(t, spend, before...)
	s, err := d.Sign(chains.Slot{Number: 1, Coins: coins})
	check(t, err)
	return s, coins
}

// TestAnExpiredPayoutIsSignedAgain has a transaction outlast its time in no block: the next one spends the same first coin.
//
// Covers operator §Settings: A transaction on Cardano may be in a block
func TestAnExpiredPayoutIsSignedAgain(t *testing.T) {
	t.Parallel()
	l := launch(t)
	pay := chains.Spend{Orders: []chains.Order{l.order(t, "5")}}
	first, coins := l.signed(t, pay)
	outcome, why := l.sender.Broadcast(t.Context(), first.Raw)
	require.Equal(t, chains.Accepted, outcome, why)
	require.NoError(t, l.node.Forget())
	require.NoError(t, l.node.Mine(89))
	outcome, why = l.sender.Broadcast(t.Context(), first.Raw)
	require.Equal(t, chains.Accepted, outcome, why)
	require.NoError(t, l.node.Forget())
	require.NoError(t, l.node.Mine(1))
	outcome, _ = l.sender.Broadcast(t.Context(), first.Raw)
	require.Equal(t, chains.Expired, outcome)

	pay.Over = [][]byte{first.Raw}
	second, again := l.signed(t, pay, coins...)
	require.Equal(t, coins, again, "the coins before are enough")
	require.True(t, second.Fee.GreaterThan(first.Fee))
	outcome, why = l.sender.Broadcast(t.Context(), second.Raw)
	require.Equal(t, chains.Accepted, outcome, why)
	require.NoError(t, l.node.Mine(1))
	all, err := l.Status(t.Context(), []string{first.Txid, second.Txid})
	require.NoError(t, err)
	require.Equal(t, chains.TxMissing, all[first.Txid].State)
	require.Equal(t, chains.TxMined, all[second.Txid].State)
	require.True(t, all[second.Txid].Fee.Equal(second.Fee))
}

// TestLeastAmounts holds the least of an output, and that no change is below it.
//
// Covers operator §Settings: Less than 1.1 ADA is refused
func TestLeastAmounts(t *testing.T) {
	t.Parallel()
	l := launch(t)
	_, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{l.order(t, "0.849069")}})
	require.ErrorIs(t, err, chains.ErrUnpayable)
	require.ErrorContains(t, err, "0.84907")
	require.NoError(t, l.node.Trouble(ogmios.Trouble{Params: map[string]int64{"coinsPerUtxoByte": 1 << 20}}))
	_, err = l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{l.order(t, "0.84907")}})
	require.ErrorContains(t, err, "0.84907 waits", "one node's word fails no payout")
	require.NotErrorIs(t, err, chains.ErrUnpayable)
	_, err = l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{l.order(t, "0.849069")}})
	require.ErrorIs(t, err, chains.ErrUnpayable)
	require.NoError(t, l.node.Trouble(ogmios.Trouble{Params: map[string]int64{"coinsPerUtxoByte": 4310}}))
	for _, units := range []string{"0.84907", "999.1", "998.3", "500.1", "850"} {
		pay := chains.Spend{Orders: []chains.Order{l.order(t, units)}}
		d, err := l.sender.Prepare(t.Context(), pay)
		require.NoError(t, err)
		coins, err := d.(chains.Chooser).Choose(l.coins(t))
		if units == "999.1" { // no room for change
			require.ErrorIs(t, err, chains.ErrShort)
			continue
		}
		require.NoError(t, err, units)
		s, err := d.Sign(chains.Slot{Number: 1, Coins: coins})
		require.NoError(t, err)
		outcome, why := l.sender.Broadcast(t.Context(), s.Raw)
		require.Equal(t, chains.Accepted, outcome, "%s: %s", units, why)
		require.NoError(t, l.node.Forget())
	}
}

// TestAnotherProcessFindsItsPlace opens a connector with the blocks of the books: what is above them is told, and what is below is not.
func TestAnotherProcessFindsItsPlace(t *testing.T) {
	t.Parallel()
	l := launch(t)
	sent, _ := l.signed(t, chains.Spend{Orders: []chains.Order{l.order(t, "5")}})
	outcome, why := l.sender.Broadcast(t.Context(), sent.Raw)
	require.Equal(t, chains.Accepted, outcome, why)
	require.NoError(t, l.node.Mine(5))
	blocks, err := l.Blocks(t.Context(), 4, 50)
	require.NoError(t, err)
	require.Len(t, blocks, 6)
	other, err := cardano.Open(t.Context(), l.config, nil)
	require.NoError(t, err)
	t.Cleanup(other.Close)
	marks := []chains.Mark{{Height: 6, Hash: blocks[2].Hash}, {Height: 5, Hash: blocks[1].Hash}, {Height: 4, Hash: blocks[0].Hash}}
	other.Recall(func(context.Context) ([]chains.Mark, error) { return slices.Clone(marks), nil })
	head, err := other.Head(t.Context(), 6)
	require.NoError(t, err)
	require.Contains(t, head.Marks, marks[0])
	again, err := other.Blocks(t.Context(), 7, 50)
	require.NoError(t, err)
	require.Equal(t, blocks[3:], again)
	all, err := other.Status(t.Context(), []string{sent.Txid})
	require.NoError(t, err)
	require.Equal(t, chains.TxMined, all[sent.Txid].State)
	hash, err := other.Hash(t.Context(), 3)
	require.NoError(t, err)
	require.Empty(t, hash)

	require.NoError(t, l.node.Reorg(3))
	head, err = other.Head(t.Context(), 6)
	require.NoError(t, err)
	require.Contains(t, head.Marks, marks[0])
	lost, err := cardano.Open(t.Context(), l.config, nil)
	require.NoError(t, err)
	t.Cleanup(lost.Close)
	marks = []chains.Mark{{Height: 8, Hash: blocks[4].Hash}}
	lost.Recall(func(context.Context) ([]chains.Mark, error) { return marks, nil })
	_, err = lost.Head(t.Context(), 8)
	require.ErrorIs(t, err, chains.ErrDown, "no block of the books is in the chain")
}

// TestAnswersThatAreLost has a node take transactions without a word, forget them, or be away.
func TestAnswersThatAreLost(t *testing.T) {
	t.Parallel()
	l := launch(t)
	s, _ := l.signed(t, chains.Spend{Orders: []chains.Order{l.order(t, "5")}})
	require.NoError(t, l.node.Trouble(ogmios.Trouble{Mute: new(1)}))
	outcome, why := l.sender.Broadcast(t.Context(), s.Raw)
	require.Equal(t, chains.Unknown, outcome)
	require.NotEmpty(t, why)
	outcome, why = l.sender.Broadcast(t.Context(), s.Raw)
	require.Equal(t, chains.Accepted, outcome, why)
	require.NoError(t, l.node.Forget())
	require.NoError(t, l.node.Trouble(ogmios.Trouble{Swallow: new(1)}))
	outcome, why = l.sender.Broadcast(t.Context(), s.Raw)
	require.Equal(t, chains.Accepted, outcome, why)
	all, err := l.Status(t.Context(), []string{s.Txid})
	require.NoError(t, err)
	require.Equal(t, chains.TxMissing, all[s.Txid].State)
	require.NoError(t, l.node.Trouble(ogmios.Trouble{Down: new(true)}))
	_, err = l.Head(t.Context(), -1)
	require.ErrorIs(t, err, chains.ErrDown)
	outcome, _ = l.sender.Broadcast(t.Context(), s.Raw)
	require.Equal(t, chains.Unknown, outcome)
	require.NoError(t, l.node.Trouble(ogmios.Trouble{Down: new(false)}))
	outcome, why = l.sender.Broadcast(t.Context(), s.Raw)
	require.Equal(t, chains.Accepted, outcome, why)
}

// TestRefusals holds what each error of a node means for a payout.
func TestRefusals(t *testing.T) {
	t.Parallel()
	l := launch(t)
	s, _ := l.signed(t, chains.Spend{Orders: []chains.Order{l.order(t, "5")}})
	for code, want := range map[int]chains.Outcome{3117: chains.SlotTaken, 3118: chains.Expired, 3122: chains.Underpriced, 3123: chains.NotTaken, 3997: chains.NotTaken, -32602: chains.NotTaken} {
		require.NoError(t, l.node.Trouble(ogmios.Trouble{Refuse: &ogmios.Refuse{Code: code, Message: "no", Data: json.RawMessage(`{"error": "mempool is full"}`)}}))
		outcome, why := l.sender.Broadcast(t.Context(), s.Raw)
		require.Equal(t, want, outcome, "%d: %s", code, why)
		require.NotEmpty(t, why)
	}
	outcome, why := l.sender.Broadcast(t.Context(), []byte("no transaction"))
	require.Equal(t, chains.Rejected, outcome, why)
}

// TestAnotherChain has a node of another number: it is never used.
func TestAnotherChain(t *testing.T) {
	t.Parallel()
	l := launch(t)
	wrong := l.config
	wrong.Magic = 43
	_, err := cardano.Open(t.Context(), wrong, nil)
	require.ErrorIs(t, err, cardano.ErrChain)
	wrong.Magic = cardano.Mainnet
	_, err = cardano.Open(t.Context(), wrong, nil)
	require.ErrorIs(t, err, cardano.ErrChain)
	_, err = cardano.NewSender(l.Connector, []byte("another seed of no wallet at all"))
	require.ErrorIs(t, err, cardano.ErrKey)
}

// TestHighFees has payouts wait while the network asks for more than max_fee.
func TestHighFees(t *testing.T) {
	t.Parallel()
	l := launch(t)
	require.NoError(t, l.node.Trouble(ogmios.Trouble{Params: map[string]int64{"minFeeConstant": 2_000_000}}))
	d, coins := l.draft(t, chains.Spend{Orders: []chains.Order{l.order(t, "5")}})
	_, err := d.Sign(chains.Slot{Number: 1, Coins: coins})
	require.ErrorIs(t, err, chains.ErrDown)
	require.ErrorContains(t, err, "max_fee")
}

// TestOddAnswers changes single answers of a node: each is an error, and none a panic or money.
func TestOddAnswers(t *testing.T) {
	t.Parallel()
	l := launch(t)
	head, err := l.Head(t.Context(), -1)
	require.NoError(t, err)
	coin := func(index, lovelace string) string {
		return `{"transaction": {"id": "` + strings.Repeat("ab", 32) + `"}, "index": ` + index + `, "address": "` + l.Hot() + `", "value": {"ada": {"lovelace": ` + lovelace + `}}}`
	}
	for method, answers := range map[string][]string{
		"findIntersection": {`{}`, `{"result": {}}`, `{"result": {"intersection": "origin", "tip": {"slot": 1, "id": "x", "height": 2}}}`,
			`{"result": {"intersection": {"slot": 1, "id": "` + strings.Repeat("ab", 32) + `"}, "tip": {"slot": 1, "id": "` + strings.Repeat("ab", 32) + `", "height": 1}}}`,
			`{"error": {"code": 1001, "message": "interleaved"}}`, `{"result": {"intersection": "origin", "tip": "origin"}}`},
		"queryLedgerState/utxo": {`{"result": [` + coin("0", "5") + `, ` + coin("0", "5") + `]}`,
			`{"result": [` + coin("0", "45000000000000000") + `, ` + coin("1", "1") + `]}`, `{"result": 7}`, `{"result": [{"address": "x"}]}`, `{"result": [{"transaction": {"id": "` + strings.Repeat("ab", 32) +
				`"}, "index": 0, "address": "addr1vx9jrppy446d7fwntsh23cy55nzutt4jew6yysvnx9tfxychfqm3y", "value": {"ada": {"lovelace": 5000000}}}]}`},
		"acquireLedgerState": {`{"error": {"code": 2000, "message": "too old"}}`, `{"error": {"code": 1, "message": "no"}}`},
	} {
		for _, answer := range answers {
			require.NoError(t, l.node.Trouble(ogmios.Trouble{Answer: map[string]json.RawMessage{method: json.RawMessage(answer)}}))
			_, err := l.Holdings(t.Context(), "ADA", []string{l.Hot()}, head.Height)
			require.True(t, errors.Is(err, chains.ErrDown), "%s %s: %v", method, answer, err)
		}
	}
	require.NoError(t, l.node.Trouble(ogmios.Trouble{Answer: map[string]json.RawMessage{}}))
	held, err := l.Holdings(t.Context(), "ADA", []string{l.Hot()}, head.Height)
	require.NoError(t, err)
	require.True(t, held[0].Equal(decimal.NewFromInt(1000)))
}
