package utxo_test

import (
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"causeway/chains"
	"causeway/chains/chaintest"
	"causeway/chains/remotesigner"
	"causeway/chains/utxo"
	"causeway/internal/dev/bitcoind"
	"causeway/internal/dev/coinfake"
	"causeway/internal/dev/keysigner"
)

// TestMain is also a signer: a program with the keys.
func TestMain(m *testing.M) { keysigner.Run(m, seed) }

// remote gives the connector a server with the keys of a seed, and counts its questions.
func (l *launched) remote(t *testing.T, seed []byte) (*utxo.Sender, *atomic.Int64) {
	t.Helper()
	url, asked := keysigner.Start(t, seed)
	return utxo.NewRemoteSender(l.Connector, remotesigner.New(remotesigner.Config{URL: url}, "")), asked
}

// TestKeysElsewhere runs the suite of all connectors with the keys on a server, on a real node whose coins are spent by their witness.
func TestKeysElsewhere(t *testing.T) {
	t.Parallel()
	chaintest.Run(t, func(t *testing.T) chaintest.Chain {
		l := launch(t, "Bitcoin")
		l.sender, _ = l.remote(t, seed)
		return l.chain(t)
	})
}

// TestTheSameBytesElsewhere: the signatures of a signer are those of the seed, in the form of each coin.
//
// Covers operator §Settings: A `signer` of Bitcoin and its kin
func TestTheSameBytesElsewhere(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"Dogecoin", "BitcoinCash", "BitcoinGold"} {
		l := on(t, bitcoind.At(t, network, coinfake.Start(t, network).URL))
		spend := chains.Spend{Orders: []chains.Order{l.order(t, "1")}}
		want, _ := l.spend(t, spend, chains.Slot{})
		var asked *atomic.Int64
		l.sender, asked = l.remote(t, seed)
		got, slot := l.spend(t, spend, chains.Slot{})
		if got.Txid != want.Txid || asked.Load() != int64(len(slot.Coins)) {
			t.Errorf("%s: %s for %s, %d questions for %d coins", network, got.Txid, want.Txid, asked.Load(), len(slot.Coins))
		}
	}
}

// TestAProgramSigns pays by the keys of a program, as NETWORKS_FILE names it. The process is given no seed.
//
// Covers operator §Settings: signer has the keys
func TestAProgramSigns(t *testing.T) {
	t.Parallel()
	l := launch(t, "Bitcoin")
	program, err := os.Executable()
	check(t, err)
	cfg := l.config
	cfg.Signer = &remotesigner.Config{Command: []string{program, "sign"}}
	configured, err := utxo.Driver.Read("Bitcoin", said{&cfg})
	check(t, err)
	if !configured.Elsewhere {
		t.Error("the network needs the seed")
	}
	for _, with := range []chains.Opening{{}, {Signs: true}} {
		n, err := configured.Open(t.Context(), with)
		check(t, err)
		if (n.Sender != nil) != with.Signs || n.SignsElsewhere != with.Signs {
			t.Fatalf("%+v for %+v", n, with)
		}
		if with.Signs {
			l.sender = n.Sender.(*utxo.Sender)
		}
	}
	to, err := l.Derive(t.Context(), 3)
	check(t, err)
	l.pay(t, to, amount("20"))
	l.node.Mine(t, 1)
	signed, _ := l.spendAll(t, to, 3)
	if outcome, why := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted {
		t.Fatal(outcome, why)
	}
	l.node.Mine(t, 1)
	if state := l.status(t, signed.Txid); state.State != chains.TxMined {
		t.Errorf("%+v", state)
	}
}

// spendAll signs a payment with the coins of the hot wallet and of a deposit address.
func (l *launched) spendAll(t *testing.T, deposit string, index uint32) (chains.Signed, []chains.Coin) {
	t.Helper()
	free, err := l.Unspent(t.Context(), l.node.Height(t))
	check(t, err)
	blocks, err := l.Blocks(t.Context(), l.node.Height(t), 1)
	check(t, err)
	for _, x := range blocks[0].Transfers {
		if x.To == l.Match(deposit) {
			free = append(free, chains.Coin{ID: chains.CoinID(x.Txid, x.Position), Token: x.Token, Amount: x.Amount, At: &chains.Wallet{Address: x.To, Index: index}})
		}
	}
	draft, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{l.order(t, "1015")}})
	check(t, err)
	chosen, err := draft.(chains.Chooser).Choose(free)
	check(t, err)
	if len(chosen) < 2 {
		t.Fatalf("%+v, want the deposit too", chosen)
	}
	signed, err := draft.Sign(chains.Slot{Coins: chosen})
	check(t, err)
	return signed, chosen
}

// said is the part of NETWORKS_FILE that says a configuration.
type said struct{ config *utxo.Config }

func (s said) Decode(into any) error { *into.(*utxo.Config) = *s.config; return nil }
func (s said) Has(string) bool       { return false }

// TestAnotherSignerIsRefused: a signature of another seed's key is an error for now, and nothing is signed. The bytes of a draft are asked
// for once.
//
// Covers operator §Settings: An answer that is wrong
func TestAnotherSignerIsRefused(t *testing.T) {
	t.Parallel()
	l := on(t, bitcoind.At(t, "BitcoinGold", coinfake.Start(t, "BitcoinGold").URL))
	spend := chains.Spend{Orders: []chains.Order{l.order(t, "1")}}
	free, err := l.Unspent(t.Context(), l.node.Height(t))
	check(t, err)
	wrong, _ := l.remote(t, []byte("causeway tests: quite another one"))
	draft, err := wrong.Prepare(t.Context(), spend)
	check(t, err)
	signed, err := draft.Sign(chains.Slot{Coins: free})
	if !errors.Is(err, chains.ErrDown) || !says(err, "m/44'/156'/0'/1/0: the signature is by another key") || signed.Raw != nil {
		t.Errorf("%+v, %v: want ErrDown about the key", signed, err)
	}
	right, asked := l.remote(t, seed)
	draft, err = right.Prepare(t.Context(), spend)
	check(t, err)
	first, err := draft.Sign(chains.Slot{Coins: free})
	check(t, err)
	second, err := draft.Sign(chains.Slot{Coins: free})
	check(t, err)
	if first.Txid != second.Txid || asked.Load() != int64(len(free)) {
		t.Errorf("%s and %s, asked %d times", first.Txid, second.Txid, asked.Load())
	}
}

// TestSignerOfANetwork: a mistake in the signer's settings stops the start.
func TestSignerOfANetwork(t *testing.T) {
	t.Parallel()
	head := written(t, "Bitcoin") + "signer: "
	for text, want := range map[string]string{
		"{command: [sign], url: https://signer.example}": "signer: say either command or url",
		"{url: http://signer.example}":                   "signer: url: an https URL",
		"{}":                                             "signer: say either",
	} {
		if _, err := utxo.Driver.Read("Bitcoin", part(head+text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if c, err := utxo.Driver.Read("Bitcoin", part(head+"{command: [sign, --hot], env: [AWS_REGION]}")); err != nil || !c.Elsewhere {
		t.Errorf("%+v, %v", c, err)
	}
}
