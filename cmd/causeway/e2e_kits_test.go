package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/docs/guides"
)

// kits are the clients below clients/: the command for a program, the program of each that tries it against a running service, and the
// environment for both.
var kits = map[string]struct {
	command []string
	program string
	setting string
}{
	"python": {[]string{"python3", "-B"}, "clients/python/tests/service.py", "PYTHONPATH=clients/python"},
}

// TestKits has the client of each language create a payin, pay it, pay out, and read lists, statements and prices, with webhooks verified. All
// its requests and answers are held against the document, and the first answer to one payout is lost. Then the client's guide runs.
func TestKits(t *testing.T) {
	t.Parallel()
	i := install(t, quickBlocks)
	for name, kit := range kits {
		front := newForgetful(t, i)
		runs := func(program string) string {
			run := exec.CommandContext(t.Context(), kit.command[0], append(kit.command[1:], program)...)
			run.Dir = filepath.Join("..", "..")
			run.Env = append(append(os.Environ(), kit.setting), i.kitSettings(front.url)...)
			out, err := run.CombinedOutput()
			require.NoError(t, err, "%s: %s", name, out)
			return string(out)
		}
		runs(kit.program)
		front.lostOne()
		said := runs(guideProgram(t, name))
		require.Contains(t, said, "\ncreated ", name)
		require.Contains(t, said, "\nmade before: ", name)
	}
	i.command("reconcile")
}

// kitSettings are the settings of a kit's program.
func (i *installation) kitSettings(front string) []string {
	program, err := filepath.Abs(os.Args[0])
	require.NoError(i.t, err)
	d := i.file()
	return []string{asCauseway + "=1", "CAUSEWAY_PROGRAM=" + program, "CAUSEWAY_DATA_DIR=" + i.dir, "CAUSEWAY_URL=" + front, "CAUSEWAY_KEY=" + d.APIKey,
		"CAUSEWAY_READ_ONLY_KEY=" + d.ReadOnlyKey, "CAUSEWAY_SIGNED_KEY=" + d.SignedKey, "CAUSEWAY_SIGNING_SECRET=" + d.SigningSecret,
		"CAUSEWAY_WEBHOOK_SECRET=" + d.WebhookSecret, "CAUSEWAY_HEADER_PREFIX=" + d.HeaderPrefix, "CAUSEWAY_HOOK=" + d.InboxURL, "NO_PROXY=127.0.0.1"}
}

// guideProgram writes the examples of a guide down as one program.
func guideProgram(t *testing.T, name string) string {
	t.Helper()
	text, err := guides.Files.ReadFile(name + ".md")
	require.NoError(t, err)
	var program strings.Builder
	for _, block := range regexp.MustCompile("(?s)```"+name+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		program.WriteString(block[1] + "\n")
	}
	path := filepath.Join(t.TempDir(), "guide")
	require.NoError(t, os.WriteFile(path, []byte(program.String()), 0o600))
	return path
}

// forgetful is a proxy before a service. It loses the first answer to each request with an Idempotency-Key that begins with lost-.
type forgetful struct {
	t   *testing.T
	url string

	mu     sync.Mutex
	bodies map[string][]string // by key
}

func newForgetful(t *testing.T, i *installation) *forgetful {
	f := &forgetful{t: t, bodies: map[string][]string{}}
	proxy := i.document().Handler(t, httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: i.listen}))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.loses(r) {
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

// loses keeps the body of a request with such a key, and reports whether it is the key's first.
func (f *forgetful) loses(r *http.Request) bool {
	key := r.Header.Get("Idempotency-Key")
	if !strings.HasPrefix(key, "lost-") {
		return false
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return true
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bodies[key] = append(f.bodies[key], string(body))
	return len(f.bodies[key]) == 1
}

// lostOne checks the requests of one key: the first, the same again, and another body.
func (f *forgetful) lostOne() {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	require.Len(f.t, f.bodies, 1)
	for _, sent := range f.bodies {
		require.Len(f.t, sent, 3)
		require.Equal(f.t, sent[0], sent[1])
		require.NotEqual(f.t, sent[0], sent[2])
	}
}
