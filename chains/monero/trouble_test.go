package monero_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/monero"
	"causeway/internal/dev/monerod"
)

// TestAWalletServerAsksForAPassword pays by a server with a login, as the signer's should have.
func TestAWalletServerAsksForAPassword(t *testing.T) {
	t.Parallel()
	l := launch(t)
	guarded := l.config
	guarded.Spender = l.node.Guarded(t).URL
	c, err := monero.Open(t.Context(), guarded, nil)
	check(t, err)
	t.Cleanup(c.Close)
	sender, err := monero.NewSender(c, seed)
	check(t, err)
	check(t, sender.Show(t.Context()))
	check(t, sender.Show(t.Context())) // the second question has the answer to the first one's challenge
}

// TestAwayAndBack: a node or a wallet that is away is waited for, and a wallet that was lost is made anew.
func TestAwayAndBack(t *testing.T) {
	t.Parallel()
	l := launch(t)
	to, err := l.Derive(t.Context(), 3)
	check(t, err)
	txid := l.pay(t, to, decimal.NewFromInt(2))
	l.node.Mine(t, 1)
	height := l.node.Height(t)

	lost := l.config
	lost.Wallet = l.node.Server(t).URL // without a wallet
	other, err := monero.Open(t.Context(), lost, nil)
	check(t, err)
	t.Cleanup(other.Close)
	sender, err := monero.NewSender(other, seed)
	check(t, err)
	check(t, sender.Show(t.Context())) // the stranger may hide behind coins of ours
	blocks, err := other.Blocks(t.Context(), height, 1)
	if err != nil || len(blocks) != 1 || len(blocks[0].Transfers) != 1 || blocks[0].Transfers[0].Txid != txid {
		t.Errorf("with a wallet made anew block %d has %+v, %v", height, blocks, err)
	}

	signed, _ := l.payout(t)
	l.view.Stop()
	if _, err := l.Blocks(t.Context(), height, 1); !errors.Is(err, chains.ErrDown) {
		t.Errorf("without the wallet: %v", err)
	}
	if _, err := l.Holdings(t.Context(), "XMR", []string{l.Network().Hot}, height); !errors.Is(err, chains.ErrDown) {
		t.Errorf("without the wallet: %v", err)
	}
	l.node.Stop()
	if _, err := l.Head(t.Context(), -1); !errors.Is(err, chains.ErrDown) {
		t.Errorf("without the node: %v", err)
	}
	if outcome, reason := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Unknown || reason == "" {
		t.Errorf("sent to no node: %d, %q", outcome, reason)
	}
}

// TestTheSpendersFileHasAPassword: the file of the wallet that can spend is of no use without the seed.
func TestTheSpendersFileHasAPassword(t *testing.T) {
	t.Parallel()
	l := launch(t)
	l.spender.Call(t, nil, "close_wallet", nil)
	file := map[string]any{"filename": "causeway-spend-" + l.Network().Hot[:16], "password": ""}
	var refusal *monerod.Refusal
	if err := l.spender.Try(nil, "open_wallet", file); !errors.As(err, &refusal) || !strings.Contains(refusal.Message, "password") {
		t.Errorf("opened without a password: %v", err)
	}
	check(t, l.sender.Show(t.Context()))
}

// TestMiningToTheHotWallet: what a block pays is no coin of the books, and stops nothing.
func TestMiningToTheHotWallet(t *testing.T) {
	t.Parallel()
	l := launch(t)
	before, err := l.Unspent(t.Context(), l.node.Height(t))
	check(t, err)
	l.node.MineTo(t, l.Network().Hot, 1)
	after, err := l.Unspent(t.Context(), l.node.Height(t))
	check(t, err)
	if len(after) != len(before) {
		t.Errorf("%d coins, and %d before", len(after), len(before))
	}
	check(t, l.sender.Show(t.Context()))
	signed, _ := l.payout(t)
	if outcome, reason := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted {
		t.Errorf("outcome %d: %s", outcome, reason)
	}
}

// aRingOfAnotherChain: after a deep reorganisation the places in a ring are of other outputs. No node takes the transaction ever again, and
// says why.
func aRingOfAnotherChain(t *testing.T) {
	t.Parallel()
	l := launch(t)
	signed, _ := l.payout(t)
	l.node.Post(t, &struct{}{}, "/pop_blocks", map[string]any{"nblocks": 25})
	l.node.Mine(t, 1)
	l.pay(t, l.stranger.Address, decimal.NewFromInt(1)) // so that all later outputs have other places
	l.node.Mine(t, 25)
	outcome, reason := l.sender.Broadcast(t.Context(), signed.Raw)
	if outcome != chains.NotTaken || !strings.Contains(reason, "hides among") {
		t.Errorf("outcome %d: %s", outcome, reason)
	}
}

