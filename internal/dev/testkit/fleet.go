package testkit

import (
	"context"
	"testing"
	"time"

	"causeway/internal/dev/devstack"
)

// WatchedRedis starts a primary with two replicas and three sentinels for this test alone. A primary silent for so long is replaced.
func WatchedRedis(t testing.TB, silent time.Duration) *devstack.Fleet {
	t.Helper()
	return fleet(t, func(ctx context.Context, o devstack.Options) (*devstack.Fleet, error) {
		return devstack.StartWatched(ctx, o, silent)
	})
}

// RedisCluster starts a cluster of three primaries with a replica each for this test alone.
func RedisCluster(t testing.TB, silent time.Duration) *devstack.Fleet {
	t.Helper()
	const primaries = 3
	return fleet(t, func(ctx context.Context, o devstack.Options) (*devstack.Fleet, error) {
		return devstack.StartCluster(ctx, o, primaries, silent)
	})
}

func fleet(t testing.TB, start func(context.Context, devstack.Options) (*devstack.Fleet, error)) *devstack.Fleet {
	t.Helper()
	f, err := start(t.Context(), privateOptions(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Stop(); err != nil {
			t.Error(err)
		}
		if err := f.Remove(); err != nil {
			t.Error(err)
		}
	})
	return f
}
