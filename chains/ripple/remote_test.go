package ripple_test

import (
	"bytes"
	"errors"
	"os"
	"sync/atomic"
	"testing"

	"causeway/chains"
	"causeway/chains/chaintest"
	"causeway/chains/remotesigner"
	"causeway/chains/ripple"
	"causeway/internal/dev/keysigner"
)

// TestMain is also a signer: a program with the keys.
func TestMain(m *testing.M) { keysigner.Run(m, seed) }

// remote gives the connector a server with the keys of a seed, and counts its questions.
func (l *launched) remote(t *testing.T, seed []byte) (*ripple.Sender, *atomic.Int64) {
	t.Helper()
	url, asked := keysigner.Start(t, seed)
	return ripple.NewRemoteSender(l.Connector, remotesigner.New(remotesigner.Config{URL: url}, "")), asked
}

// TestKeysElsewhere runs the suite of all connectors with the keys on a server. The fake node checks each signature.
func TestKeysElsewhere(t *testing.T) {
	t.Parallel()
	chaintest.Run(t, func(t *testing.T) chaintest.Chain {
		l := launch(t)
		l.sender, _ = l.remote(t, seed)
		return l.chain()
	})
}

// TestAProgramSigns signs a sweep by the keys of a program, as NETWORKS_FILE names it. The process is given no seed.
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
	n, err := c.Open(t.Context(), chains.Opening{Signs: true})
	check(t, err)
	if n.Sender == nil || !n.SignsElsewhere {
		t.Fatalf("%+v", n)
	}
	from := l.deposited(t, 7, "20")
	number, err := l.NextNonce(t.Context(), from.Address)
	check(t, err)
	draft, err := n.Sender.Prepare(t.Context(), l.sweepOf(from, "5"))
	check(t, err)
	signed, err := draft.Sign(chains.Slot{Number: number})
	check(t, err)
	l.outcome(t, signed.Raw, chains.Accepted)
}

// TestAnotherSignerIsRefused: a signature of another seed's key is an error for now, and nothing is signed. The bytes of a draft are asked
// for once, and are those of the seed.
func TestAnotherSignerIsRefused(t *testing.T) {
	t.Parallel()
	l := launch(t)
	from := l.deposited(t, 7, "20")
	sign := func(s *ripple.Sender, numbers ...uint64) (all []chains.Signed, err error) {
		draft, err := s.Prepare(t.Context(), l.sweepOf(from, "5"))
		check(t, err)
		for _, number := range numbers {
			signed, err := draft.Sign(chains.Slot{Number: number})
			if err != nil {
				return all, err
			}
			all = append(all, signed)
		}
		return all, nil
	}
	want, err := sign(l.sender, 3)
	check(t, err)
	wrong, _ := l.remote(t, []byte("causeway tests: quite another one"))
	if got, err := sign(wrong, 3); !errors.Is(err, chains.ErrDown) || !says(err, "m/44'/144'/0'/0/7: the signature is by another key") || got != nil {
		t.Errorf("%+v, %v: want ErrDown about the key", got, err)
	}
	right, asked := l.remote(t, seed)
	got, err := sign(right, 3, 3)
	check(t, err)
	for _, signed := range got {
		if !bytes.Equal(signed.Raw, want[0].Raw) {
			t.Errorf("%x, want the bytes of the seed", signed.Raw)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
}

// configured is what a file with such settings gives.
func configured(t *testing.T, cfg ripple.Config) *chains.Configured {
	t.Helper()
	c, err := ripple.Driver.Read("Ripple", said{&cfg})
	check(t, err)
	return c
}

// said is the part of NETWORKS_FILE that says a configuration.
type said struct{ config *ripple.Config }

func (s said) Decode(into any) error { *into.(*ripple.Config) = *s.config; return nil }
func (s said) Has(string) bool       { return true }
