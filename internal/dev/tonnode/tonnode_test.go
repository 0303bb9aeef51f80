package tonnode_test

import (
	"encoding/base64"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xssnick/tonutils-go/tlb"
	"github.com/xssnick/tonutils-go/tvm/cell"

	"causeway/internal/dev/tonnode"
)

// seen is a transaction as the node tells it.
type seen struct {
	Data string
	ID   struct {
		LT   uint64 `json:"lt,string"`
		Hash string
	} `json:"transaction_id"`
}

// state is an account as the node tells it.
type state struct {
	Balance int64 `json:"balance,string"`
	State   string
	Last    struct {
		LT   uint64 `json:"lt,string"`
		Hash string
	} `json:"last_transaction_id"`
	Block struct{ Seqno int } `json:"block_id"`
}

func ask(t *testing.T, n *tonnode.Node, method string, params map[string]any, into any) {
	t.Helper()
	require.NoError(t, n.Order(into, method, params))
}

func stranger(t *testing.T, n *tonnode.Node, name string) string {
	t.Helper()
	address, err := n.Stranger(name)
	require.NoError(t, err)
	return address
}

// transactions returns an account's transactions, the newest first, each checked against its hash and the one before it.
func transactions(t *testing.T, n *tonnode.Node, address string) []tlb.Transaction {
	t.Helper()
	var all []seen
	ask(t, n, "getTransactions", map[string]any{"address": address, "limit": 50}, &all)
	out := make([]tlb.Transaction, len(all))
	for i, s := range all {
		raw, err := base64.StdEncoding.DecodeString(s.Data)
		require.NoError(t, err)
		root, err := cell.FromBOC(raw)
		require.NoError(t, err)
		require.Equal(t, s.ID.Hash, base64.StdEncoding.EncodeToString(root.Hash()))
		require.NoError(t, tlb.LoadFromCell(&out[i], root.BeginParse()))
		if i > 0 {
			require.Equal(t, hex.EncodeToString(out[i-1].PrevTxHash), hex.EncodeToString(root.Hash()))
		}
	}
	return out
}

// failed drops the id of a transaction.
func failed(_ string, err error) error { return err }

func TestAccountsHaveAPast(t *testing.T) {
	t.Parallel()
	n := tonnode.Start(t, tonnode.Options{})
	me := stranger(t, n, "me")
	for range 3 {
		require.NoError(t, failed(n.Send(tonnode.Message{To: me, Units: 2_000_000_000, Comment: "12345678"})))
		require.NoError(t, n.Mine(1))
	}
	require.Len(t, transactions(t, n, me), 3)
	var now, before state
	ask(t, n, "getAddressInformation", map[string]any{"address": me}, &now)
	ask(t, n, "getAddressInformation", map[string]any{"address": me, "seqno": now.Block.Seqno - 1}, &before)
	require.InDelta(t, 6_000_000_000, now.Balance, 10, "less what storing the account costs")
	require.InDelta(t, 4_000_000_000, before.Balance, 10)
	require.Equal(t, "uninitialized", now.State)
	require.Less(t, before.Last.LT, now.Last.LT)
	require.ErrorContains(t, n.Order(nil, "getAddressInformation", map[string]any{"address": me, "seqno": now.Block.Seqno + 1}), "not found")
}

func TestBlocksAreLinked(t *testing.T) {
	t.Parallel()
	n := tonnode.Start(t, tonnode.Options{})
	type id struct {
		Seqno int
		Root  string `json:"root_hash"`
	}
	var info struct{ Last, Init id }
	ask(t, n, "getMasterchainInfo", nil, &info)
	before := info.Init.Root
	for seqno := 1; seqno <= info.Last.Seqno; seqno++ {
		var header struct {
			ID   id
			Prev []id `json:"prev_blocks"`
		}
		ask(t, n, "getBlockHeader", map[string]any{"workchain": -1, "shard": "-9223372036854775808", "seqno": seqno}, &header)
		require.Len(t, header.Prev, 1)
		require.Equal(t, before, header.Prev[0].Root)
		before = header.ID.Root
	}
	require.Equal(t, info.Last.Root, before)
}

// TestJettonsAreReal: the jetton's own code computes wallets and tells owners.
func TestJettonsAreReal(t *testing.T) {
	t.Parallel()
	n := tonnode.Start(t, tonnode.Options{})
	me := stranger(t, n, "me")
	master, err := n.Jetton("USDT")
	require.NoError(t, err)
	require.NoError(t, n.Mine(1))
	require.NoError(t, failed(n.Pay(tonnode.JettonPayment{Master: master, Owner: me, Units: 5_000_000, Comment: "87654321"})))
	require.NoError(t, failed(n.Pay(tonnode.JettonPayment{Master: master, Owner: me, Units: 7, Forward: new(int64(0))})))
	require.NoError(t, n.Mine(1))
	all := transactions(t, n, me)
	require.Len(t, all, 1, "a payment without coins for a notice has none")
	in := all[0].IO.In.AsInternal()
	op, err := in.Body.BeginParse().LoadUInt(32)
	require.NoError(t, err)
	require.EqualValues(t, 0x7362d09c, op)
	var wallet struct {
		Code  int `json:"exit_code"`
		Stack [][2]any
	}
	ask(t, n, "runGetMethod", map[string]any{"address": in.SrcAddr.String(), "method": "get_wallet_data", "stack": []any{}}, &wallet)
	require.Zero(t, wallet.Code)
	require.Equal(t, "0x4c4b47", wallet.Stack[0][1], "5,000,007 units")
}

// TestMessagesTakeTheirTime: on a slow chain each hop is a block, and what no contract takes comes back.
func TestMessagesTakeTheirTime(t *testing.T) {
	t.Parallel()
	n := tonnode.Start(t, tonnode.Options{Slow: true})
	master, err := n.Jetton("USDT")
	require.NoError(t, err)
	require.NoError(t, n.Mine(1))
	me := stranger(t, n, "me")
	require.NoError(t, failed(n.Send(tonnode.Message{From: "me", To: master, Units: 1_000_000_000, Comment: "not an order", Bounce: true})))
	require.NoError(t, n.Mine(1))
	require.Empty(t, transactions(t, n, me))
	require.NoError(t, n.Mine(1))
	back := transactions(t, n, me)
	require.Len(t, back, 1)
	require.True(t, back[0].IO.In.AsInternal().Bounced)
}

// TestItSaysWhatItIs: nobody mistakes the shim for a node, and a node's other methods are refused.
func TestItSaysWhatItIs(t *testing.T) {
	t.Parallel()
	n := tonnode.Start(t, tonnode.Options{})
	var info map[string]any
	ask(t, n, "getMasterchainInfo", nil, &info)
	require.Contains(t, info["@extra"], "no node")
	require.ErrorContains(t, n.Order(nil, "getShards", map[string]any{"seqno": 1}), "does not know getShards")
	require.ErrorContains(t, n.Order(nil, "sendBocReturnHash", map[string]any{"boc": "AAAA"}), "not accepted")
}
