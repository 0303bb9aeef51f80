package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"causeway/internal/cli/settings"
	"causeway/internal/dev/devstack"
	"causeway/internal/dev/testkit"
	"causeway/migrations"
)

// withRedisOfItsOwn returns the settings of a site, their Redis, and a client to change the settings of this Redis.
func withRedisOfItsOwn(t *testing.T) (*settings.Settings, *devstack.Redis, *redis.Client) {
	t.Helper()
	e := newWorkingSite(t)
	server := testkit.PrivateRedis(t)
	s, err := newProgram([]string{"REDIS_URL=" + server.URL}, io.Discard, io.Discard).at(e.Dir).Settings(settings.OfRoles...)
	require.NoError(t, err)
	options, err := redis.ParseURL(server.URL)
	require.NoError(t, err)
	control := redis.NewClient(options)
	t.Cleanup(func() { _ = control.Close() })
	return s, server, control
}

// A starting role warns in its log of a Redis dropping tasks when full, and /health does as long as this lasts; it stops
// nothing, and neither does a Redis unable to answer the question.
//
// Covers operator §Settings: REDIS_URL
func TestARedisThatDropsTasksIsTold(t *testing.T) {
	t.Parallel()
	s, server, control := withRedisOfItsOwn(t)
	const evicts = "REDIS_URL: this Redis drops tasks when it is full, so they run late: its maxmemory-policy is allkeys-lru"
	for _, c := range []struct {
		most, policy string
		told         bool
	}{{"100mb", "allkeys-lru", true}, {"0", "allkeys-lru", false}, {"100mb", "noeviction", false}} {
		require.NoError(t, control.ConfigSet(t.Context(), "maxmemory", c.most).Err())
		require.NoError(t, control.ConfigSet(t.Context(), "maxmemory-policy", c.policy).Err())
		var log bytes.Buffer
		h, err := openService(t.Context(), s, &log, migrations.WorkersRole)
		require.NoError(t, err)
		require.Equal(t, c.told, strings.Contains(log.String(), evicts), "%+v: %s", c, &log)
		port := h.operatorHandler(h.console())
		health := func() string {
			w := httptest.NewRecorder()
			port.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/health", nil))
			return w.Body.String()
		}
		require.Equal(t, c.told, strings.Contains(health(), evicts), "%+v: %s", c, health())
		if !c.told {
			require.NoError(t, control.ConfigSet(t.Context(), "maxmemory", "100mb").Err())
			require.NoError(t, control.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru").Err())
			require.Contains(t, health(), evicts, "it is asked each time")
		}
		require.NoError(t, port.Close())
		require.NoError(t, h.close())
	}
	require.NoError(t, server.Stop())
	h, err := openService(t.Context(), s, t.Output(), migrations.WorkersRole)
	require.NoError(t, err)
	port := h.operatorHandler(h.console())
	w := httptest.NewRecorder()
	port.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/health", nil))
	require.Contains(t, w.Body.String(), "The redis cannot be used")
	require.NotContains(t, w.Body.String(), "drops tasks")
	require.NoError(t, port.Close())
	require.NoError(t, h.close())
}

// A Redis answering and taking nothing is of no use: a process is not ready with it.
//
// Covers operator §Roles: Both ports answer
func TestARedisThatTakesNothingIsNotReady(t *testing.T) {
	t.Parallel()
	s, _, control := withRedisOfItsOwn(t)
	h, err := openService(t.Context(), s, t.Output(), migrations.WorkersRole)
	require.NoError(t, err)
	t.Cleanup(func() { _ = h.close() })
	for _, c := range []struct {
		memory string
		status int
		says   string
	}{{"0", http.StatusOK, `"redis":"ok"`}, {"1", http.StatusServiceUnavailable, `"redis":"failing"`}, {"0", http.StatusOK, `"redis":"ok"`}} {
		require.NoError(t, control.ConfigSet(t.Context(), "maxmemory", c.memory).Err())
		w := httptest.NewRecorder()
		h.ready().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		require.Equal(t, c.status, w.Code, w.Body)
		require.Contains(t, w.Body.String(), c.says)
	}
}
