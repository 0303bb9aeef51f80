package scheduler

import (
	"testing"
	"time"

	"github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"

	"causeway/internal/pg"
	"causeway/internal/store"
)

// An outage is told when it begins, once a minute, and when it is over, though a relay looks five times a second.
func TestAnOutageIsToldOnceAMinute(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gone, err := pg.Open("postgres://nobody@127.0.0.1:1/gone", 1)
	require.NoError(t, err)
	t.Cleanup(func() { _ = gone.Close() })
	log, told := test.NewNullLogger()
	r, now := w.relay(), time.Now()
	r.Log = log
	during := func(d time.Duration) (lines []string) {
		t.Helper()
		for end := now.Add(d); now.Before(end); now = now.Add(10 * time.Second) {
			for range 5 {
				r.look(t.Context(), now)
			}
		}
		for _, e := range told.AllEntries() {
			lines = append(lines, e.Level.String()+": "+e.Message)
		}
		told.Reset()
		return lines
	}
	unread, unrung := "warning: due jobs could not be read", "warning: Redis does not answer: everything is done, but later"
	require.Empty(t, during(time.Minute))
	r.Store = store.New(gone)
	require.Equal(t, []string{unread, unread}, during(2*time.Minute))
	r.Store = w.store
	require.Equal(t, []string{"info: due jobs can be read again"}, during(2*time.Minute))
	w.bell.set(true)
	require.Equal(t, []string{unrung, unrung}, during(2*time.Minute))
	w.bell.set(false)
	require.Equal(t, []string{"info: Redis answers again"}, during(2*time.Minute))
}
