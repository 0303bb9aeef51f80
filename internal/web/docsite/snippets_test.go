package docsite_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/docs/guides"
	"causeway/internal/webhooks"
)

// snippet returns the one code block of a language in a guide.
func snippet(t *testing.T, name, language string) string {
	t.Helper()
	text, err := guides.Files.ReadFile(name + ".md")
	require.NoError(t, err)
	found := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	require.Len(t, found, 1)
	return found[0][1]
}

// language runs a snippet: its files, and the command for the arguments after it.
type language struct {
	program string
	command []string
	files   func(snippet, function string) map[string]string
}

var languages = map[string]language{
	"go": {"go", []string{"go", "run", "-trimpath", "snippet.go", "main.go"}, func(snippet, _ string) map[string]string {
		return map[string]string{"snippet.go": "package main\n\n" + snippet, "main.go": `package main
import ("fmt"; "os")
func main() { a := os.Args; fmt.Println(verify(a[1], a[2], a[3], a[4], []byte(a[5]))) }`}
	}},
	"js": {"node", []string{"node", "main.js"}, func(snippet, function string) map[string]string {
		return map[string]string{"main.js": snippet + "\nconst a = process.argv.slice(2);\na.push(Buffer.from(a.pop()));\nconsole.log(" +
			function + "(...a));\n"}
	}},
	"python": {"python3", []string{"python3", "main.py"}, func(snippet, function string) map[string]string {
		return map[string]string{"main.py": snippet + "\n\nimport sys\n*a, body = sys.argv[1:]\nanswer = " + function +
			"(*a, body.encode())\nprint(str(answer).lower() if isinstance(answer, bool) else answer)\n"}
	}},
	"php": {"php", []string{"php", "main.php"}, func(snippet, function string) map[string]string {
		return map[string]string{"main.php": "<?php\n" + snippet + "\necho var_export(" + function + "(...array_slice($argv, 1)), true);\n"}
	}},
}

// runs writes a snippet down and returns how to call it; nil where the machine has no program for it.
func (l language) runs(t *testing.T, code, function string) func(arguments ...string) string {
	t.Helper()
	if _, err := exec.LookPath(l.program); err != nil {
		return nil
	}
	dir := t.TempDir()
	for name, text := range l.files(code, function) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return func(arguments ...string) string {
		command := exec.CommandContext(t.Context(), l.command[0], append(l.command[1:], arguments...)...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
		return strings.TrimSpace(string(out))
	}
}

// TestSnippetsVerifyWebhooks runs the guide's code against the service's signatures, in every language of this machine.
//
// Covers addendum §2: A webhook has three headers
func TestSnippetsVerifyWebhooks(t *testing.T) {
	t.Parallel()
	for name, l := range languages {
		verify := l.runs(t, snippet(t, "webhooks", name), "verify")
		if verify == nil {
			continue
		}
		for _, c := range webhookTrials(time.Now()) { // of each language's moment: a busy machine may take minutes for all
			require.Equal(t, fmt.Sprint(c.good), verify(c.arguments...), "%s: %s", name, c.name)
		}
	}
}

// webhookTrial is a call of a receiver's function, and whether it should believe it.
type webhookTrial struct {
	name      string
	arguments []string
	good      bool
}

func webhookTrials(moment time.Time) []webhookTrial {
	const secret, delivery, body = "whsec_vector", "dlv_0001", `{"event":"payment_processed","data":{"note":"ä"}}`
	at := func(off time.Duration, secrets ...string) (signature, timestamp string) {
		seconds := moment.Add(off).Unix()
		return webhooks.Sign(secrets, seconds, delivery, []byte(body)), strconv.FormatInt(seconds, 10)
	}
	good, timestamp := at(0, "whsec_newer", secret)
	forged, _ := at(0, "")
	old, oldTime := at(-time.Hour, secret)
	ahead, aheadTime := at(time.Hour, secret)
	return []webhookTrial{
		{"good", []string{secret, good, timestamp, delivery, body}, true},
		{"another body", []string{secret, good, timestamp, delivery, body + " "}, false},
		{"another secret", []string{"whsec_other", good, timestamp, delivery, body}, false},
		{"no secret", []string{"", forged, timestamp, delivery, body}, false},
		{"another delivery", []string{secret, good, timestamp, "dlv_0002", body}, false},
		{"old", []string{secret, old, oldTime, delivery, body}, false},
		{"ahead", []string{secret, ahead, aheadTime, delivery, body}, false},
		{"no timestamp", []string{secret, good, "now", delivery, body}, false},
		{"no signature", []string{secret, "", timestamp, delivery, body}, false},
	}
}

// TestSnippetsSignRequests runs the guide's formula on the contract's vectors, as shown in the guide.
//
// Covers addendum §1: Vectors
func TestSnippetsSignRequests(t *testing.T) {
	t.Parallel()
	guide, err := guides.Files.ReadFile("signing.md")
	require.NoError(t, err)
	for _, name := range []string{"js", "python"} {
		sign := languages[name].runs(t, snippet(t, "signing", name), "sign")
		if sign == nil {
			continue
		}
		for want, arguments := range map[string][]string{
			"30f85c3f6fe2bc2674623cbe86c84d5954357468664a9709057f5ca44ee890ed": {"POST", "/v1/payin", "", "1760000000",
				"nonce-aaaaaaaaaaaaaaaa", `{"reference_id":"r-1"}`},
			"6de896cbe9c920bd6a3e82c8350a66a521dcd3357f89312cb783b8b097d69bd1": {"GET", "/v1/list-payout", "page=2&status=PENDING",
				"1760000001", "nonce-bbbbbbbbbbbbbbbb", ""},
		} {
			require.Equal(t, want, sign(append([]string{"test-signing-secret-1"}, arguments...)...), name)
			require.Contains(t, string(guide), want)
		}
	}
}
