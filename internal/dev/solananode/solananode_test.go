package solananode_test

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/solananode"
)

// someone is an account without a past.
const someone = "GsbwXfJraMomNxBcjYLcG3mxkBUiyWXAB32fGbSMQRdW"

const system = "11111111111111111111111111111111"

// seen is a transaction as the node tells it.
type seen struct {
	Slot        int
	Transaction [2]string
	Meta        struct {
		Err                       any
		Fee                       int64
		PreBalances, PostBalances []int64
	}
}

func transaction(t *testing.T, n *solananode.Node, id, commitment string) *seen {
	t.Helper()
	var out *seen
	require.NoError(t, n.Order(&out, "getTransaction", id, map[string]any{"encoding": "base64", "commitment": commitment, "maxSupportedTransactionVersion": 0}))
	return out
}

func raw(t *testing.T, s *seen) []byte {
	t.Helper()
	out, err := base64.StdEncoding.DecodeString(s.Transaction[0])
	require.NoError(t, err)
	return out
}

// send sends bytes, with the node's trial before.
func send(n *solananode.Node, bytes []byte) error {
	return n.Order(nil, "sendTransaction", base64.StdEncoding.EncodeToString(bytes), map[string]any{"encoding": "base64"})
}

// transfer moves lamports of a key that everyone knows.
func transfer(from, to string, lamports uint64) solananode.Instruction {
	data := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, 2), lamports)
	return solananode.Instruction{Program: system, Data: data, Accounts: []solananode.Account{{Key: from, Signer: true, Writable: true}, {Key: to, Writable: true}}}
}

func TestMoneyIsSeenWhenFinal(t *testing.T) {
	t.Parallel()
	n := solananode.Start(t, solananode.Options{})
	coin, err := n.Fund(someone, 2_000_000_000)
	require.NoError(t, err)
	token, err := n.Pay(solananode.USDC, someone, 1_234_567)
	require.NoError(t, err)
	require.NoError(t, n.Mine(1))
	require.Nil(t, transaction(t, n, coin, "finalized"))
	require.NotNil(t, transaction(t, n, coin, "confirmed"))
	lamports, units, err := n.Held(someone, solananode.USDC)
	require.NoError(t, err)
	require.Zero(t, lamports+units)
	require.NoError(t, n.Finalise())
	lamports, units, err = n.Held(someone, solananode.USDC)
	require.NoError(t, err)
	require.EqualValues(t, 2_000_000_000, lamports)
	require.EqualValues(t, 1_234_567, units)
	var list []struct{ Signature string }
	require.NoError(t, n.Order(&list, "getSignaturesForAddress", someone, map[string]any{}))
	require.Len(t, list, 2)
	require.Equal(t, []string{token, coin}, []string{list[0].Signature, list[1].Signature})
	require.NoError(t, n.Order(&list, "getSignaturesForAddress", someone, map[string]any{"until": coin}))
	require.Len(t, list, 1)
	require.NoError(t, n.Order(&list, "getSignaturesForAddress", someone, map[string]any{"before": token, "limit": 1}))
	require.Equal(t, coin, list[0].Signature)
}

func TestTimeEndsTransactions(t *testing.T) {
	t.Parallel()
	n := solananode.Start(t, solananode.Options{})
	id, err := n.Fund(someone, 2_000_000_000)
	require.NoError(t, err)
	require.NoError(t, n.Mine(1))
	bytes := raw(t, transaction(t, n, id, "confirmed"))
	require.ErrorContains(t, send(n, bytes), "already been processed")
	require.NoError(t, n.Fork(1, id))
	require.NoError(t, send(n, bytes))
	require.NoError(t, n.Drop())
	// Its blockhash was 32 blocks old, and the fork has left two of the rest of its life.
	require.NoError(t, n.Mine(150-32-2))
	require.NoError(t, send(n, bytes))
	require.NoError(t, n.Drop())
	require.NoError(t, n.Skip(5)) // slots without a block take nothing of it
	require.NoError(t, n.Mine(3))
	require.ErrorContains(t, send(n, bytes), "Blockhash not found")
	_, err = n.Send(bytes)
	require.NoError(t, err)
	require.NoError(t, n.Mine(1))
	require.Nil(t, transaction(t, n, id, "confirmed"))
}

