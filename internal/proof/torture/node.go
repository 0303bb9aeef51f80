package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains/addresses"
	"causeway/internal/dev/bitcoind"
)

// network is the one with a real node.
const network = "Bitcoin"

// The rule of the network, in confirmations.
const (
	creditAt = 2
	finalAt  = 6
)

// shallow is how deep a reorganisation may be that takes customers' payments along: these are not final.
const shallow = finalAt - 1

// real is Bitcoin on a node of regtest. The product asks the node over a wire that loses answers.
type real struct {
	t    *torture
	wire *wire
	hot  string             // address of the hot wallet, in the spelling of Match
	calm context.CancelFunc // no block comes by itself any more
	done chan struct{}

	mu     sync.Mutex // the node, one call at a time
	node   *bitcoind.Node
	hand   hand
	blocks []*shown // by height
}

// startNode starts a node whose chain does not grow yet. Chains of transactions in its mempool may be long: after a deep reorganisation,
// all of them come back at once.
func (t *torture) startNode() (*real, error) {
	dir := filepath.Join(t.data, "bitcoind")
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil { // of an earlier run
		return nil, err
	}
	r := &real{t: t, hand: hand{dir: dir}}
	r.node = bitcoind.Start(r.hand, network, "-limitancestorcount=1000", "-limitdescendantcount=1000", "-limitancestorsize=1000", "-limitdescendantsize=1000")
	say("Bitcoin is %s", r.node.Version(r.hand))
	var err error
	if r.wire, err = t.lay(r.node.URL); err != nil {
		r.node.Stop()
		return nil, err
	}
	return r, nil
}

// grow lets the chain grow by itself.
func (r *real) grow(ctx context.Context) {
	ctx, r.calm = context.WithCancel(ctx)
	r.done = make(chan struct{})
	go func() {
		defer close(r.done)
		for wait(ctx, r.t.block) {
			_ = r.mine(ctx, network, 1)
		}
	}()
}

// stop ends the node.
func (r *real) stop() {
	if r.calm != nil {
		r.calm()
		<-r.done
	}
	r.wire.close()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.node.Stop()
}

func (r *real) pay(_ context.Context, _ coin, to, _ string, amount decimal.Decimal) {
	script, err := addresses.Script(network, to)
	if err != nil {
		panic(fmt.Sprintf("%s was given out to be paid to: %v", to, err))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.node.Send(r.hand, bitcoind.Output{Script: script, Value: amount.Shift(8).IntPart()})
}

func (r *real) mine(_ context.Context, _ string, blocks int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.node.Mine(r.hand, blocks)
	return nil
}

func (r *real) ways() ([]map[string]string, time.Duration) {
	return []map[string]string{
		{"broadcast": "timeout"}, {"broadcast": "timeout-after-send"}, {"lose": "60"}, {"lose": "90"}, {"lose": "100"},
	}, 10 * time.Second
}

func (r *real) fault(_ context.Context, _ string, way map[string]string) error {
	r.wire.fault(way)
	return nil
}

func (r *real) clear(context.Context, string) error {
	r.wire.clear()
	return nil
}

// victims are payments of customers that are not final yet, and spends of ours at any depth.
func (r *real) victims(ctx context.Context, c *chance, _ string, depth int) []string {
	_, pool, _, err := r.sort(ctx)
	if err != nil {
		return nil // the database is away
	}
	var there []string
	for _, b := range append(r.blocks[max(0, len(r.blocks)-depth):len(r.blocks):len(r.blocks)], pool) {
		for _, tx := range b.txs {
			if tx.ours || tx.paid && depth <= shallow {
				there = append(there, tx.id)
			}
		}
	}
	return c.some(there)
}

// reorganise mines everything again but the victims and what spends of them.
func (r *real) reorganise(_ context.Context, _ string, depth int, drops []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.node.Reorg(r.hand, depth, drops...)
	return nil
}

// hand is what the node asks of a test.
type hand struct {
	testing.TB

	dir string
}

// Helper implements testing.TB.
func (hand) Helper() {}

// Cleanup implements testing.TB; stop ends the node.
func (hand) Cleanup(func()) {}

// TempDir implements testing.TB.
func (h hand) TempDir() string { return h.dir }

// Fatal implements testing.TB: without its node this run says nothing.
func (hand) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// Fatalf implements testing.TB.
func (hand) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
