// Package tonnode runs a shim around TON's virtual machine, for tests and demonstrations: a program in node that answers toncenter's API of
// version 2. Transactions are executed by @ton/sandbox, the real machine, and jettons run their real code. The rest is the shim's own and no
// node: blocks, the queue of messages, the states of the past. README.md lists the differences and the orders.
package tonnode

import (
	"bufio"
	"encoding/json"
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

// patience is how long a node may take to start, on a machine busy with many.
const patience = time.Minute

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
	process *exec.Cmd
	stdin   io.Closer
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
	n, err := launch(o)
	if err != nil {
		return nil, err
	}
	if err := n.Mine(3); err != nil {
		n.Stop()
		return nil, err
	}
	return n, nil
}

func launch(o Options) (*Node, error) {
	machine, shim, err := files()
	if err != nil {
		return nil, err
	}
	n := &Node{process: exec.Command("node", shim, machine, o.json())}
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

// files finds the machine installed by scripts/tonvm, and the shim.
func files() (machine, shim string, err error) {
	root, err := checkout()
	if err != nil {
		return "", "", err
	}
	script := exec.Command(filepath.Join(root, "scripts", "tonvm"))
	script.Stderr = os.Stderr
	printed, err := script.Output()
	if err != nil {
		return "", "", fmt.Errorf("scripts/tonvm: %w", err)
	}
	return strings.TrimSpace(string(printed)), filepath.Join(root, "internal", "dev", "tonnode", "shim", "main.cjs"), nil
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
