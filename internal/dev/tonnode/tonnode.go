// Package tonnode runs a shim around TON's virtual machine, for tests and demonstrations: a program in node that answers toncenter's API of
// version 2. Transactions are executed by @ton/sandbox, the real machine, and jettons run their real code. The rest is the shim's own and no
// node: blocks, the queue of messages, the states of the past. README.md lists the differences and the orders.
package tonnode

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"causeway/internal/dev/shim"
)

// Options say how a node differs from a plain one. The zero value is a plain one.
type Options struct {
	Name  string        `json:"name,omitempty"` // of the chain: another name is another first state
	Slow  bool          `json:"slow,omitempty"` // a message arrives in the block after the one that sent it
	Port  int           `json:"port,omitempty"` // any free one, if zero
	Every time.Duration `json:"-"`              // the clock of blocks; if zero, they are made by Mine only
	Begin time.Time     `json:"-"`              // of the first block; now, if zero
}

// Node is a shim that runs.
type Node struct {
	URL     string
	asked   atomic.Int64
	process *shim.Process
	client  http.Client
}

// Start starts a node for a test, or fails it, naming the installer where the machine is missing.
func Start(t testing.TB, o Options) *Node {
	t.Helper()
	n, err := New(o)
	if err != nil {
		t.Fatalf("the shim around TON's virtual machine: %v", err)
	}
	t.Cleanup(n.Stop)
	return n
}

// New starts a node with some blocks. It ends with Stop, or with this process.
func New(o Options) (*Node, error) {
	process, err := shim.Start("tonnode", "tonvm", o.json())
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
	extended := struct {
		Options

		Milliseconds int64 `json:"every,omitempty"`
		Since        int64 `json:"begin,omitempty"`
	}{Options: o, Milliseconds: int64(o.Every / time.Millisecond)}
	if !o.Begin.IsZero() {
		extended.Since = o.Begin.Unix()
	}
	text, err := json.Marshal(extended)
	if err != nil {
		panic(err) // it has plain members alone
	}
	return string(text)
}
