package sandbox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/sandbox"
)

// No number excludes here: a slot signed twice within the time of the first is paid twice, if both are sent.
func TestANumberTwiceInItsTime(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Solana")
	o := sandbox.Operator{DB: db}
	one := sign(t, n, "1", 7)
	_, err := o.Mine(t.Context(), n.Name, 4)
	must(t, err)
	two := sign(t, n, "1", 7)
	require.NotEqual(t, one.Txid, two.Txid)
	accepted(t, n, one)
	accepted(t, n, two)
	_, err = o.Mine(t.Context(), n.Name, 1)
	must(t, err)
	wantState(t, n, one.Txid, chains.TxMined)
	wantState(t, n, two.Txid, chains.TxMined)
}

// The last block of a transaction is the one it was signed for: there it is still mined, and after it no more.
func TestTheLastBlock(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Tron")
	o := sandbox.Operator{DB: db}
	for _, late := range []int{0, 1} {
		signed := sign(t, n, "1", uint64(late))
		head, err := n.Scanner.Head(t.Context(), -1)
		must(t, err)
		require.Equal(t, head.Clock+n.Expiry, *signed.Until)
		_, err = o.Mine(t.Context(), n.Name, int(*signed.Until-head.Height)-1+late)
		must(t, err)
		if late == 1 {
			outcome(t, n, signed.Raw, chains.Expired)
			continue
		}
		accepted(t, n, signed)
		_, err = o.Mine(t.Context(), n.Name, 1)
		must(t, err)
		wantState(t, n, signed.Txid, chains.TxMined)
		accepted(t, n, signed)
	}
}

// A block does not take from the mempool what is over by then. The hot wallet has its money back.
func TestOverInTheMempool(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Tron")
	o := sandbox.Operator{DB: db}
	signed, other := sign(t, n, "1", 0), sign(t, n, "2", 1)
	accepted(t, n, signed)
	accepted(t, n, other)
	_, err := db.ExecContext(t.Context(), "update sandbox_transactions set until = 1 where txid = ?", signed.Txid)
	must(t, err)
	height, err := o.Mine(t.Context(), n.Name, 1)
	must(t, err)
	wantState(t, n, signed.Txid, chains.TxMissing)
	wantState(t, n, other.Txid, chains.TxMined)
	held, err := n.Holder.Holdings(t.Context(), n.Coin, []string{n.Hot}, height)
	must(t, err)
	require.True(t, held[0].Equal(amount("1000000000").Sub(amount("2.0001"))), "%s", held)
}

// Each slot open here is counted as promised by the books.
func TestSpareByExpiry(t *testing.T) {
	t.Parallel()
	n, _ := open(t, "Tron")
	draft, err := n.Sender.Prepare(t.Context(), one(order(t, n, "5")))
	must(t, err)
	spare := draft.Spare()
	require.Equal(t, uint64(0), *spare.From)
	require.Nil(t, spare.Untaken)
	require.True(t, spare.Coin.Equal(amount("999999994.9999")) && spare.Token.Equal(spare.Coin), "%+v", spare)
}
