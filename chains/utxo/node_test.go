package utxo_test

import (
	"encoding/hex"
	"errors"
	"slices"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/utxo"
	"causeway/internal/dev/bitcoind"
	"causeway/internal/dev/coinfake"
)

func fromHex(t testing.TB, text string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(text)
	check(t, err)
	return raw
}

func amount(text string) decimal.Decimal { return decimal.RequireFromString(text) }

// TestAnotherChain: a node of another chain is refused when the network is opened. Where it is silent then, it is refused when it answers.
//
// Covers operator §Settings: Once it is asked, a node of another chain
func TestAnotherChain(t *testing.T) {
	t.Parallel()
	node := bitcoind.At(t, "BitcoinCash", coinfake.Start(t, "BitcoinCash").URL)
	for _, network := range []string{"Litecoin", "Dogecoin"} {
		if _, err := utxo.Open(t.Context(), settings(t, network, node.URL), nil); !errors.Is(err, utxo.ErrChain) {
			t.Errorf("%s on a node of BitcoinCash: %v", network, err)
		}
	}
	for _, network := range []string{"Bitcoin", "BitcoinCash", "BitcoinSV", "BitcoinGold"} {
		cfg := settings(t, network, node.URL)
		cfg.Chain = "main"
		if _, err := utxo.Open(t.Context(), cfg, nil); !errors.Is(err, utxo.ErrChain) {
			t.Errorf("%s, main, on a node of regtest: %v", network, err)
		}
	}
}

// TestCoinbasesCountOnceTheyMayBeSpent: what a miner's block pays is a transfer of the block after which it may be spent.
//
// Covers operator §Settings: What a miner's block pays counts
func TestCoinbasesCountOnceTheyMayBeSpent(t *testing.T) {
	t.Parallel()
	l := on(t, bitcoind.At(t, "Dogecoin", coinfake.Start(t, "Dogecoin").URL))
	for range 2 { // a fresh connector has not read the block of the coinbase itself
		height := l.node.Height(t)
		blocks, err := l.Blocks(t.Context(), height, 1)
		check(t, err)
		old, err := l.Hash(t.Context(), height-239)
		check(t, err)
		coinbase := l.node.Transactions(t, old)[0].ID
		mature := slices.ContainsFunc(blocks[0].Transfers, func(x chains.Transfer) bool { return x.Txid == coinbase && x.Amount.IsPositive() })
		newest := l.node.Transactions(t, blocks[0].Hash)[0].ID
		young := slices.ContainsFunc(blocks[0].Transfers, func(x chains.Transfer) bool { return x.Txid == newest })
		if !mature || young {
			t.Errorf("block %d: the coinbase of block %d is there: %v, its own: %v", height, height-239, mature, young)
		}
		l.node.Mine(t, 1)
	}
}

// TestReplacedInTheMempool: a payment that is replaced is no longer pending.
func TestReplacedInTheMempool(t *testing.T) {
	t.Parallel()
	l := launch(t, "Bitcoin")
	to, err := l.Derive(t.Context(), 4)
	check(t, err)
	first := l.pay(t, to, amount("3"))
	l.wantPending(t, first, true)
	second := l.node.Replace(t, first)
	l.wantPending(t, first, false)
	l.wantPending(t, second, true)
	l.node.Mine(t, 1)
	l.wantPending(t, second, false)
}

// TestSpentCoinsArePending: the mempool names the coins that it spends, so that restored books find their own among them.
func TestSpentCoinsArePending(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"BitcoinCash", "Dogecoin"} {
		l := on(t, bitcoind.At(t, network, coinfake.Start(t, network).URL))
		other := l.pay(t, l.Hot(), amount("1"))
		signed, slot := l.spend(t, chains.Spend{Orders: []chains.Order{l.order(t, "2")}}, chains.Slot{})
		if outcome, reason := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted {
			t.Fatalf("outcome %d: %s", outcome, reason)
		}
		pending, err := l.Pending(t.Context())
		check(t, err)
		seen := map[string]bool{}
		for _, x := range pending.Transfers {
			seen[x.Txid] = true
		}
		for _, c := range slot.Coins {
			if want := (chains.Spending{Coin: c.ID, Txid: signed.Txid}); !slices.Contains(pending.Spent, want) {
				t.Errorf("%s: %+v are spent, and not %+v", network, pending.Spent, want)
			}
		}
		if !seen[other] || !seen[signed.Txid] {
			t.Errorf("%s: %v are pending", network, seen)
		}
	}
}

func (l *launched) wantPending(t *testing.T, txid string, want bool) {
	t.Helper()
	pending, err := l.Pending(t.Context())
	check(t, err)
	if got := slices.ContainsFunc(pending.Transfers, func(x chains.Transfer) bool { return x.Txid == txid }); got != want {
		t.Errorf("%s is in the mempool: %v, want %v", txid, got, want)
	}
}

// spend prepares, chooses, signs and sends.
func (l *launched) spend(t *testing.T, spend chains.Spend, slot chains.Slot) (chains.Signed, chains.Slot) {
	t.Helper()
	d, err := l.sender.Prepare(t.Context(), spend)
	check(t, err)
	free, err := l.Unspent(t.Context(), l.node.Height(t))
	check(t, err)
	chosen, err := d.(chains.Chooser).Choose(free)
	check(t, err)
	slot.Coins = append(slices.Clone(slot.Coins), chosen...)
	signed, err := d.Sign(slot)
	check(t, err)
	return signed, slot
}

