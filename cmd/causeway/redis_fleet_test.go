package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/internal/cli/connect"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/devstack"
	"causeway/internal/dev/testkit"
	"causeway/tasks"
)

var (
	redisFaults = flag.Int("redis-faults", 1, "how often the tests of several Redis servers kill a primary, and move a slot")
	redisSilent = flag.Duration("redis-silent", 500*time.Millisecond, "how long a primary is silent in these tests before it is replaced")
)

// keyOfSigning is a key of the queue with the payouts.
const keyOfSigning = "asynq:{" + string(tasks.Signing) + "}:pending"

// With sentinels, a replica takes over from a killed primary, and payouts go on.
//
// Covers operator §Settings: REDIS_URL
func TestSentinelsReplaceAPrimary(t *testing.T) {
	t.Parallel()
	l := underLoad(t, testkit.WatchedRedis(t, *redisSilent))
	require.ErrorContains(t, answers(t, l.fleet.Sentinels[0].URL), "it is a sentinel: name it with redis-sentinel://")
	for range *redisFaults {
		l.isWhole()
		l.losesAPrimary()
	}
	l.ends()
}

// In a cluster, payouts go on while the slot of their queue moves, and when its primary is killed.
//
// Covers operator §Settings: REDIS_URL
func TestAClusterMovesASlotAndReplacesAPrimary(t *testing.T) {
	t.Parallel()
	l := underLoad(t, testkit.RedisCluster(t, *redisSilent))
	require.ErrorContains(t, answers(t, l.fleet.Servers[1].URL), "it is a node of a cluster: name it with redis-cluster://")
	for range *redisFaults {
		l.isWhole()
		l.movesASlot()
		l.losesAPrimary()
	}
	l.ends()
}

// answers asks the Redis of an address as roles and causeway config do, and for what it does when it is full.
func answers(t *testing.T, address string) error {
	t.Helper()
	s := &settings.Settings{RedisURL: settings.RedisURL(address)}
	client, err := connect.Redis(t.Context(), s)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	return connect.Evicts(t.Context(), s, client)
}

// redisLoad is a deployment whose merchant asks for ten payouts a second while its Redis is broken.
type redisLoad struct {
	*deployment
	fleet  *devstack.Fleet
	gone   *devstack.Redis // killed
	calm   context.CancelFunc
	asking sync.WaitGroup

	mu      sync.Mutex
	asked   int
	slowest time.Duration // answer
	failed  []string      // answers other than 200
}

func underLoad(t *testing.T, f *devstack.Fleet) *redisLoad {
	t.Helper()
	l := &redisLoad{deployment: newDeploymentOn(t, f.URL), fleet: f}
	l.funded("Tron", "USDT", "100000")
	ctx, calm := context.WithCancel(t.Context())
	l.calm = calm
	l.asking.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			l.asks()
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	})
	t.Cleanup(l.asking.Wait)
	t.Cleanup(calm)
	return l
}

// asks asks for one payout.
func (l *redisLoad) asks() {
	began := time.Now()
	said := l.post(fmt.Sprintf(`[{"reference_id":%q,"network":"Tron","crypto_currency":"USDT","process_by":"crypto_amount","crypto_amount":"5",
		"feetakenfromamount":0,"wallet":%q,"webhook_url":%q}]`, uuid.NewString(), addresses.Encode("Tron", [32]byte{1}), l.receiver.url))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	l.slowest = max(l.slowest, time.Since(began))
	if said != "" {
		l.failed = append(l.failed, said)
	}
}

// post returns "" for an answer with 200.
func (l *redisLoad) post(body string) string {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, l.url+"/v1/payout", strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	request.Header.Set("X-Service-Invoke", l.key)
	request.Header.Set("Content-Type", "application/json")
	response, err := l.client.Do(request)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return fmt.Sprintf("%d %s %v", response.StatusCode, text, err)
	}
	return ""
}

// losesAPrimary kills the server with the payouts' queue, and waits until work goes on.
func (l *redisLoad) losesAPrimary() {
	l.Helper()
	primary, err := l.fleet.PrimaryOf(l.Context(), keyOfSigning)
	require.NoError(l, err)
	must(l.T, primary.Crash())
	l.goesOn("a primary was killed")
	next, err := l.fleet.PrimaryOf(l.Context(), keyOfSigning)
	require.NoError(l, err)
	require.NotEqual(l, primary.URL, next.URL, "a replica has its place")
	l.gone = primary
}

// isWhole starts a killed server again, and waits until it is a replica.
func (l *redisLoad) isWhole() {
	l.Helper()
	if l.gone != nil {
		must(l.T, l.gone.Restart(l.Context()))
	}
	require.NoError(l, l.fleet.AwaitWhole(l.Context()))
}

