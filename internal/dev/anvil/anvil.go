// Package anvil starts development nodes for tests: real EVM chains on the loopback interface, with blocks only by
// hand. A node ends with its test, and with the test process when this is killed.
package anvil

import (
	"bufio"
	"context"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains/evm/client"
	"causeway/internal/dev/repo"
)

// patience is how long a node may take to start, on a machine busy with many.
const patience = time.Minute

// Node is a running chain. The newest block but one is safe, the one before is finalized.
type Node struct {
	URL      string
	ChainID  uint64
	Accounts []common.Address // ten with 10,000 of the native coin each; the node signs for them
	client   *client.Client
	process  *exec.Cmd
}

// Start starts a chain of this id, or fails the test, naming the installer where anvil is missing.
func Start(t testing.TB, chainID uint64) *Node {
	t.Helper()
	cmd := exec.Command(binary(t), "--port", "0", "--chain-id", strconv.FormatUint(chainID, 10),
		"--no-mining", "--slots-in-an-epoch", "1", "--threads", "1")
	dieWithParent(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatalf("anvil: %v", err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("anvil: %v", err)
	}
	n := &Node{ChainID: chainID, process: cmd}
	t.Cleanup(n.Stop)
	listening := make(chan string, 1)
	go func() {
		defer close(listening)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if address, ok := strings.CutPrefix(lines.Text(), "Listening on "); ok {
				listening <- address
			}
		}
	}()
	select {
	case address, ok := <-listening:
		if !ok {
			t.Fatal("anvil ended before it listened")
		}
		n.URL = "http://" + address
	case <-time.After(patience):
		t.Fatalf("anvil did not listen within %v", patience)
	}
	n.client = client.New(n.URL, patience, 100)
	t.Cleanup(n.client.Close)
	n.Call(t, &n.Accounts, "eth_accounts")
	return n
}

// Stop ends the node. Tests call it for a node meant to be down; every other node is stopped by the end of its test.
func (n *Node) Stop() {
	if n.process.Process == nil || n.process.ProcessState != nil {
		return
	}
	_ = n.process.Process.Kill()
	_ = n.process.Wait()
}

// Call asks the node anything; result is a pointer for the decoded answer.
func (n *Node) Call(t testing.TB, result any, method string, params ...any) {
	t.Helper()
	if err := n.Try(result, method, params...); err != nil {
		t.Fatalf("anvil: %v", err)
	}
}

// Try is Call, and returns the error.
func (n *Node) Try(result any, method string, params ...any) error {
	if result == nil {
		var ignored any
		result = &ignored
	}
	return n.client.Call(context.Background(), result, method, params...)
}

// binary finds the anvil installed by scripts/anvil.
func binary(t testing.TB) string {
	t.Helper()
	path, err := repo.Program("anvil")
	if err != nil {
		t.Fatal("anvil is not installed: run scripts/anvil")
	}
	return path
}
