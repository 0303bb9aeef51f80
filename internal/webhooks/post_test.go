package webhooks

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A body for a chat goes to public addresses only, once, without a signature. A secret in an answer is not kept.
func TestPost(t *testing.T) {
	t.Parallel()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != `{"text":"hi"}` || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("asked %s %q %v", r.Method, body, err)
		}
		for name := range r.Header {
			if strings.HasPrefix(name, "X-") {
				t.Errorf("the header %s is sent", name)
			}
		}
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
			return
		}
		w.Header().Set("Retry-After", "7")
		http.Error(w, "not now, s3cret", http.StatusTooManyRequests)
	}))
	defer server.Close()
	guarded := NewClient(Options{})
	defer guarded.Close()
	for _, address := range []string{server.URL, strings.Replace(server.URL, "http:", "https:", 1), "https://10.0.0.1/", "https://[::1]/", "file:///etc/passwd"} {
		require.NotEmpty(t, guarded.Post(t.Context(), address, []byte(`{"text":"hi"}`), "").Error, address)
	}
	require.Zero(t, asked)
	free := NewClient(Options{AllowedHosts: []string{"127.0.0.1"}})
	defer free.Close()
	a := free.Post(t.Context(), server.URL, []byte(`{"text":"hi"}`), "s3cret")
	require.Equal(t, http.StatusTooManyRequests, a.Status)
	require.Equal(t, 7*time.Second, a.RetryAfter)
	require.Equal(t, "not now, [removed]", strings.TrimSpace(a.AnswerBody))
	a = free.Post(t.Context(), server.URL+"/moved", []byte(`{"text":"hi"}`), "")
	require.Equal(t, http.StatusFound, a.Status)
	require.Equal(t, 2, asked)
}