// movesASlot moves the payouts' queue to another primary.
func (l *redisLoad) movesASlot() {
	l.Helper()
	before, err := l.fleet.PrimaryOf(l.Context(), keyOfSigning)
	require.NoError(l, err)
	require.NoError(l, l.fleet.MoveSlot(l.Context(), keyOfSigning))
	after, err := l.fleet.PrimaryOf(l.Context(), keyOfSigning)
	require.NoError(l, err)
	require.NotEqual(l, before.URL, after.URL)
	l.goesOn("a slot was moved")
}

// goesOn tells how long it takes until the queue takes something again, and until workers have done new tasks of it.
func (l *redisLoad) goesOn(fault string) {
	l.Helper()
	began := time.Now()
	at, err := settings.RedisURL(l.fleet.URL).Read()
	require.NoError(l, err)
	client := at.Hurried(time.Second).Client()
	defer func() { _ = client.Close() }()
	testkit.Eventually(l, time.Minute, func() bool {
		return client.Set(l.Context(), "{"+string(tasks.Signing)+"}", "", time.Minute).Err() == nil
	}, "Redis to take something")
	taken := time.Since(began)
	done := "asynq:{" + string(tasks.Signing) + "}:processed"
	before, _ := client.Get(l.Context(), done).Int()
	testkit.Eventually(l, time.Minute, func() bool { n, err := client.Get(l.Context(), done).Int(); return err == nil && n > before }, "workers to take tasks from it")
	l.Logf("%s: the queue takes tasks after %v, workers do tasks of it after %v", fault, taken.Round(10*time.Millisecond),
		time.Since(began).Round(10*time.Millisecond))
}

// ends asks for no more and checks that each payout was answered, and paid once.
func (l *redisLoad) ends() {
	l.Helper()
	l.calm()
	l.asking.Wait()
	require.Empty(l, l.failed)
	if *redisFaults == 1 { // a lost task would come back by itself in half a minute
		_, err := l.DB.NewRaw("update jobs set run_at = now() where kind in (?, ?)", tasks.BroadcastPayout, tasks.DeliverWebhook).Exec(l.Context())
		must(l.T, err)
	}
	l.eventually("every payout is completed and told", `select count(*) = ? from payouts p join deliveries d on d.subject = p.id
		where p.status = 'completed' and d.status = 'delivered'`, l.asked)
	var waited float64
	must(l.T, l.DB.NewRaw(`select max(extract(epoch from finished_at - p.created_at)) from payouts p join deliveries d on d.subject = p.id`).Scan(l.Context(), &waited))
	l.addsUpTo("USDT", fmt.Sprint(100000-l.asked*6)) // each payout costs a network fee of 1
	l.Logf("%d payouts, each paid once; no request failed, the slowest answer took %v, the slowest payout %.1f s", l.asked, l.slowest.Round(time.Millisecond), waited)

	// A warning for one server of several is told as for one alone.
	last, err := l.fleet.PrimaryOf(l.Context(), keyOfSigning)
	require.NoError(l, err)
	require.NoError(l, answers(l.T, l.fleet.URL))
	one := last.Client()
	defer func() { _ = one.Close() }()
	must(l.T, one.ConfigSet(l.Context(), "maxmemory", "100mb").Err())
	must(l.T, one.ConfigSet(l.Context(), "maxmemory-policy", "allkeys-lru").Err())
	require.ErrorContains(l, answers(l.T, l.fleet.URL), "drops tasks when it is full")
	l.isFull(one)
}

// isFull fills a server of a cluster, which still tells the length of its queues: the queue of signing counts as not measured, so workers
// take its jobs from the database.
func (l *redisLoad) isFull(one *redis.Client) {
	l.Helper()
	if len(l.fleet.Sentinels) > 0 {
		return
	}
	at, err := settings.RedisURL(l.fleet.URL).Read()
	require.NoError(l, err)
	client := at.Client()
	defer func() { _ = client.Close() }()
	bell := tasks.NewBell(client)
	waiting, err := bell.Waiting()
	require.NoError(l, err)
	require.Len(l, waiting, len(tasks.Weights))
	must(l.T, one.ConfigSet(l.Context(), "maxmemory-policy", "noeviction").Err())
	must(l.T, one.ConfigSet(l.Context(), "maxmemory", "1").Err())
	waiting, err = bell.Waiting()
	require.ErrorContains(l, err, "OOM")
	require.NotContains(l, waiting, tasks.Signing)
}
