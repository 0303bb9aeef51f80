package client

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"causeway/chains"
)

// TestABusyNodeIsAskedAgain: within one call, no sooner than the node asks for, and not for ever.
func TestABusyNodeIsAskedAgain(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	var busy atomic.Int64
	var after atomic.Value
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) <= busy.Load() {
			w.Header().Set("Retry-After", after.Load().(string))
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","error":{"code":429,"message":"slow down"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"id":1,"result":7}`)
	})
	for _, step := range []struct {
		busy, asked int64
		after       string
		least       time.Duration
		fails       bool
	}{
		{2, 3, "", 3 * firstPause, false},
		{1, 2, "1", time.Second, false},
		{9, tries, "", 7 * firstPause, true},
		{1, 1, "60", 0, true},
	} {
		asked.Store(0)
		busy.Store(step.busy)
		after.Store(step.after)
		began := time.Now()
		var result int
		err := c.Call(t.Context(), &result, "eth_blockNumber")
		if (err != nil) != step.fails || err != nil && !errors.Is(err, chains.ErrDown) || asked.Load() != step.asked || time.Since(began) < step.least {
			t.Errorf("%+v: %d, %v after %v, asked %d times", step, result, err, time.Since(began), asked.Load())
		}
	}
}

// TestARateLimitIsAskedAgain: some nodes tell a rate limit as an error of one question, of a batch too, with HTTP 200.
// Questions answered already are not asked again.
//
// Covers operator §Settings: A request that a node answers with HTTP 429
func TestARateLimitIsAskedAgain(t *testing.T) {
	t.Parallel()
	var asked []string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, string(body))
		switch len(asked) {
		case 1:
			_, _ = io.WriteString(w, `{"id":null,"error":{"code":-32005,"message":"rate limit exceeded"}}`)
		case 2:
			_, _ = io.WriteString(w, `[{"id":1,"result":7},{"id":2,"error":{"code":429,"message":"over your compute units"}}]`)
		default:
			_, _ = io.WriteString(w, `{"id":1,"result":8}`)
		}
	})
	var first, second int
	if err := c.Batch(t.Context(), Ask(&first, "eth_one"), Ask(&second, "eth_two")); err != nil || first != 7 || second != 8 {
		t.Errorf("%d and %d, %v", first, second, err)
	}
	if c.Requests() != 3 {
		t.Errorf("counted %d requests, want 3", c.Requests())
	}
	if len(asked) != 3 || strings.Contains(asked[2], "eth_one") || !strings.Contains(asked[2], "eth_two") {
		t.Errorf("asked %q", asked)
	}
}
