// Package solananode runs a shim around Solana's real runtime, for tests and demonstrations: a program in node that answers the JSON-RPC of
// a validator. Transactions are verified and executed by litesvm, with the real programs of the chain. The rest is the shim's own and no
// validator: slots, blocks, blockhashes and their age, finality, forks, the mempool. README.md lists the differences and the orders.
package solananode

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"causeway/internal/dev/shim"
)

// The tokens of every node, at the addresses that they have on Solana.
const (
	USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
	USDT = "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"
)

// Decimals are those of the tokens.
const Decimals = 6

// supply of each token, in units, which the faucet has.
const supply = "1000000000000000000"

// Options say how a node differs from a plain one. The zero value is a plain one.
type Options struct {
	Name  string        `json:"name,omitempty"` // of the chain: another name is another genesis
	Lag   int           `json:"lag,omitempty"`  // slots between the newest one and the newest final one; 32, if zero
	Every time.Duration `json:"-"`              // the clock of slots; if zero, they are made by Mine only
	Begin time.Time     `json:"-"`              // of the first slot; now, if zero
}

// Node is a shim that runs.
type Node struct {
	URL     string
	asked   atomic.Int64
	process *shim.Process
	client  http.Client
}

// Start starts a node for a test, or fails it, naming the installer where the runtime is missing.
func Start(t testing.TB, o Options) *Node {
	t.Helper()
	n, err := New(o)
	if err != nil {
		t.Fatalf("the shim around Solana's runtime: %v", err)
	}
	t.Cleanup(n.Stop)
	return n
}

// New starts a node, with its tokens and some final blocks. It ends with Stop, or with this process.
func New(o Options) (*Node, error) {
	process, err := shim.Start("solananode", "litesvm", o.json())
	if err != nil {
		return nil, err
	}
	n := &Node{URL: process.URL, process: process}
	for _, mint := range []string{USDC, USDT} {
		if err := n.Order(nil, "dev_mint", mint, Decimals, supply); err != nil {
			n.Stop()
			return nil, err
		}
	}
	if err := n.Mine(2 * max(o.Lag, usualLag)); err != nil {
		n.Stop()
		return nil, err
	}
	return n, nil
}

// usualLag is the lag of a plain node.
const usualLag = 32

// Stop ends the node.
func (n *Node) Stop() {
	n.client.CloseIdleConnections()
	n.process.Stop()
}
