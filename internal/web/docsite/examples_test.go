package docsite

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// programs run an example of each language: the file it is put into, the text around it, and the command.
var programs = map[string]struct {
	file, before, after string
	command             []string
}{
	"curl":       {"main.sh", "", "", []string{"sh", "main.sh"}},
	"JavaScript": {"main.mjs", "", "", []string{"node", "main.mjs"}},
	"Python":     {"main.py", "", "", []string{"python3", "main.py"}},
	"PHP":        {"main.php", "<?php\n", "", []string{"php", "main.php"}},
	"Go": {"main.go", "package main\n\nimport (\n\"fmt\"\n\"io\"\n\"log\"\n\"net/http\"\n\"os\"\n\"strings\"\n)\n\nvar _ = strings.NewReader\n\nfunc main() {\n",
		"\n}\n", []string{"go", "run", "main.go"}},
}

// The example of each language sends the reference's request, whatever is in it.
func TestExamplesSendTheirRequest(t *testing.T) {
	t.Parallel()
	type sent struct{ method, path, key, kind, body string }
	var got chan sent
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- sent{r.Method, r.URL.RequestURI(), r.Header.Get("X-Acme-Invoke"), r.Header.Get("Content-Type"), string(body)}
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte("refused"))
	}))
	t.Cleanup(server.Close)
	const body = "{\n  \"text\": \"it's `quoted`, ä\"\n}"
	for _, c := range []struct {
		call call
		want sent
	}{
		{call{"POST", server.URL + "/v1/payout", "X-Acme-Invoke", body}, sent{"POST", "/v1/payout", "cw_live_x", "application/json", body}},
		{call{"GET", server.URL + "/v1/quote?token=USDT", "X-Acme-Invoke", ""}, sent{"GET", "/v1/quote?token=USDT", "cw_live_x", "", ""}},
	} {
		for _, example := range c.call.examples() {
			program := programs[example.Language]
			if _, err := exec.LookPath(program.command[0]); err != nil {
				continue
			}
			got = make(chan sent, 1)
			dir := t.TempDir()
			text := example.Text
			if example.Language == "curl" {
				text = strings.ReplaceAll(text, placeholderKey, "cw_live_x")
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, program.file), []byte(program.before+text+program.after), 0o600))
			command := exec.CommandContext(t.Context(), program.command[0], program.command[1:]...)
			command.Dir = dir
			command.Env = append(os.Environ(), "KEY=cw_live_x")
			out, err := command.CombinedOutput()
			require.NoError(t, err, "%s: %s\n%s", example.Language, out, text)
			require.Contains(t, string(out), "refused", example.Language)
			request := <-got
			if example.Language == "JavaScript" && body == c.call.body {
				require.JSONEq(t, c.want.body, request.body)
				request.body = c.want.body // written anew by the program
			}
			require.Equal(t, c.want, request, example.Language)
		}
	}
}
