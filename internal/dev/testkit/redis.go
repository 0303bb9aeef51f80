package testkit

import (
	"context"
	"fmt"
	"net/url"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Redis is a client of the test's own logical database in the shared Redis,
// empty at first. Never use FLUSHALL on it: use FLUSHDB, or PrivateRedis.
func Redis(t testing.TB) *redis.Client {
	t.Helper()
	return remember(t, "redis", func() *redis.Client {
		client := redisClient(t, RedisURL(t))
		t.Cleanup(func() { _ = client.Close() })
		return client
	})
}

// RedisURL is the address of the test's own logical database, used by Redis too.
func RedisURL(t testing.TB) string {
	t.Helper()
	return remember(t, "redisURL", func() string {
		address := need(t).RedisURL
		n := takeRedisDatabase(t, address)
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		u.Path = fmt.Sprintf("/%d", n)
		return u.String()
	})
}

// takeRedisDatabase hands out logical databases 1, 2, …, over and over, emptied
// before use and after. Database 0 counts them.
func takeRedisDatabase(t testing.TB, address string) int {
	t.Helper()
	counter := redisClient(t, address)
	defer counter.Close()
	taken, err := counter.Incr(t.Context(), "databases taken").Result()
	if err != nil {
		t.Fatal(err)
	}
	n := 1 + int(taken-1)%(redisDatabases-1)
	flush(t, address, n)
	t.Cleanup(func() { flush(t, address, n) })
	return n
}

func flush(t testing.TB, address string, n int) {
	t.Helper()
	opts, err := redis.ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	opts.DB = n
	client := redis.NewClient(opts)
	defer client.Close()
	if err := client.FlushDB(context.Background()).Err(); err != nil {
		t.Error(err)
	}
}

func redisClient(t testing.TB, address string) *redis.Client {
	t.Helper()
	opts, err := redis.ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	return redis.NewClient(opts)
}