func (l *launched) order(t *testing.T, units string) chains.Order {
	t.Helper()
	to, err := l.Derive(t.Context(), 11)
	check(t, err)
	return chains.Order{To: to, Token: l.Network().Coin, Amount: amount(units)}
}

// TestEachReplacementOffersAQuarterMore: until max_fee_rate is reached, and payouts wait.
//
// Covers operator §Settings: A transaction that waits in the mempool
func TestEachReplacementOffersAQuarterMore(t *testing.T) {
	t.Parallel()
	l := launch(t, "Bitcoin", func(c *utxo.Config) { c.FeeRate, c.MaxFeeRate = amount("10"), amount("20") })
	spend := chains.Spend{Orders: []chains.Order{l.order(t, "2")}}
	signed, slot := l.spend(t, spend, chains.Slot{})
	for range 3 {
		if outcome, reason := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted {
			t.Fatalf("outcome %d: %s", outcome, reason)
		}
		spend.Over = append(spend.Over, signed.Raw)
		before := signed.Fee
		signed, slot = l.spend(t, spend, slot)
		if least, most := before.Mul(amount("1.25")), before.Mul(amount("1.26")); signed.Fee.LessThan(least) || signed.Fee.GreaterThan(most) {
			t.Errorf("a fee of %s after %s", signed.Fee, before)
		}
	}
	spend.Over = append(spend.Over, signed.Raw)
	if _, err := l.sender.Prepare(t.Context(), spend); !errors.Is(err, chains.ErrDown) || !says(err, "max_fee_rate is 20") {
		t.Errorf("%v", err)
	}
}

// TestOrdersThatCannotBePaid: dust, the hot wallet itself, and addresses that no transaction pays.
//
// Covers operator §Settings: A payout below the least that the nodes pass on
func TestOrdersThatCannotBePaid(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"Litecoin", "BitcoinCash"} {
		l := &launched{config: settings(t, network, "http://127.0.0.1:1")}
		var err error
		l.Connector, err = utxo.Open(t.Context(), l.config, nil)
		check(t, err)
		l.sender, err = utxo.NewSender(l.Connector, seed)
		check(t, err)
		fine := l.order(t, "1")
		for _, c := range []struct {
			change func(*chains.Order)
			says   string
		}{
			{func(o *chains.Order) { o.Amount = amount("0.00000545") }, "the least that the nodes"},
			{func(o *chains.Order) { o.To = l.Network().HotAddress() }, "the hot wallet itself"},
			{func(o *chains.Order) { o.To = "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy" }, "an address of Bitcoin today"},
		} {
			order := fine
			c.change(&order)
			if _, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{fine, order}}); !errors.Is(err, chains.ErrUnpayable) || !says(err, c.says) {
				t.Errorf("%s: %v, want %s", network, err, c.says)
			}
		}
		if _, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{fine}}); !errors.Is(err, chains.ErrDown) {
			t.Errorf("a silent node: %v", err)
		}
	}
}

// TestHoldingsAfterAReorganisation: the coins that are known follow the chain.
func TestHoldingsAfterAReorganisation(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"Bitcoin", "Dogecoin"} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			l := &launched{}
			if network == "Bitcoin" {
				l = launch(t, network)
			} else {
				l = on(t, bitcoind.At(t, network, coinfake.Start(t, network).URL))
			}
			far, err := l.Derive(t.Context(), 777) // beyond the addresses that are known at first
			check(t, err)
			start := l.node.Height(t)
			l.wantHeld(t, start, "0", far)
			kept := l.pay(t, far, amount("5"))
			l.node.Mine(t, 1)
			gone := l.pay(t, far, amount("7"))
			l.node.Mine(t, 1)
			l.wantHeld(t, start+1, "5", far)
			l.wantHeld(t, start+2, "12", far)
			l.node.Reorg(t, 2, gone)
			l.wantHeld(t, start+2, "5", far)
			l.wantHeld(t, start, "0", far)
			l.wantHeld(t, start+2, "1005", far, l.Hot())
			if state := l.status(t, kept); state.State != chains.TxMined || state.Height != start+1 {
				t.Errorf("%+v", state)
			}
			if _, err := l.Holdings(t.Context(), l.Network().Coin, []string{far}, start+100); !errors.Is(err, chains.ErrDown) {
				t.Errorf("above the best block: %v", err)
			}
			if _, err := l.Holdings(t.Context(), "USDT", []string{far}, start); err == nil {
				t.Error("a token that is none is held")
			}
		})
	}
}

func (l *launched) wantHeld(t *testing.T, height int64, want string, of ...string) {
	t.Helper()
	held, err := l.Holdings(t.Context(), l.Network().Coin, of, height)
	check(t, err)
	if got := decimal.Sum(decimal.Zero, held...); !got.Equal(amount(want)) {
		t.Errorf("at block %d: %s, want %s", height, got, want)
	}
}

func (l *launched) status(t *testing.T, txid string) chains.TxStatus {
	t.Helper()
	all, err := l.Status(t.Context(), []string{txid, "no id"})
	check(t, err)
	return all[txid]
}
