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

// emptyWallet is no wallet: it has read up to a height, and found what a test says. It takes all other questions.
type emptyWallet struct {
	main   string
	height int64
	has    []entry
	out    []spending
	asked  []string
}

// spending is a transaction of ours, as a wallet tells it.
type spending struct {
	Txid   string `json:"txid"`
	Height int64  `json:"height"`
}

func (e *emptyWallet) serve(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Method string
			Params struct {
				Which string `json:"transfer_type"`
				From  int64  `json:"min_height"`
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		result := map[string]any{"address": e.main, "height": e.height + 1}
		switch q.Method {
		case "incoming_transfers":
			q.Method += " " + q.Params.Which
			result = map[string]any{"transfers": e.transfers(q.Params.Which == "all")}
		case "get_transfers":
			q.Method += fmt.Sprintf(" from %d", q.Params.From)
			result = map[string]any{"out": slices.DeleteFunc(slices.Clone(e.out), func(s spending) bool { return s.Height <= q.Params.From })}
		}
		e.asked = append(e.asked, q.Method)
		if err := json.NewEncoder(w).Encode(map[string]any{"result": result}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// transfers are the outputs in the words of a wallet: all, or those that are not spent.
func (e *emptyWallet) transfers(all bool) []any {
	out := []any{}
	for _, o := range e.has {
		if all || !o.Spent {
			out = append(out, map[string]any{"pubkey": o.Key, "key_image": o.Image, "spent": o.Spent})
		}
	}
	return out
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
