package monero

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"causeway/chains"
)

// emptyWallet is no wallet: it has read up to a height, and found nothing.
type emptyWallet struct {
	main   string
	height int64
	asked  []string
}

func (e *emptyWallet) serve(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Method string }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		e.asked = append(e.asked, q.Method)
		_, _ = fmt.Fprintf(w, `{"result":{"address":%q,"height":%d}}`, e.main, e.height+1)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestAWalletKeepsWhatItHasRead: its server may be killed at any time, and goes on from its file.
func TestAWalletKeepsWhatItHasRead(t *testing.T) {
	t.Parallel()
	e := &emptyWallet{main: viewOf(t, recordedView).main}
	c := &Connector{cfg: Defaults(), view: viewOf(t, recordedView)}
	w := c.newWallet(e.serve(t), nil)
	for _, step := range []struct {
		height int64
		kept   bool
	}{{1_000, true}, {1_001, false}, {1_029, false}, {1_030, true}, {1_020, false}, {1_059, false}, {1_500, true}} {
		e.height, e.asked = step.height, nil
		if height, err := w.ready(t.Context()); err != nil || height != step.height || slices.Contains(e.asked, "store") != step.kept {
			t.Errorf("at %d: read up to %d, %v, asked %q", step.height, height, err, e.asked)
		}
	}
}

// TestABusyWalletIsNotWaitedForForEver: whoever signs holds a row of the books.
func TestABusyWalletIsNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &Connector{cfg: Defaults(), open: t.Context()}
		s := &Sender{Connector: c, spender: c.newWallet("http://127.0.0.1:1", nil)}
		give, err := s.spender.take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer give()
		began := time.Now()
		if _, err := (&draft{sender: s}).Sign(chains.Slot{Number: 1}); !errors.Is(err, chains.ErrDown) || time.Since(began) != longestSign {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}
