package settings

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// Each form of REDIS_URL leads to its servers, with the ports and passwords it names.
//
// Covers operator §Settings: REDIS_URL
func TestFormsOfRedis(t *testing.T) {
	t.Parallel()
	r, err := RedisURL("redis-sentinel://me:p%40ss@one,two:26380,[::1]/3?master=main&sentinel_username=s&sentinel_password=q&dial_timeout=2s").Read()
	require.NoError(t, err)
	o := r.watched
	require.Equal(t, []string{"one:26379", "two:26380", "[::1]:26379"}, o.SentinelAddrs)
	require.Equal(t, []any{"main", "me", "p@ss", "s", "q", 3, 2 * time.Second}, []any{o.MasterName, o.Username, o.Password, o.SentinelUsername, o.SentinelPassword, r.Number(), o.DialTimeout})
	require.Nil(t, o.TLSConfig)
	require.IsType(t, &redis.Client{}, r.Client())

	r, err = RedisURL("redis-sentinel://one?master=main").Read()
	require.NoError(t, err)
	require.Equal(t, []any{"", "", "", "", 0}, []any{r.watched.Username, r.watched.Password, r.watched.SentinelUsername, r.watched.SentinelPassword, r.Number()})

	r, err = RedisURL("rediss-cluster://me:secret@one,two:7000/?pool_size=7").Read()
	require.NoError(t, err)
	c := r.cluster
	require.Equal(t, []string{"one:6379", "two:7000"}, c.Addrs)
	require.Equal(t, []any{"me", "secret", 7, 0}, []any{c.Username, c.Password, c.PoolSize, r.Number()})
	require.NotNil(t, c.TLSConfig)
	require.Empty(t, c.TLSConfig.ServerName, "each node is known by its own name")
	require.IsType(t, &redis.ClusterClient{}, r.Client())

	r, err = RedisURL("rediss-sentinel://one?master=main").Read()
	require.NoError(t, err)
	require.NotNil(t, r.watched.TLSConfig)
	require.Empty(t, r.watched.TLSConfig.ServerName)

	r, err = RedisURL("redis://one:7/5").Read()
	require.NoError(t, err)
	require.Equal(t, []any{"one:7", 5}, []any{r.one.Addr, r.Number()})
}

// A hurried client has one attempt within its time, in each form.
func TestAHurriedRedisWaitsForNothing(t *testing.T) {
	t.Parallel()
	for _, address := range []RedisURL{"redis://one", "redis-sentinel://one?master=main", "redis-cluster://one"} {
		r, err := address.Read()
		require.NoError(t, err)
		var retries, dials int
		var waits []time.Duration
		switch h := r.Hurried(time.Second); {
		case h.one != nil:
			retries, dials, waits = h.one.MaxRetries, h.one.DialerRetries, []time.Duration{h.one.DialTimeout, h.one.ReadTimeout, h.one.WriteTimeout, h.one.PoolTimeout}
			require.True(t, h.one.ContextTimeoutEnabled)
		case h.watched != nil:
			retries, dials, waits = h.watched.MaxRetries, h.watched.DialerRetries, []time.Duration{h.watched.DialTimeout, h.watched.ReadTimeout, h.watched.WriteTimeout, h.watched.PoolTimeout}
			require.True(t, h.watched.ContextTimeoutEnabled)
		default:
			retries, dials, waits = h.cluster.MaxRetries, h.cluster.DialerRetries, []time.Duration{h.cluster.DialTimeout, h.cluster.ReadTimeout, h.cluster.WriteTimeout, h.cluster.PoolTimeout}
			require.True(t, h.cluster.ContextTimeoutEnabled)
		}
		require.Equal(t, []any{-1, 1, time.Second, time.Second, time.Second, time.Second}, []any{retries, dials, waits[0], waits[1], waits[2], waits[3]}, address)
	}
}

// The addresses of several servers tell whether two settings mean the same Redis, in whatever order they stand.
func TestNamesOfSeveralRedis(t *testing.T) {
	t.Parallel()
	require.Equal(t, redisOf("redis-cluster://a,b:7000"), redisOf("redis-cluster://b:7000,a:6379"))
	require.NotEqual(t, redisOf("redis-cluster://a"), redisOf("redis-cluster://b"))
	require.Equal(t, redisOf("redis-sentinel://a,b?master=m"), redisOf("redis-sentinel://:secret@b,a/0?master=m"))
	require.NotEqual(t, redisOf("redis-sentinel://a?master=m"), redisOf("redis-sentinel://a/1?master=m"))
	require.NotEqual(t, redisOf("redis-sentinel://a?master=m"), redisOf("redis-sentinel://a?master=n"))
}

func TestMaskedAddressesOfSeveral(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"redis-cluster://:hunter2@a:7000,b:7000":                                    "redis-cluster://:xxxxx@a:7000,b:7000",
		"redis-sentinel://u:hunter2@a,[::1]:1/2?master=m&sentinel_password=hunter2": "redis-sentinel://u:xxxxx@a,[::1]:1/2?master=m&sentinel_password=xxxxx",
		"redis://a/1":                          "redis://a/1",
		"unix:///run/redis.sock?db=1":          "unix:///run/redis.sock?db=1",
		"postgres://u:hunter2@a:5432,b:5433/x": "postgres://u:xxxxx@a:5432,b:5433/x",
	} {
		require.Equal(t, want, MaskedAddress(address))
	}
}
