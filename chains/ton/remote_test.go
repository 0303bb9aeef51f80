package ton_test

import (
	"bytes"
	"errors"
	"os"
	"sync/atomic"
	"testing"

	"causeway/chains"
	"causeway/chains/remotesigner"
	"causeway/chains/ton"
	"causeway/internal/dev/keysigner"
)

// TestMain is also a signer: a program with the key.
func TestMain(m *testing.M) { keysigner.Run(m, seed) }

// remote gives the connector a server with the key of a seed, and counts its questions.
func (l *launched) remote(t *testing.T, seed []byte) (*ton.Sender, *atomic.Int64) {
	t.Helper()
	url, asked := keysigner.Start(t, seed)
	return ton.NewRemoteSender(l.Connector, remotesigner.New(remotesigner.Config{URL: url}, "")), asked
}

// TestKeyElsewhere pays coins and a jetton with the key on a server. The wallet's own code checks each signature.
func TestKeyElsewhere(t *testing.T) {
	t.Parallel()
	l := launch(t)
	var asked *atomic.Int64
	l.sender, asked = l.remote(t, seed)
	to, err := l.node.Stranger("paid")
	check(t, err)
	for number, token := range []string{"TON", "USDT"} {
		signed, _ := l.sent(t, uint64(number), order(token, "3", to, "12345678"))
		check(t, l.node.Mine(3))
		wantState(t, l.status(t, signed.Txid), chains.TxMined, true)
	}
	if asked.Load() != 2 {
		t.Errorf("asked %d times", asked.Load())
	}
}

// TestAProgramSigns signs a sweep by the key of a program, as NETWORKS_FILE names it. The process is given no seed.
//
// Covers operator §Settings: A `signer` of TON
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
	from := l.deposited(t, 7, map[string]string{"TON": "20"})
	draft, err := n.Sender.Prepare(t.Context(), l.sweepOf(from))
	check(t, err)
	signed, err := draft.Sign(chains.Slot{})
	check(t, err)
	l.outcome(t, signed.Raw, chains.Accepted)
}

// TestAnotherSignerIsRefused: a signature of another seed's key is an error for now, and nothing is signed. The bytes of a draft are asked
// for once, and are those of the seed.
func TestAnotherSignerIsRefused(t *testing.T) {
	t.Parallel()
	l := launch(t)
	from := l.deposited(t, 7, map[string]string{"TON": "20"})
	sign := func(s *ton.Sender, numbers ...uint64) (all []chains.Signed, err error) {
		draft, err := s.Prepare(t.Context(), l.sweepOf(from))
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
	want, err := sign(l.sender, 1)
	check(t, err)
	wrong, _ := l.remote(t, []byte("causeway tests: quite another one"))
	if got, err := sign(wrong, 1); !errors.Is(err, chains.ErrDown) || !says(err, "m/44'/607'/0': the signature is by another key") || got != nil {
		t.Errorf("%+v, %v: want ErrDown about the key", got, err)
	}
	right, asked := l.remote(t, seed)
	got, err := sign(right, 1, 1)
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

// sweepOf is a spend of five TON of a deposit address.
func (l *launched) sweepOf(from *chains.Wallet) chains.Spend {
	return chains.Spend{From: from, Most: true, Orders: []chains.Order{order("TON", "5", l.Hot(), "")}}
}

// configured is what a file with such settings gives.
func configured(t *testing.T, cfg ton.Config) *chains.Configured {
	t.Helper()
	c, err := ton.Driver.Read("TON", said{&cfg})
	check(t, err)
	return c
}

// said is the part of NETWORKS_FILE that says a configuration.
type said struct{ config *ton.Config }

func (s said) Decode(into any) error { *into.(*ton.Config) = *s.config; return nil }
func (s said) Has(string) bool       { return true }
