package scheduler

import (
	"context"
	"testing"
	"time"

	"causeway/internal/dev/testkit"
)

// Samplers note this minute at once, and end with their context.
func TestSampler(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		(&Sampler{Store: w.store, Log: w.log}).Run(ctx)
	}()
	testkit.Eventually(t, time.Minute, func() bool {
		found, err := w.store.Samples(t.Context(), time.Now().Add(-time.Hour), time.Hour)
		return err == nil && len(found) == 5
	}, "a minute's notes")
	stop()
	<-ended
}
