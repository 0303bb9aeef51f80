package scheduler

import (
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/tasks"
)

// TestRedisThatComesBackIsNotStormed: while Redis is away two relays take nothing. When it is back
// each due job is rung once, however often they look, and once more only after its visibility is over.
func TestRedisThatComesBackIsNotStormed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server := testkit.PrivateRedis(t)
	options, err := redis.ParseURL(server.URL)
	require.NoError(t, err)
	options.MaxRetries, options.DialerRetries = -1, 1
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	bell, look := tasks.NewBell(client), asynq.NewInspectorFromRedisClient(client)
	relays := []*Relay{{Store: w.store, Bell: bell, Log: w.log}, {Store: w.store, Bell: bell, Log: w.log}}
	rung := func() (n int) { // by looks until nothing more is rung
		for {
			for range 5 {
				for _, r := range relays {
					w.ringDue(r)
				}
			}
			taken := len(pending(t, look))
			if taken == 0 {
				return n
			}
			n += taken
			_, err = look.DeleteAllPendingTasks(string(tasks.Webhooks))
			require.NoError(t, err)
		}
	}

	w.add(tasks.DeliverWebhook, 6*Full)
	require.NoError(t, server.Crash())
	for _, r := range relays {
		_, err := r.RingDue(t.Context())
		require.Error(t, err)
	}
	w.add(tasks.DeliverWebhook, 2*Full)
	for range 5 {
		for _, r := range relays {
			require.Zero(t, w.ringDue(r))
		}
	}
	require.Equal(t, 8*Full, w.count("select count(*) from jobs where attempt = 0"), "what nobody took")

	require.NoError(t, server.Restart(t.Context()))
	testkit.Eventually(t, time.Minute, func() bool { return bell.Ping() == nil }, "Redis is back") // the client dials once a second
	require.Equal(t, 8*Full, rung())
	require.Equal(t, 1, w.count("select max(attempt) from jobs"))
	w.exec("update jobs set run_at = run_at - interval '30 seconds'")
	require.Equal(t, 8*Full, rung())
	require.Equal(t, 2, w.count("select max(attempt) from jobs"))
}
