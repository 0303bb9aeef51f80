// Package monerod starts the node of Monero and its wallet server for tests: a chain of its own on the loopback interface, with blocks
// only by hand. Both end with their test, and with the test process when this is killed.
package monerod

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"causeway/internal/dev/repo"
)

// patience is how long a program may take to start, on a machine busy with many.
const patience = time.Minute

// Node is a running chain.
type Node struct {
	program
	data string
}

// program is one that answers at a URL.
type program struct {
	URL string // http://127.0.0.1:PORT

	name    string
	flags   []string
	process *exec.Cmd
	ended   chan struct{} // closed once the process is gone
	output  *strings.Builder
}

// Start starts a chain with its first block alone, or fails the test, naming the installer where the program is missing.
func Start(t testing.TB, flags ...string) *Node {
	t.Helper()
	return start(t, t.TempDir(), flags...)
}

func start(t testing.TB, data string, flags ...string) *Node {
	t.Helper()
	n := &Node{data: data, program: program{name: "monerod", flags: append([]string{"--regtest", "--keep-fakechain", "--offline", "--fixed-difficulty=1",
		"--data-dir=" + data, "--no-zmq", "--non-interactive", "--log-level=0", "--log-file=" + filepath.Join(data, "log"), "--rpc-ssl=disabled",
		"--check-updates=disabled", "--disable-dns-checkpoints", "--no-igd", "--disable-rpc-ban", "--rpc-max-connections-per-private-ip=100",
		"--prep-blocks-threads=1", "--max-concurrency=1"}, flags...)}}
	n.launch(t)
	return n
}

// launch starts the program and waits for its answer. Another process may take the port before the program does: then another is tried.
func (s *program) launch(t testing.TB) {
	t.Helper()
	path, err := repo.Program(s.name)
	if err != nil {
		t.Fatalf("no node for Monero: %v", err)
	}
	t.Cleanup(s.Stop)
	for range 5 {
		port := freePort(t)
		s.URL = fmt.Sprintf("http://127.0.0.1:%d", port)
		s.run(t, path, port)
		if s.answers() {
			return
		}
		s.Stop()
	}
	t.Fatalf("%s does not answer: %s", path, s.output)
}

func (s *program) run(t testing.TB, path string, port int) {
	t.Helper()
	s.output = &strings.Builder{}
	cmd := exec.Command(path, append([]string{"--rpc-bind-port=" + strconv.Itoa(port)}, s.flags...)...)
	cmd.Stdout, cmd.Stderr = s.output, s.output
	dieWithParent(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	s.process, s.ended = cmd, ended
}

// answers waits until the program answers, and reports false once it is gone.
func (s *program) answers() bool {
	for limit := time.Now().Add(patience); time.Now().Before(limit); {
		if answer, err := http.Get(s.URL); err == nil { // whatever it is
			_ = answer.Body.Close()
			return true
		}
		select {
		case <-s.ended:
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
	return false
}

// Stop ends the program. Tests call it for a node meant to be away; every other is stopped by the end of its test.
func (s *program) Stop() {
	_ = s.process.Process.Kill()
	<-s.ended
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
