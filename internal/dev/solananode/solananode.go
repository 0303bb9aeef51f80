// Package solananode runs a shim around Solana's real runtime, for tests and demonstrations: a program in node that answers the JSON-RPC of
// a validator. Transactions are verified and executed by litesvm, with the real programs of the chain. The rest is the shim's own and no
// validator: slots, blocks, blockhashes and their age, finality, forks, the mempool. README.md lists the differences and the orders.
package solananode

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
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

// patience is how long a node may take to start, on a machine busy with many.
const patience = time.Minute

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
	process *exec.Cmd
	stdin   io.Closer
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
	n, err := launch(o)
	if err != nil {
		return nil, err
	}
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

func launch(o Options) (*Node, error) {
	runtime, shim, err := files()
	if err != nil {
		return nil, err
	}
	n := &Node{process: exec.Command("node", shim, runtime, o.json())}
	n.process.Stderr = os.Stderr
	if n.stdin, err = n.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := n.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := n.process.Start(); err != nil {
		return nil, fmt.Errorf("node is missing (scripts/bootstrap --node): %w", err)
	}
	listening := make(chan string, 1)
	go func() {
		defer close(listening)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if words := strings.Fields(lines.Text()); len(words) > 2 && words[0] == "Listening" {
				listening <- words[2]
			}
		}
	}()
	select {
	case url, ok := <-listening:
		if !ok {
			n.Stop()
			return nil, errors.New("it ended before it listened")
		}
		n.URL = url
		return n, nil
	case <-time.After(patience):
		n.Stop()
		return nil, fmt.Errorf("it did not listen within %v", patience)
	}
}

// Stop ends the node.
func (n *Node) Stop() {
	if n.process.Process == nil || n.process.ProcessState != nil {
		return
	}
	n.client.CloseIdleConnections()
	_ = n.stdin.Close()
	_ = n.process.Process.Kill()
	_ = n.process.Wait()
}

// files finds the runtime installed by scripts/litesvm, and the shim.
func files() (runtime, shim string, err error) {
	root, err := checkout()
	if err != nil {
		return "", "", err
	}
	found, err := filepath.Glob(filepath.Join(root, ".cache", "litesvm-*", "litesvm.node"))
	if err != nil || len(found) == 0 {
		return "", "", errors.New("litesvm is not installed: run scripts/litesvm")
	}
	return found[len(found)-1], filepath.Join(root, "internal", "dev", "solananode", "shim", "main.cjs"), nil
}

// checkout returns the directory of go.mod.
func checkout() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		switch {
		case err == nil:
			return dir, nil
		case !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir):
			return "", errors.New("not in a checkout: no go.mod above")
		}
		dir = filepath.Dir(dir)
	}
}
