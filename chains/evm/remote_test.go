package evm_test

import (
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"causeway/chains"
	"causeway/chains/chaintest"
	"causeway/chains/evm"
	"causeway/chains/remotesigner"
	"causeway/internal/dev/keysigner"
)

// TestMain is also a signer: a program with the keys.
func TestMain(m *testing.M) { keysigner.Run(m, seed) }

// remote gives the connector a server with the keys of a seed, and counts what it is asked.
func (l *launched) remote(t *testing.T, seed []byte) (*evm.Sender, *atomic.Int64) {
	t.Helper()
	url, asked := keysigner.Start(t, seed)
	return evm.NewRemoteSender(l.Connector, remotesigner.New(remotesigner.Config{URL: url}, "")), asked
}

// TestConnectorWithKeysElsewhere runs the suite of all connectors with the keys on a server.
func TestConnectorWithKeysElsewhere(t *testing.T) {
	t.Parallel()
	chaintest.Run(t, func(t *testing.T) chaintest.Chain {
		l := launch(t, launchOptions{})
		l.sender, _ = l.remote(t, seed)
		return l.chain()
	})
}

// TestAProgramSigns pays by the keys of a program, as NETWORKS_FILE names it. The process is given no seed.
//
// Covers operator §Settings: signer has the keys
func TestAProgramSigns(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	program, err := os.Executable()
	check(t, err)
	cfg := l.config
	cfg.Signer = &remotesigner.Config{Command: []string{program, "sign"}}
	configured, err := evm.Driver.Read("Ethereum", said{&cfg})
	check(t, err)
	if !configured.Elsewhere {
		t.Error("the network needs the seed")
	}
	quiet, err := configured.Open(t.Context(), chains.Opening{})
	check(t, err)
	if quiet.Sender != nil {
		t.Error("a process that does not sign has a Sender")
	}
	n, err := configured.Open(t.Context(), chains.Opening{Signs: true})
	check(t, err)
	if n.Sender == nil || !n.SignsElsewhere {
		t.Fatalf("%+v cannot sign", n)
	}
	l.sender = n.Sender.(*evm.Sender)
	l.pay(t, order("ETH", "1.5"))
	l.want(t, payee, "ETH 0 1.5")
}

// said is the part of NETWORKS_FILE that says a configuration.
type said struct{ config *evm.Config }

func (s said) Decode(into any) error { *into.(*evm.Config) = *s.config; return nil }
func (s said) Has(string) bool       { return false }

// TestAnotherSignerIsRefused: a signature of another seed's key is an error for now, and nothing is signed. The bytes of a draft
// are asked for once.
//
// Covers operator §Settings: An answer that is wrong
func TestAnotherSignerIsRefused(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	wrong, _ := l.remote(t, []byte("causeway tests: quite another one"))
	draft, err := wrong.Prepare(t.Context(), single(order("ETH", "1")))
	check(t, err)
	signed, err := draft.Sign(chains.Slot{})
	if !errors.Is(err, chains.ErrDown) || !strings.Contains(err.Error(), "m/44'/60'/0'/1/0: the signature is by another key") || signed.Raw != nil {
		t.Errorf("%+v, %v: want ErrDown about the key", signed, err)
	}
	right, asked := l.remote(t, seed)
	draft, err = right.Prepare(t.Context(), single(order("ETH", "1")))
	check(t, err)
	first, second := sign(t, draft, 0), sign(t, draft, 0)
	if first.Txid != second.Txid || asked.Load() != 1 {
		t.Errorf("%s and %s, asked %d times", first.Txid, second.Txid, asked.Load())
	}
	if other := sign(t, draft, 1); other.Txid == first.Txid || asked.Load() != 2 {
		t.Errorf("%s for another number, asked %d times", other.Txid, asked.Load())
	}
}

// TestSignerOfANetwork: a mistake in the signer's settings stops the start.
func TestSignerOfANetwork(t *testing.T) {
	t.Parallel()
	const head = "rpc: http://127.0.0.1:1\nxpub: XPUB\nsigner: "
	for text, want := range map[string]string{
		"{command: [sign], url: https://signer.example}": "signer: say either command or url",
		"{url: http://signer.example}":                   "signer: url: an https URL",
		"{}":                                             "signer: say either",
	} {
		if _, err := configured(t, "Ethereum", head+text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	cfg, err := configured(t, "Ethereum", head+"{command: [sign, --hot], env: [AWS_REGION]}")
	if err != nil || cfg.Signer == nil || len(cfg.Signer.Command) != 2 {
		t.Errorf("%+v, %v", cfg.Signer, err)
	}
}
