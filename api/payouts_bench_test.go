package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
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
