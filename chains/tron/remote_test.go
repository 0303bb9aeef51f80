package tron_test

import (
	"bytes"
	"errors"
	"os"
	"sync/atomic"
	"testing"

	"causeway/chains"
	"causeway/chains/chaintest"
	"causeway/chains/remotesigner"
	"causeway/chains/tron"
	"causeway/internal/dev/keysigner"
)

// TestMain is also a signer: a program with the keys.
func TestMain(m *testing.M) { keysigner.Run(m, seed) }

// remote gives the connector a server with the keys of a seed, and counts its questions.
func (l *launched) remote(t *testing.T, seed []byte) (*tron.Sender, *atomic.Int64) {
	t.Helper()
	url, asked := keysigner.Start(t, seed)
	return tron.NewRemoteSender(l.Connector, remotesigner.New(remotesigner.Config{URL: url}, "")), asked
}

// TestKeysElsewhere runs the suite of all connectors with the keys on a server. The fake node checks each signature.
func TestKeysElsewhere(t *testing.T) {
	t.Parallel()
	chaintest.Run(t, func(t *testing.T) chaintest.Chain {
		l := launch(t)
		l.sender, _ = l.remote(t, seed)
		return l.chain(t)
	})
}

// TestAProgramSigns pays by the keys of a program, as NETWORKS_FILE names it. The process is given no seed.
//
// Covers operator §Settings: signer has the keys
func TestAProgramSigns(t *testing.T) {
	t.Parallel()
	l := launch(t)
	program, err := os.Executable()
	check(t, err)
	cfg := l.config
	cfg.Signer = &remotesigner.Config{Command: []string{program, "sign"}}
	c := configured(t, cfg)
	if !c.Elsewhere {
		t.Error("the network needs the seed")
	}
	for _, with := range []chains.Opening{{}, {Signs: true}} {
		n, err := c.Open(t.Context(), with)
		check(t, err)
		if (n.Sender != nil) != with.Signs || n.SignsElsewhere != with.Signs {
			t.Fatalf("%+v for %+v", n, with)
		}
		if with.Signs {
			l.sender = n.Sender.(*tron.Sender)
		}
	}
	for _, token := range []string{"TRX", "USDT"} {
		_, state := l.sent(t, order(token, "7", stranger("payee")), 0)
		if state.State != chains.TxMined || state.Amiss != nil {
			t.Errorf("%s: %+v", token, state)
		}
	}
}

// TestAnotherSignerIsRefused: a signature of another seed's key is an error for now, and nothing is signed. The bytes of a draft are asked
// for once, and are those of the seed.
//
// Covers operator §Settings: An answer that is wrong
func TestAnotherSignerIsRefused(t *testing.T) {
	t.Parallel()
	l := launch(t)
	o := order("USDT", "1", stranger("payee"))
	want := l.signed(t, o, 3)
	l.sender, _ = l.remote(t, []byte("causeway tests: quite another one"))
	signed, err := l.prepared(t, o).Sign(chains.Slot{Number: 3})
	if !errors.Is(err, chains.ErrDown) || !says(err, "m/44'/195'/0'/1/0: the signature is by another key") || signed.Raw != nil {
		t.Errorf("%+v, %v: want ErrDown about the key", signed, err)
	}
	var asked *atomic.Int64
	l.sender, asked = l.remote(t, seed)
	draft := l.prepared(t, o)
	for _, number := range []uint64{3, 3} {
		if signed, err := draft.Sign(chains.Slot{Number: number}); err != nil || !bytes.Equal(signed.Raw, want.Raw) {
			t.Errorf("%+v, %v, want the bytes of the seed", signed, err)
		}
	}
	if other, err := draft.Sign(chains.Slot{Number: 4}); err != nil || other.Txid == want.Txid || asked.Load() != 2 {
		t.Errorf("%+v, %v for another slot, asked %d times", other, err, asked.Load())
	}
}

// TestSignerOfANetwork: a mistake in the signer's settings stops the start.
func TestSignerOfANetwork(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{command: [sign], url: https://signer.example}": "signer: say either command or url",
		"{url: http://signer.example}":                   "signer: url: an https URL",
	} {
		if _, err := tron.Driver.Read("Tron", part(written(t)+"signer: "+text)); !says(err, want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
