package connect

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"causeway/internal/cli/settings"
)

// Redis opens a client and makes sure it answers.
func Redis(ctx context.Context, s *settings.Settings) (redis.UniversalClient, error) {
	at, err := RedisOf(s)
	if err != nil {
		return nil, err
	}
	client := at.Client()
	if err := RedisAnswers(ctx, s, client); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return client, nil
}

// RedisOf returns where the setting leads.
func RedisOf(s *settings.Settings) (settings.Redis, error) {
	at, err := s.RedisURL.Read()
	if err != nil {
		return at, fmt.Errorf("%s: %w", s.Named("REDIS_URL"), err)
	}
	return at, nil
}

// otherForms are the kinds of servers that need another form of REDIS_URL, by their own word for it.
var otherForms = map[string]string{"cluster": "a node of a cluster: name it with redis-cluster://", "sentinel": "a sentinel: name it with redis-sentinel://"}

// RedisAnswers returns nil if Redis answers and can take tasks by this form of its address. Of a cluster every primary answers.
func RedisAnswers(ctx context.Context, s *settings.Settings, client redis.UniversalClient) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := eachPrimary(ctx, client, func(one *redis.Client) error { return one.Ping(ctx).Err() }); err != nil {
		return unreachable(s.Named("REDIS_URL"), string(s.RedisURL), err)
	}
	if one, single := client.(*redis.Client); single {
		if is := otherForms[one.InfoMap(ctx, "server").Item("Server", "redis_mode")]; is != "" {
			return unreachable(s.Named("REDIS_URL"), string(s.RedisURL), errors.New("it is "+is))
		}
	}
	return nil
}

// Evicts returns an error if this Redis may lose tasks: when full it drops keys to make room. Nil when it does not, or
// cannot be asked.
func Evicts(ctx context.Context, s *settings.Settings, client redis.UniversalClient) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var told error
	var mu sync.Mutex
	_ = eachPrimary(ctx, client, func(one *redis.Client) error {
		info := one.InfoMap(ctx, "memory") // a managed Redis may forbid CONFIG
		most, policy := info.Item("Memory", "maxmemory"), info.Item("Memory", "maxmemory_policy")
		if most == "" || most == "0" || policy == "" || policy == "noeviction" {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		told = fmt.Errorf("%s: this Redis drops tasks when it is full, so they run late: its maxmemory-policy is %s, and should be noeviction",
			s.Named("REDIS_URL"), policy)
		return nil
	})
	return told
}

// SameRedis reports whether two addresses lead to one database of one server, where both answer within this time.
func SameRedis(ctx context.Context, a, b settings.Redis, within time.Duration) bool {
	if a.Number() != b.Number() {
		return false
	}
	ids := serverIDs(ctx, a.Hurried(within))
	for id := range serverIDs(ctx, b.Hurried(within)) {
		if ids[id] {
			return true
		}
	}
	return false
}

// serverIDs are the ids that the primaries of a Redis gave themselves at their start. It is empty when none can be asked.
func serverIDs(ctx context.Context, at settings.Redis) map[string]bool {
	client := at.Client()
	defer func() { _ = client.Close() }()
	ids := map[string]bool{}
	var mu sync.Mutex
	_ = eachPrimary(ctx, client, func(one *redis.Client) error {
		id := one.InfoMap(ctx, "server").Item("Server", "run_id")
		mu.Lock()
		defer mu.Unlock()
		if id != "" {
			ids[id] = true
		}
		return nil
	})
	return ids
}

// eachPrimary asks the server of a client, or all primaries of a cluster at once.
func eachPrimary(ctx context.Context, client redis.UniversalClient, ask func(*redis.Client) error) error {
	switch client := client.(type) {
	case *redis.ClusterClient:
		return client.ForEachMaster(ctx, func(_ context.Context, one *redis.Client) error { return ask(one) })
	case *redis.Client:
		return ask(client)
	default:
		return fmt.Errorf("a client of Redis is a %T", client)
	}
}
