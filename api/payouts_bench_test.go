package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/sandbox"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// BenchmarkPayouts is single payouts of one merchant by 64 clients at once, through every check of the front.
func BenchmarkPayouts(b *testing.B) {
	s := newShop(b)
	s.deps.Quota.Requests = 1 << 30
	s.deps.Redis = nil
	s.front = New(s.deps)
	s.fund(s.merchant, "USDT", "1000000000")
	var next, failed atomic.Int64
	b.SetParallelism(32)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			w := httptest.NewRecorder()
			s.front.ServeHTTP(w, request(http.MethodPost, "/v1/payout", s.key, item(fmt.Sprintf("b-%d", next.Add(1)))))
			if w.Code != http.StatusOK {
				failed.Add(1)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "payouts/s")
	if failed.Load() > 0 {
		b.Errorf("%d failed", failed.Load())
	}
}

// BenchmarkBatch is a batch of maxPayouts from its body to its answer, without the database: read, checked, sealed, answered.
func BenchmarkBatch(b *testing.B) {
	networks, err := chains.NewRegistry(sandbox.OpenAll(nil, pay.Networks, sandbox.Options{})...)
	if err != nil {
		b.Fatal(err)
	}
	s := newShop(b, knowing(realAddresses{networks}))
	caller, err := NewCallers(s.store).Caller(b.Context(), s.keyID, "")
	if err != nil {
		b.Fatal(err)
	}
	items := make([]string, maxPayouts)
	for i := range items {
		items[i] = item(fmt.Sprintf("b-%d", i), "network", `"Tron"`, "wallet", quote(addresses.Encode("Tron", [32]byte{1})))
	}
	p := &s.operations.Payouts
	outcomes := slices.Repeat([]store.PayoutOutcome{{Outcome: outcomeCreated}}, maxPayouts)
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		c := &Call{Request: request(http.MethodPost, "/v1/payout", s.key, ""), Caller: caller, Body: []byte(batchOf(items...)), writer: w}
		batch, err := p.read(c)
		if err != nil {
			b.Fatal(err)
		}
		if n := len(batch.records(p.Seals)); n != maxPayouts {
			b.Fatal(n)
		}
		answer, err := batch.answer(outcomes)
		if err != nil {
			b.Fatal(err)
		}
		if err := c.JSON(answer.status(), answer); err != nil || w.Code != http.StatusOK {
			b.Fatal(w.Code, err)
		}
	}
}
