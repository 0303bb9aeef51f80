package scheduler

import (
	"context"
	"time"

	"github.com/sirupsen/logrus"

	"causeway/internal/store"
)

// Sampler notes each minute how everything runs, for the plots of the console. Any number may run: one of them notes each
// minute. It is no job, since it is to be read of times when jobs were not worked on.
type Sampler struct {
	Store *store.Store
	Log   logrus.FieldLogger
}

// sampled is how often a Sampler looks whether the minute is noted.
const sampled = 20 * time.Second

// Run notes every minute until ctx ends.
func (s *Sampler) Run(ctx context.Context) {
	tick := time.NewTicker(sampled)
	defer tick.Stop()
	for {
		if err := s.Store.TakeSamples(ctx, time.Now()); err != nil && ctx.Err() == nil {
			s.Log.WithError(err).Warn("how everything runs was not noted")
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
