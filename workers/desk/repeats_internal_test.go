package desk

import (
	"fmt"
	"testing"
	"time"

	logtest "github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"

	"causeway/tasks"
)

// A failure each second is logged once, then its number each minute, and from anew after a quiet minute. Another reason is logged for
// itself.
func TestRepeatsAreSaidOnceAndCounted(t *testing.T) {
	t.Parallel()
	log, hook := logtest.NewNullLogger()
	var r repeats
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	fails := func(seconds int) (logged int) {
		for i := range seconds {
			for _, why := range []string{"Ethereum is not followed yet", fmt.Sprintf("gas costs %d.5 gwei", i)} {
				if r.fresh("payout.broadcast", why, now) {
					logged++
				}
			}
			r.tell(log, now)
			now = now.Add(time.Second)
		}
		return logged
	}
	require.Equal(t, 2, fails(60))
	require.Empty(t, hook.AllEntries())
	require.Equal(t, 0, fails(60))
	require.Len(t, hook.AllEntries(), 2)
	for _, e := range hook.AllEntries() {
		require.Equal(t, 60, e.Data["times"])
	}
	require.True(t, r.fresh("webhook.deliver", "Ethereum is not followed yet", now), "of another kind")
	for range 3 {
		now = now.Add(repeatsFor)
		r.tell(log, now)
	}
	require.Len(t, hook.AllEntries(), 4, "what is left is told")
	require.Equal(t, 2, fails(1), "it is new after a quiet time")
}

// No more reasons are remembered than there is room for: any beyond are logged each time.
func TestRepeatsAreBounded(t *testing.T) {
	t.Parallel()
	var r repeats
	now := time.Now()
	for i := range mostRepeats {
		require.True(t, r.fresh(fmt.Sprint("kind ", i), "why", now))
	}
	require.True(t, r.fresh("one more", "why", now))
	require.True(t, r.fresh("one more", "why", now))
	require.Len(t, r.said, mostRepeats)
}

// A job's repeated remark on a network is logged once a minute for each network, whatever hashes and heights it names.
func TestRepeatsOfANetworkAreSaidOnce(t *testing.T) {
	t.Parallel()
	var d Desk
	require.True(t, d.FreshOn("Ethereum", tasks.FollowNetwork, "block 7 is 0xab1f, and 0x77c0 was followed"))
	require.False(t, d.FreshOn("Ethereum", tasks.FollowNetwork, "block 8 is 0xdd10, and 0xfe01 was followed"))
	require.True(t, d.FreshOn("Base", tasks.FollowNetwork, "block 7 is 0xab1f, and 0x77c0 was followed"))
	require.True(t, d.FreshOn("Ethereum", tasks.Reconcile, "no answer"))
}
