package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"causeway/chains"
)

// TestABudgetHoldsRequestsBack: no more requests leave in a second than the budget has, including repeated ones and those of
// Within. A request without time left in its context is not sent, and its failure says why.
//
// Covers operator §Settings: `max_requests_per_second` bounds
func TestABudgetHoldsRequestsBack(t *testing.T) {
	t.Parallel()
	const budget = 20
	busy := true
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if busy = !busy; !busy {
			_, _ = io.WriteString(w, `{"id":1,"error":{"code":429,"message":"slow down"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"id":1,"result":7}`)
	})
	c.Budget(budget)
	var result int
	began := time.Now()
	for range budget {
		if err := c.Within(time.Minute).Call(t.Context(), &result, "eth_blockNumber"); err != nil {
			t.Fatal(err)
		}
	}
	if c.Requests() != 2*budget || time.Since(began) < time.Second*9/10 {
		t.Errorf("%d requests in %v, want %d in no less than a second", c.Requests(), time.Since(began), 2*budget)
	}

	slow := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"id":1,"result":7}`) })
	slow.Budget(1)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if err := slow.Call(ctx, &result, "eth_blockNumber"); err != nil {
		t.Fatal(err)
	}
	err := slow.Call(ctx, &result, "eth_blockNumber")
	if !errors.Is(err, chains.ErrDown) || !strings.Contains(err.Error(), "max_requests_per_second") || slow.Requests() != 1 || ctx.Err() != nil {
		t.Errorf("%v after %d requests, %v", err, slow.Requests(), ctx.Err())
	}
}