func TestForksEndAtFinalBlocks(t *testing.T) {
	t.Parallel()
	n := solananode.Start(t, solananode.Options{})
	require.NoError(t, n.Mine(40))
	kept, err := n.Fund(someone, 2_000_000_000)
	require.NoError(t, err)
	lost, err := n.Pay(solananode.USDT, someone, 5)
	require.NoError(t, err)
	require.NoError(t, n.Mine(3))
	require.NoError(t, n.Fork(3, lost))
	require.NotNil(t, transaction(t, n, kept, "confirmed"))
	require.Nil(t, transaction(t, n, lost, "confirmed"))
	require.ErrorContains(t, n.Fork(33), "final")
	require.NoError(t, n.Finalise())
	lamports, units, err := n.Held(someone, solananode.USDT)
	require.NoError(t, err)
	require.EqualValues(t, 2_000_000_000, lamports)
	require.Zero(t, units)
}

// TestWhatFailsPaysItsFee: a transaction that fails is in a block, and moves nothing but its fee.
func TestWhatFailsPaysItsFee(t *testing.T) {
	t.Parallel()
	n := solananode.Start(t, solananode.Options{})
	poor, err := n.Key("poor")
	require.NoError(t, err)
	_, err = n.Fund(poor, 1_000_000_000)
	require.NoError(t, err)
	require.NoError(t, n.Mine(1))
	price := solananode.Instruction{Program: "ComputeBudget111111111111111111111111111111", Data: binary.LittleEndian.AppendUint64([]byte{3}, 7_000)}
	id, err := n.Run([]solananode.Instruction{price, transfer(poor, someone, 2_000_000_000)}, "poor")
	require.NoError(t, err)
	require.NoError(t, n.Mine(1))
	failed := transaction(t, n, id, "confirmed")
	require.NotNil(t, failed)
	require.NotNil(t, failed.Meta.Err)
	require.Equal(t, failed.Meta.Fee, failed.Meta.PreBalances[0]-failed.Meta.PostBalances[0])
	require.Greater(t, failed.Meta.Fee, int64(5_000+7_000))
	bytes := raw(t, failed)
	require.NoError(t, n.Fork(1, id))
	require.ErrorContains(t, send(n, bytes), "custom program error: 0x1")
	bytes[10]++
	require.ErrorContains(t, send(n, bytes), "signature verification failure")
	require.Error(t, send(n, bytes[:40]))
	// Without the fee it comes into no block.
	nobody, err := n.Key("nobody")
	require.NoError(t, err)
	id, err = n.Run([]solananode.Instruction{transfer(nobody, someone, 1)}, "nobody")
	require.NoError(t, err)
	require.NoError(t, n.Mine(1))
	require.Nil(t, transaction(t, n, id, "confirmed"))
}

func TestBlocksAndTheirGaps(t *testing.T) {
	t.Parallel()
	n := solananode.Start(t, solananode.Options{})
	var before, after struct {
		AbsoluteSlot, BlockHeight int
	}
	newest := map[string]any{"commitment": "confirmed"}
	require.NoError(t, n.Order(&before, "getEpochInfo", newest))
	require.NoError(t, n.Skip(7))
	require.NoError(t, n.Mine(1))
	require.NoError(t, n.Order(&after, "getEpochInfo", newest))
	require.Equal(t, before.AbsoluteSlot+8, after.AbsoluteSlot)
	require.Equal(t, before.BlockHeight+1, after.BlockHeight)
	plain := map[string]any{"transactionDetails": "none", "rewards": false, "commitment": "confirmed"}
	require.ErrorContains(t, n.Order(nil, "getBlock", before.AbsoluteSlot+1, plain), "was skipped")
	require.ErrorContains(t, n.Order(nil, "getBlock", after.AbsoluteSlot+1, plain), "not available")
	var block, parent struct {
		ParentSlot                   int
		Blockhash, PreviousBlockhash string
	}
	require.NoError(t, n.Order(&block, "getBlock", after.AbsoluteSlot, plain))
	require.NoError(t, n.Order(&parent, "getBlock", block.ParentSlot, plain))
	require.Equal(t, parent.Blockhash, block.PreviousBlockhash)
	var slots []int
	require.NoError(t, n.Order(&slots, "getBlocks", before.AbsoluteSlot, after.AbsoluteSlot, newest))
	require.Equal(t, []int{before.AbsoluteSlot, after.AbsoluteSlot}, slots)
}

// TestItSaysWhatItIs: nobody mistakes the shim for a validator, and a validator's other methods are refused.
func TestItSaysWhatItIs(t *testing.T) {
	t.Parallel()
	n := solananode.Start(t, solananode.Options{})
	var version map[string]any
	require.NoError(t, n.Order(&version, "getVersion"))
	require.Contains(t, version["solana-core"], "no validator")
	require.ErrorContains(t, n.Order(nil, "getVoteAccounts"), "Method not found")
	err := n.Order(nil, "getMultipleAccounts", strings.Split(strings.Repeat(someone+" ", 101), " ")[:101], map[string]any{"encoding": "base64"})
	require.ErrorContains(t, err, "max 100")
}
