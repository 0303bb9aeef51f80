// Package ogmios runs a shim around an emulator of Cardano's ledger, for tests and demonstrations: a program in node that answers as Ogmios of
// version 6 does. @blaze-cardano/emulator judges each transaction: signatures, fees, least amounts, times, and that no value comes from
// nothing. Blocks, the mempool and what the emulator does not check are the shim's own. README.md lists the differences and the orders.
package ogmios

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"causeway/internal/dev/shim"
)

// Options say how a node differs from a plain one. The zero value is a plain one.
type Options struct {
	Magic uint32        `json:"magic,omitempty"` // of the network; 42, if zero
	Port  int           `json:"port,omitempty"`  // any free one, if zero
	Every time.Duration `json:"-"`               // the clock of blocks; if zero, they are made by Mine only
}

// Node is a shim that runs.
type Node struct {
	URL     string // of its WebSocket
	process *shim.Process
	client  http.Client
}

// Start starts a node for a test, or fails it, naming the installer where the emulator is missing.
func Start(t testing.TB, o Options) *Node {
	t.Helper()
	n, err := New(o)
	if err != nil {
		t.Fatalf("the shim around the emulator of Cardano's ledger: %v", err)
	}
	t.Cleanup(n.Stop)
	return n
}

// New starts a node with some blocks. It ends with Stop, or with this process.
func New(o Options) (*Node, error) {
	process, err := shim.Start("ogmios", "cardanovm", o.json())
	if err != nil {
		return nil, err
	}
	n := &Node{URL: process.URL, process: process}
	if err := n.Mine(3); err != nil {
		n.Stop()
		return nil, err
	}
	return n, nil
}

// Stop ends the node.
func (n *Node) Stop() {
	n.client.CloseIdleConnections()
	n.process.Stop()
}

func (o Options) json() string {
	text, err := json.Marshal(struct {
		Options

		Milliseconds int64 `json:"every,omitempty"`
	}{o, int64(o.Every / time.Millisecond)})
	if err != nil {
		panic(err) // it has plain members alone
	}
	return string(text)
}
