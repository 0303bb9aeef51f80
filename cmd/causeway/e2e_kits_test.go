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

// kit is a client below clients/, made ready to run.
type kit struct {
	command []string // for a program
	setting string   // of the environment
	program string   // tries it against a running service; Go's is every other test here
	dir     string   // a program below it finds the package
}

// kits are by name. A guide has the same name, with examples in the language of the mark.
var kits = map[string]struct {
	ready func(t *testing.T) kit
	mark  string
}{
	"python": {func(t *testing.T) kit {
		return kit{[]string{"python3", "-B"}, "PYTHONPATH=" + inCheckout(t, "clients/python"), inCheckout(t, "clients/python/tests/service.py"), t.TempDir()}
	}, "python"},
	"go": {func(t *testing.T) kit {
		return kit{[]string{"go", "run", "-C", inCheckout(t, "."), "-trimpath"}, "", "", t.TempDir()}
	}, "go"},
	"typescript": {typeScript, "js"},
	"php":        {php, "php"},
}

// typeScript compiles the client and its tests, and puts the client where programs of a folder find it.
func typeScript(t *testing.T) kit {
	t.Helper()
	dir := t.TempDir()
	pack, compiled := filepath.Join(dir, "node_modules", "causeway-client"), filepath.Join(dir, "compiled")
	require.NoError(t, os.MkdirAll(pack, 0o700))
	require.NoError(t, os.Mkdir(compiled, 0o700))
	out, err := exec.CommandContext(t.Context(), inCheckout(t, "scripts/typescript"), compiled).CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, os.Symlink(inCheckout(t, "clients/typescript/package.json"), filepath.Join(pack, "package.json")))
	require.NoError(t, os.Symlink(filepath.Join(compiled, "src"), filepath.Join(pack, "dist")))
	return kit{[]string{"node"}, "NODE_OPTIONS=--preserve-symlinks", filepath.Join(compiled, "tests", "service.js"), dir}
}

// php puts an autoloader where the guide looks for composer's.
func php(t *testing.T) kit {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "vendor"), 0o700))
	require.NoError(t, os.Symlink(inCheckout(t, "clients/php/tests/autoload.php"), filepath.Join(dir, "vendor", "autoload.php")))
	return kit{[]string{"php"}, "", inCheckout(t, "clients/php/tests/service.php"), dir}
}

func inCheckout(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", name))
	require.NoError(t, err)
	return path
}

// TestKits has the client of each language create a payin, pay it, pay out, and read lists, statements and prices, with webhooks verified. All
// its requests and answers are held against the document, and the first answer to one payout is lost. Then the client's guide runs.
func TestKits(t *testing.T) {
	t.Parallel()
	i := install(t, quickBlocks)
	for name, language := range kits {
		kit, front := language.ready(t), newForgetful(t, i)
		runs := func(program string) string {
			run := exec.CommandContext(t.Context(), kit.command[0], append(kit.command[1:], program)...)
			run.Dir = kit.dir
			run.Env = append(append(os.Environ(), kit.setting), i.kitSettings(front.url)...)
			out, err := run.CombinedOutput()
			require.NoError(t, err, "%s: %s", name, out)
			return string(out)
		}
		if kit.program != "" {
			runs(kit.program)
			front.lostOne()
		}
		said := runs(kit.guide(t, name, language.mark))
		require.Contains(t, said, "\ncreated ", name)
		require.Contains(t, said, "\nmade before: ", name)
	}
	i.command("reconcile")
}

// guide writes the examples of a guide down as one program.
func (k *kit) guide(t *testing.T, name, mark string) string {
	t.Helper()
	text, err := guides.Files.ReadFile(name + ".md")
	require.NoError(t, err)
	var program strings.Builder
	if mark == "php" {
		program.WriteString("<?php\n")
	}
	for _, block := range regexp.MustCompile("(?s)```"+mark+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		program.WriteString(block[1] + "\n")
	}
	path := filepath.Join(k.dir, "guide."+mark)
	if mark == "js" {
		path = filepath.Join(k.dir, "guide.mjs") // a module
	}
	require.NoError(t, os.WriteFile(path, []byte(program.String()), 0o600))
	return path
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
