package remotesigner_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/remotesigner"
)

const path = "m/44'/60'/0'/1/0"

var digest = [32]byte(crypto.Keccak256([]byte("a transaction")))

// refusals are what is said of the answers that are no signature of ours. Every other habit is right.
var refusals = map[string]string{
	"another's key":  "by another key",
	"another digest": "of another digest",
	"a high s":       "its s is the high one",
	"a high s, DER":  "its s is the high one",
	"zeros":          "by another key",
	"too short":      "nor DER",
	"too long":       "nor DER",
	"no hex":         "not in hex",
	"no signature":   "not in hex",
	"no JSON":        "the answer is not",
	"nothing":        "the answer is not",
	"an error":       "over the limit of the day",
}

// forms are a signer of a habit as a program and as a server.
func forms(t *testing.T, habit string) map[string]*remotesigner.Signer {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		question, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost {
			t.Errorf("%s, %v", r.Method, err)
		}
		fmt.Fprint(w, habits[habit](question))
	}))
	t.Cleanup(server.Close)
	program, err := os.Executable()
	require.NoError(t, err)
	return map[string]*remotesigner.Signer{
		"a program": remotesigner.New(remotesigner.Config{Command: []string{program, "sign", habit}}, t.TempDir()),
		"a server":  remotesigner.New(remotesigner.Config{URL: server.URL}, t.TempDir()),
	}
}

// TestAnswers: a right answer is taken in every form, and each other one is an error of a network that is down for now.
//
// Covers operator §Settings: signer has the keys
func TestAnswers(t *testing.T) {
	t.Parallel()
	want, err := crypto.Sign(digest[:], ours)
	require.NoError(t, err)
	for habit := range habits {
		for form, signer := range forms(t, habit) {
			got, err := signer.Secp256k1(path, digest, &ours.PublicKey)
			if refusals[habit] == "" {
				require.NoError(t, err, "%s: %s", form, habit)
				require.True(t, bytes.Equal(want, got), "%s: %s: %x, want %x", form, habit, got, want)
				continue
			}
			var refused *remotesigner.Error
			require.ErrorAs(t, err, &refused, "%s: %s", form, habit)
			require.ErrorIs(t, err, chains.ErrDown)
			require.ErrorContains(t, err, refusals[habit], "%s: %s", form, habit)
			require.Nil(t, got)
		}
	}
}

// TestTheQuestion: the signer gets the path, the digest and the curve, and nothing else.
//
// Covers operator §Settings: The question is one line
func TestTheQuestion(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "question")
	signer := remotesigner.New(remotesigner.Config{Command: []string{"tee", out}}, t.TempDir())
	_, err := signer.Secp256k1(path, digest, &ours.PublicKey)
	require.Error(t, err, "a question is no answer")
	asked, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf(`{"path":"m/44'/60'/0'/1/0","digest":"0x%x","curve":"secp256k1"}`+"\n", digest), string(asked))
}

// TestNoAnswer: a signer that is late, fails or is not there is an error with its reason.
//
// Covers operator §Settings: An answer that is wrong
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	require.NoError(t, err)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "the HSM\nis locked", http.StatusServiceUnavailable)
	}))
	t.Cleanup(failing.Close)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for name, c := range map[string]struct {
		config remotesigner.Config
		want   string
	}{
		"a late program":    {remotesigner.Config{Command: []string{"sleep", "60"}}, "no answer within 500ms"},
		"a late child":      {remotesigner.Config{Command: []string{"sh", "-c", "sleep 60 & wait"}}, "no answer within 500ms"},
		"a late server":     {remotesigner.Config{URL: silent.URL}, "no answer within 500ms"},
		"a failed program":  {remotesigner.Config{Command: []string{program, "sign", "fails"}}, "exit status 3: the HSM is locked"},
		"a failed server":   {remotesigner.Config{URL: failing.URL}, "answers 503: the HSM is locked"},
		"no program":        {remotesigner.Config{Command: []string{"no-such-signer"}}, "the program does not run"},
		"no server":         {remotesigner.Config{URL: closed.URL + "/secret"}, "the server does not answer"},
		"no token":          {remotesigner.Config{URL: failing.URL, TokenFile: "absent"}, "token_file"},
		"an endless answer": {remotesigner.Config{Command: []string{"sh", "-c", "head -c 1000000 /dev/zero"}}, "the answer is not"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patience := time.Minute
			if strings.Contains(name, "late") {
				patience = 500 * time.Millisecond
			}
			_, err := remotesigner.New(c.config, t.TempDir()).Patient(patience).Secp256k1(path, digest, &ours.PublicKey)
			require.ErrorIs(t, err, chains.ErrDown)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "secret")
		})
	}
}

