package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/testkit"
	"causeway/internal/proof/contract"
)

// asCauseway makes the test's own binary be the product: a process of its own for tests to kill.
const asCauseway = "CAUSEWAY_TEST_RUNS_MAIN"

// installation is a running `causeway dev` with an integrator's receiver.
type installation struct {
	t        *testing.T
	dir      string
	listen   string
	operator string
	settings []string
	flags    []string  // further ones
	printed  io.Writer // its standard output
	receiver *integrator
	served   *contract.Document // see document

	mu      sync.Mutex
	process *exec.Cmd
	said    *bytes.Buffer
}

// freePort returns a loopback address free now. Its port is below the ports given to connections by systems: such a
// connection would be in the way of a process starting seconds later.
func freePort(t *testing.T) string {
	t.Helper()
	const first, many = 20_000, 12_000
	for range 100 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(first+rand.IntN(many)))
		if l, err := net.Listen("tcp", address); err == nil {
			require.NoError(t, l.Close())
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

func install(t *testing.T, settings ...string) *installation {
	t.Helper()
	i := prepare(t, settings...)
	i.start()
	t.Cleanup(i.stop)
	i.awaitReady()
	return i
}

// prepare is an installation not yet started.
func prepare(t *testing.T, settings ...string) *installation {
	t.Helper()
	i := &installation{t: t, dir: t.TempDir(), listen: freePort(t), operator: freePort(t), settings: settings, printed: io.Discard,
		receiver: newIntegrator(t)}
	for _, dir := range []string{i.dir, filepath.Dir(i.dir)} {
		require.NoError(t, os.Chmod(dir, 0o755)) // the servers run as another user
	}
	return i
}

// start runs the product as a process.
func (i *installation) start() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.said = new(bytes.Buffer)
	args := append([]string{"dev", "--data-dir", i.dir, "--listen", i.listen, "--operator-listen", i.operator}, i.flags...)
	i.process = exec.Command(os.Args[0], args...) // itself
	i.process.Env = append(append(os.Environ(), asCauseway+"=1"), i.settings...)
	i.process.Stdout, i.process.Stderr = i.printed, i.said
	require.NoError(i.t, i.process.Start())
}

// kill ends it as a power cut does.
func (i *installation) kill() {
	i.mu.Lock()
	defer i.mu.Unlock()
	_ = i.process.Process.Kill()
	_ = i.process.Wait()
}

// stop ends it as Ctrl-C does; it must end well.
func (i *installation) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	_ = i.process.Process.Signal(os.Interrupt)
	err := i.process.Wait()
	if err != nil || i.t.Failed() {
		i.t.Logf("causeway dev said:\n%s", i.said)
	}
	require.NoError(i.t, err)
}

func (i *installation) awaitReady() {
	i.t.Helper()
	testkit.Eventually(i.t, time.Minute, func() bool {
		return i.serves() == nil
	}, "causeway dev is ready")
}

func (i *installation) file() *settings.DevFile {
	d, err := settings.ReadDevFile(i.dir)
	require.NoError(i.t, err)
	require.NotNil(i.t, d)
	return d
}

// command runs one command beside it until it succeeds, and returns its output.
func (i *installation) command(args ...string) string {
	i.t.Helper()
	var stdout, stderr bytes.Buffer
	testkit.Eventually(i.t, 2*time.Minute, func() bool {
		stdout.Reset()
		stderr.Reset()
		return newProgram(i.settings, &stdout, &stderr).run(i.t.Context(), append(args, "--data-dir", i.dir)) == command.ExitOK
	}, "causeway "+strings.Join(args, " ")+" succeeds")
	return stdout.String()
}

// pays sends a transfer of a chosen txid; doing it again changes nothing.
func (i *installation) pays(network, token, to, amount, txid string) {
	i.t.Helper()
	testkit.Eventually(i.t, 2*time.Minute, func() bool {
		var stderr bytes.Buffer
		code := newProgram(i.settings, io.Discard, &stderr).run(i.t.Context(), []string{"sandbox", "pay", "--network", network, "--token", token,
			"--to", to, "--amount", amount, "--txid", txid, "--data-dir", i.dir})
		return code == command.ExitOK || strings.Contains(stderr.String(), "already has a transaction")
	}, "the payment is in the mempool")
}

// text walks into an answer: "data.wallet", "results.0.internal_reference".
func text(answer map[string]any, path string) string {
	var here any = answer
	for _, step := range strings.Split(path, ".") {
		switch v := here.(type) {
		case map[string]any:
			here = v[step]
		case []any:
			n := int(step[0] - '0')
			if n >= len(v) {
				return ""
			}
			here = v[n]
		}
	}
	if here == nil {
		return ""
	}
	return fmt.Sprint(here)
}