// TestASpendIsKnownOrWaitedFor: a wallet that was not shown the key images cannot tell whose coin a block spends, and says so.
func TestASpendIsKnownOrWaitedFor(t *testing.T) {
	t.Parallel()
	l := launch(t)
	signed, coin := l.payout(t)
	if outcome, reason := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted {
		t.Fatalf("outcome %d: %s", outcome, reason)
	}
	l.node.Mine(t, 1)
	blind := l.config
	blind.Wallet = l.node.Server(t).URL
	blind.Spender = crooked{told: backwards}.serve(t, blind.Spender) // the two wallets have found the same in another order
	other, err := monero.Open(t.Context(), blind, nil)
	check(t, err)
	t.Cleanup(other.Close)
	if _, err := other.Blocks(t.Context(), l.node.Height(t), 1); !errors.Is(err, chains.ErrDown) {
		t.Errorf("a wallet without key images tells what is spent: %v", err)
	}
	sender, err := monero.NewSender(other, seed)
	check(t, err)
	check(t, sender.Show(t.Context()))
	blocks, err := other.Blocks(t.Context(), l.node.Height(t), 1)
	check(t, err)
	if !slices.ContainsFunc(blocks[0].Spent, func(s chains.Spending) bool { return s.Coin == coin.ID }) {
		t.Errorf("%+v are spent, and not %s", blocks[0].Spent, coin.ID)
	}
}

// backwards turns the lists of a wallet around.
func backwards(_ string, result map[string]any) {
	for _, list := range []string{"transfers", "signed_key_images"} {
		if all, has := result[list].([]any); has {
			slices.Reverse(all)
		}
	}
}

// TestNothingIsRefundedForBytesThatCannotBeRead: they were signed once, and a node may read them.
func TestNothingIsRefundedForBytesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	if outcome, reason := unconnected(t, settings(t, "http://127.0.0.1:1")).Broadcast(t.Context(), []byte("no transaction")); outcome != chains.Unknown || reason == "" {
		t.Errorf("outcome %d, %q", outcome, reason)
	}
}

// withPaymentID is an integrated address, of the addresses' vectors.
const withPaymentID = "4EQRcWeKzTgSpvqScQhxAMXscGYPEJSA14WxY5hQdfru2sn9V4ZPeDs7tFHeND7YzmJFS5qc4CguQPpwDY9SuLqMA5a2XZw78tV5djVA8u"

// TestPaymentIDsAreNeverPaid: the wallet makes no transaction with a payment id and two receivers, and something always comes back.
func TestPaymentIDsAreNeverPaid(t *testing.T) {
	t.Parallel()
	cfg := settings(t, "http://127.0.0.1:1")
	cfg.Batch = 1
	order := chains.Order{To: withPaymentID, Token: "XMR", Amount: decimal.NewFromInt(1)}
	if _, err := unconnected(t, cfg).Prepare(t.Context(), chains.Spend{Orders: []chains.Order{order}}); !errors.Is(err, chains.ErrUnpayable) {
		t.Errorf("%v", err)
	}
}

// unconnected is a sender that reaches nobody.
func unconnected(t *testing.T, cfg monero.Config) *monero.Sender {
	t.Helper()
	cfg.Spender = "http://127.0.0.1:2"
	c, err := monero.Open(t.Context(), cfg, nil)
	check(t, err)
	t.Cleanup(c.Close)
	sender, err := monero.NewSender(c, seed)
	check(t, err)
	return sender
}

// TestAnotherSeed: the account is that of the seed, or nothing is signed.
func TestAnotherSeed(t *testing.T) {
	t.Parallel()
	cfg := settings(t, "http://127.0.0.1:1")
	cfg.Spender = "http://127.0.0.1:2"
	c, err := monero.Open(t.Context(), cfg, nil)
	check(t, err)
	t.Cleanup(c.Close)
	if _, err := monero.NewSender(c, []byte("another seed of thirty-two bytes")); !errors.Is(err, monero.ErrKey) {
		t.Errorf("%v", err)
	}
}