// TestAtTheSameTime: a second digest does not wait for the answer to the first, and each gets its own signature.
func TestAtTheSameTime(t *testing.T) {
	t.Parallel()
	var both sync.WaitGroup
	both.Add(2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		question, _ := io.ReadAll(r.Body)
		both.Done()
		both.Wait()
		fmt.Fprint(w, habits["right"](question))
	}))
	t.Cleanup(server.Close)
	signer := remotesigner.New(remotesigner.Config{URL: server.URL}, "")
	var all sync.WaitGroup
	for n := range byte(2) {
		all.Go(func() {
			own := [32]byte(crypto.Keccak256([]byte{n}))
			signature, err := signer.Secp256k1(path, own, &ours.PublicKey)
			if err != nil || !crypto.VerifySignature(crypto.CompressPubkey(&ours.PublicKey), own[:], signature[:64]) {
				t.Errorf("digest %d: %x, %v", n, signature, err)
			}
		})
	}
	all.Wait()
}

// TestTheTokenIsForTheSigner: the server gets the token of the file as it is now, and a server that it points to gets nothing.
//
// Covers operator §Settings: token_file has
func TestTheTokenIsForTheSigner(t *testing.T) {
	t.Parallel()
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(thief.Close)
	var redirects bool
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		question, _ := io.ReadAll(r.Body)
		if got = r.Header.Get("Authorization"); redirects {
			http.Redirect(w, r, thief.URL, http.StatusTemporaryRedirect)
			return
		}
		fmt.Fprint(w, habits["right"](question))
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	signer := remotesigner.New(remotesigner.Config{URL: server.URL, TokenFile: "token"}, dir)
	for _, token := range []string{"first", "second"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "token"), []byte(token+"\n"), 0o600))
		_, err := signer.Secp256k1(path, digest, &ours.PublicKey)
		require.NoError(t, err)
		require.Equal(t, "Bearer "+token, got)
	}
	redirects = true
	_, err := signer.Secp256k1(path, digest, &ours.PublicKey)
	require.ErrorContains(t, err, "answers 307")
}

// TestTheProgramSeesNoSecrets: it has the variables named for it, and none of the process's others.
//
// Covers operator §Settings: The program has of the role's
func TestTheProgramSeesNoSecrets(t *testing.T) {
	t.Setenv("SECRETS_KEY", "hunter2")
	t.Setenv("AWS_REGION", "eu-central-1")
	dir := t.TempDir()
	script := "#!/bin/sh\nenv > variables\necho '{\"error\": \"seen\"}'\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sign.sh"), []byte(script), 0o700))
	signer := remotesigner.New(remotesigner.Config{Command: []string{"./sign.sh"}, Env: []string{"AWS_REGION"}}, dir)
	_, err := signer.Secp256k1(path, digest, &ours.PublicKey)
	require.ErrorContains(t, err, "seen")
	seen, err := os.ReadFile(filepath.Join(dir, "variables"))
	require.NoError(t, err)
	require.Contains(t, string(seen), "AWS_REGION=eu-central-1")
	require.NotContains(t, string(seen), "hunter2")
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]remotesigner.Config{
		"say either command or url":          {},
		"say either":                         {Command: []string{"sign"}, URL: "https://signer.example"},
		"command: [program":                  {Command: []string{""}},
		"token_file: only with url":          {Command: []string{"sign"}, TokenFile: "token"},
		"env: only with command":             {URL: "https://signer.example", Env: []string{"A"}},
		"env: names":                         {Command: []string{"sign"}, Env: []string{"A=B"}},
		"url: an https URL":                  {URL: "http://signer.example"},
		"url: an https URL without":          {URL: "https://user:pass@signer.example"},
		"url: an https URL without a user, ": {URL: "signer.example"},
	} {
		require.ErrorContains(t, c.Validate(), want)
	}
	for _, c := range []remotesigner.Config{
		{Command: []string{"/opt/sign", "hot"}, Env: []string{"AWS_REGION"}}, {URL: "https://signer.example/sign", TokenFile: "token"},
		{URL: "http://127.0.0.1:8080/"}, {URL: "http://[::1]:8080/"}, {URL: "http://localhost/"},
	} {
		require.NoError(t, c.Validate())
	}
	var e *remotesigner.Error
	require.True(t, errors.As(fmt.Errorf("sign: %w", &remotesigner.Error{Why: "it is late"}), &e) && strings.Contains(e.Error(), "it is late"))
}
