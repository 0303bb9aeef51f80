package sandbox_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/sandbox"
)

// TestRefill moves coin to the cold address and a part of it back. The holder of the cold address has no more than that.
//
// Covers operator §Sandbox networks: Each network has a cold address
func TestRefill(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Ethereum", "Ripple", "Tron"} {
		n, db := open(t, name)
		o := sandbox.Operator{DB: db}
		require.NotEmpty(t, n.Cold)
		require.NotEqual(t, n.Hot, n.Cold)
		require.Equal(t, n.Cold, n.Addresser.Match(n.Cold))
		draft, err := n.Sender.Prepare(t.Context(), one(chains.Order{To: n.Cold, Token: n.Coin, Amount: amount("10")}))
		require.NoError(t, err)
		signed, err := draft.Sign(chains.Slot{})
		require.NoError(t, err)
		accepted(t, n, signed)
		_, err = o.Mine(t.Context(), n.Name, 1)
		require.NoError(t, err)
		for range 2 {
			_, err = o.Refill(t.Context(), n.Name, n.Coin, amount("4"))
			require.NoError(t, err)
		}
		_, err = o.Refill(t.Context(), n.Name, n.Coin, amount("4"))
		require.ErrorContains(t, err, "short")
		height, err := o.Mine(t.Context(), n.Name, 1)
		require.NoError(t, err)
		held, err := n.Holder.Holdings(t.Context(), n.Coin, []string{n.Cold}, height)
		require.NoError(t, err)
		require.Equal(t, "1.9998", held[0].String(), "10 less 4 and its fee, twice")
		blocks, err := n.Scanner.Blocks(t.Context(), height, 1)
		require.NoError(t, err)
		require.Len(t, blocks[0].Transfers, 2)
		require.Equal(t, n.Hot, blocks[0].Transfers[0].To)
		require.Equal(t, n.Cold, n.Addresser.Match(blocks[0].Transfers[0].From))
	}
	n, db := open(t, "Bitcoin")
	_, err := sandbox.Operator{DB: db}.Refill(t.Context(), n.Name, n.Coin, amount("1"))
	require.ErrorContains(t, err, "coins of its cold address")
}

// TestSendersAreProven: the network takes a transaction of the hot wallet, or of the deposit address of its index, and of nobody
// else. Where payins share an address nothing is collected.
func TestSendersAreProven(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Ethereum")
	o := sandbox.Operator{DB: db}
	deposit, err := n.Addresser.Derive(t.Context(), 5)
	require.NoError(t, err)
	for _, to := range []string{deposit, n.Cold} {
		_, err = o.Pay(t.Context(), sandbox.Payment{Network: n.Name, Token: n.Coin, To: to, Amount: amount("10")})
		require.NoError(t, err)
	}
	_, err = o.Mine(t.Context(), n.Name, 1)
	require.NoError(t, err)
	from := &chains.Wallet{Address: n.Addresser.Match(deposit), Index: 5}
	sweep := chains.Spend{From: from, Most: true, Orders: []chains.Order{{To: n.Hot, Token: n.Coin, Amount: amount("10")}}}
	draft, err := n.Sender.Prepare(t.Context(), sweep)
	require.NoError(t, err)
	signed, err := draft.Sign(chains.Slot{})
	require.NoError(t, err)
	var raw map[string]any
	require.NoError(t, json.Unmarshal(signed.Raw, &raw))
	for what, change := range map[string]func(){
		"another index":    func() { raw["index"] = 6 },
		"no index":         func() { delete(raw, "index") },
		"the cold address": func() { raw["from"], raw["index"] = n.Cold, 5 },
	} {
		require.NoError(t, json.Unmarshal(signed.Raw, &raw))
		change()
		forged, err := json.Marshal(raw)
		require.NoError(t, err)
		outcome, reason := n.Sender.Broadcast(t.Context(), forged)
		require.Equal(t, chains.Rejected, outcome, "%s: %s", what, reason)
	}
	accepted(t, n, signed)

	bitcoin, _ := open(t, "Bitcoin")
	require.False(t, bitcoin.Collects)
	other, err := bitcoin.Addresser.Derive(t.Context(), 5)
	require.NoError(t, err)
	sweep.From, sweep.Orders[0].Token = &chains.Wallet{Address: bitcoin.Addresser.Match(other), Index: 5}, bitcoin.Coin
	_, err = bitcoin.Sender.Prepare(t.Context(), sweep)
	require.Error(t, err)
	require.False(t, errors.Is(err, chains.ErrShort) || strings.Contains(err.Error(), "node"), "%v", err)
}

// TestAReorganisationTakesWhatWasPaidWithWhatItDrops: a deposit was swept, and the sweep paid on. Without the deposit neither is mined
// again, and nobody holds less than nothing. When the deposit comes again, both are taken.
func TestAReorganisationTakesWhatWasPaidWithWhatItDrops(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Ethereum")
	o := sandbox.Operator{DB: db}
	holdings := func() (out []string) {
		head, err := n.Scanner.Head(t.Context(), -1)
		require.NoError(t, err)
		deposit, err := n.Addresser.Derive(t.Context(), 5)
		require.NoError(t, err)
		held, err := n.Holder.Holdings(t.Context(), n.Coin, []string{n.Hot, n.Addresser.Match(deposit)}, head.Height)
		require.NoError(t, err)
		return []string{held[0].String(), held[1].String()}
	}
	before := holdings()
	deposit, err := n.Addresser.Derive(t.Context(), 5)
	require.NoError(t, err)
	payment := sandbox.Payment{Network: n.Name, Token: n.Coin, To: deposit, Amount: amount("10"), Txid: "deposit"}
	_, err = o.Pay(t.Context(), payment)
	require.NoError(t, err)
	_, err = o.Mine(t.Context(), n.Name, 1)
	require.NoError(t, err)
	draft, err := n.Sender.Prepare(t.Context(), chains.Spend{From: &chains.Wallet{Address: n.Addresser.Match(deposit), Index: 5}, Most: true,
		Orders: []chains.Order{{To: n.Hot, Token: n.Coin, Amount: amount("10")}}})
	require.NoError(t, err)
	sweep, err := draft.Sign(chains.Slot{})
	require.NoError(t, err)
	accepted(t, n, sweep)
	_, err = o.Mine(t.Context(), n.Name, 1)
	require.NoError(t, err)
	all := amount(holdings()[0])
	draft, err = n.Sender.Prepare(t.Context(), one(chains.Order{To: n.Cold, Token: n.Coin, Amount: all.Sub(amount("1"))}))
	require.NoError(t, err)
	on, err := draft.Sign(chains.Slot{})
	require.NoError(t, err)
	accepted(t, n, on)

	_, err = o.Reorg(t.Context(), n.Name, 2, "deposit")
	require.NoError(t, err)
	wantState(t, n, sweep.Txid, chains.TxMissing)
	wantState(t, n, on.Txid, chains.TxMissing)
	require.Equal(t, []string{before[0], "0"}, holdings())
	outcome, _ := n.Sender.Broadcast(t.Context(), sweep.Raw)
	require.Equal(t, chains.NotTaken, outcome)

	_, err = o.Pay(t.Context(), payment)
	require.NoError(t, err)
	_, err = o.Mine(t.Context(), n.Name, 1)
	require.NoError(t, err)
	accepted(t, n, sweep)
	_, err = o.Mine(t.Context(), n.Name, 1)
	require.NoError(t, err)
	accepted(t, n, on)
}
