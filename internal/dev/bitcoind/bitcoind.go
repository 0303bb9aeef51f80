// Package bitcoind starts nodes of Bitcoin and its kin for tests: chains of their own on the loopback interface, with blocks only by
// hand. A node ends with its test, and with the test process when this is killed.
package bitcoind

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience is how long a node may take to start or to end, on a machine busy with many.
const patience = time.Minute

// Node is a running chain, and the money of strangers on it.
type Node struct {
	Kind
	URL string // with its user and password

	process *exec.Cmd     // nil of a fake
	ended   chan struct{} // closed once the process is gone
	output  *strings.Builder
	data    string
	port    int
	purse   purse
	miners  int // addresses mined to
}

// Start starts a chain of a network, with money for Send, or fails the test, naming the installer where the program is missing. The
// flags come after those of the kind.
func Start(t testing.TB, network string, flags ...string) *Node {
	t.Helper()
	kind := Of(t, network)
	program, sought := kind.Where(t)
	if program == "" {
		t.Fatalf("no node for %s: %s is missing", network, sought)
	}
	kind.flags = append(slices.Clone(kind.flags), flags...)
	n := &Node{Kind: kind, data: t.TempDir()}
	t.Cleanup(n.Stop)
	n.launch(t, program)
	n.endow(t)
	return n
}

// At is a chain of a network that somebody else has started: a fake.
func At(t testing.TB, network, url string) *Node {
	t.Helper()
	n := &Node{Kind: Of(t, network), URL: url}
	n.endow(t)
	return n
}

// Stop ends the node. Tests call it for a node meant to be down; every other node is stopped by the end of its test.
func (n *Node) Stop() {
	if n.process == nil {
		return
	}
	_ = n.process.Process.Kill()
	<-n.ended
}

// launch starts the program and waits for its answer. Another process may take the port before the node does: then another is tried.
func (n *Node) launch(t testing.TB, program string) {
	t.Helper()
	for range 5 {
		if n.port == 0 {
			n.port = freePort(t)
			n.URL = fmt.Sprintf("http://test:test@127.0.0.1:%d", n.port)
		}
		n.run(t, program)
		if n.answers() {
			return
		}
		n.Stop()
		n.port = 0
	}
	t.Fatalf("%s does not answer: %s", program, n.output)
}

func (n *Node) run(t testing.TB, program string) {
	t.Helper()
	flags := append(slices.Clone(n.flags), "-regtest", "-server", "-listen=0", "-txindex=1", "-printtoconsole=0", "-dbcache=4",
		"-datadir="+n.data, "-rpcuser=test", "-rpcpassword=test", "-rpcbind=127.0.0.1", "-rpcallowip=127.0.0.1",
		"-rpcport="+strconv.Itoa(n.port))
	n.output = &strings.Builder{}
	cmd := exec.Command(program, flags...)
	cmd.Stdout, cmd.Stderr = n.output, n.output
	dieWithParent(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	n.process, n.ended = cmd, ended
}

// answers waits until the node answers, and reports false once it is gone.
func (n *Node) answers() bool {
	for limit := time.Now().Add(patience); time.Now().Before(limit); {
		if n.Try(nil, "getblockcount") == nil {
			return true
		}
		select {
		case <-n.ended:
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
	return false
}

// Restart ends the node in order and starts it again, with the same chain and an empty mempool. The flags come after all others, for
// this start only.
func (n *Node) Restart(t testing.TB, flags ...string) {
	t.Helper()
	kept := n.flags
	n.flags = append(slices.Clone(kept), flags...)
	defer func() { n.flags = kept }()
	n.Call(t, nil, "stop")
	select {
	case <-n.ended:
	case <-time.After(patience):
		t.Fatalf("the node of %s does not end", n.Network)
	}
	if err := os.Remove(filepath.Join(n.data, "regtest", "mempool.dat")); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	n.launch(t, n.process.Path)
}

func freePort(t testing.TB) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}
