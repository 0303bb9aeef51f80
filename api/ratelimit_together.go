package api

import (
	"context"
	"sync"
	"time"

	"github.com/go-redis/redis_rate/v10"

	"causeway/internal/batch/gather"
)

const quotaGroup = 64 // requests spent by one script

// sharedQuotas spends requests in Redis. Requests of one quota arriving while others of it are on their way are spent together.
type sharedQuotas struct {
	redis *link
	rate  *redis_rate.Limiter

	mu    sync.Mutex
	lanes map[string]*quotaLane // by the name of the quota, while somebody waits
}

// quotaLane is the way to Redis of one quota.
type quotaLane struct {
	*gather.Lanes[*spending]
	waiting int
}

// spending is one request on its way. It is not answered where Redis did not answer.
type spending struct {
	now      time.Time
	wait     time.Duration
	answered bool
	done     chan struct{}
}

func newSharedQuotas(l *link) *sharedQuotas {
	return &sharedQuotas{redis: l, rate: redis_rate.NewLimiter(l.client), lanes: map[string]*quotaLane{}}
}

// spend is quotas.spend where Redis answers.
func (q *sharedQuotas) spend(name string, quota Quota, now time.Time) (wait time.Duration, answered bool) {
	if q.redis.away(now) { // and one request has perhaps gone to see: it is not waited for
		return 0, false
	}
	s := &spending{now: now, done: make(chan struct{})}
	lane := q.enter(name, quota)
	if !lane.Here(s) { // a lone request needs no other goroutine
		lane.Add(s)
	}
	<-s.done
	q.leave(name, lane)
	return s.wait, s.answered
}

func (q *sharedQuotas) enter(name string, quota Quota) *quotaLane {
	q.mu.Lock()
	defer q.mu.Unlock()
	lane := q.lanes[name]
	if lane == nil {
		lane = &quotaLane{Lanes: gather.New(gather.Rules[*spending]{
			Take:   gather.UpTo[*spending](quotaGroup),
			Work:   func(group []*spending) { q.spendAll(name, quota, group); endSpendings(group, nil) },
			Failed: endSpendings,
		})}
		q.lanes[name] = lane
	}
	lane.waiting++
	return lane
}

func (q *sharedQuotas) leave(name string, lane *quotaLane) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if lane.waiting--; lane.waiting == 0 {
		delete(q.lanes, name)
	}
}

// spendAll spends all requests at once. If the quota has fewer left, they are spent one by one until one is refused, and with
// it those behind. (AllowAtMost would spend, too, the part of a request already regained, and is not exact.)
func (q *sharedQuotas) spendAll(name string, quota Quota, group []*spending) {
	n := len(group)
	if wait, answered := q.allow(name, quota, n, group[0].now); n == 1 || !answered || wait == 0 {
		setAnswer(group, wait, answered)
		return
	}
	for i, s := range group {
		wait, answered := q.allow(name, quota, 1, s.now)
		if wait > 0 {
			setAnswer(group[i:], wait, answered)
			return
		}
		setAnswer(group[i:i+1], 0, answered)
	}
}

// allow takes n requests of a quota, or none and says when to come back for them. It is apart from any client, since others wait too.
func (q *sharedQuotas) allow(name string, quota Quota, n int, now time.Time) (wait time.Duration, answered bool) {
	limit := redis_rate.Limit{Rate: quota.Requests, Burst: quota.Requests, Period: quota.Window}
	answered = q.redis.try(context.Background(), now, func(ctx context.Context) error {
		result, err := q.rate.AllowN(ctx, name, limit, n)
		if err == nil && result.Allowed == 0 {
			wait = max(result.RetryAfter, time.Millisecond)
		}
		return err
	})
	return wait, answered
}

func setAnswer(group []*spending, wait time.Duration, answered bool) {
	for _, s := range group {
		s.wait, s.answered = wait, answered
	}
}

// endSpendings ends a group. Spendings left unanswered by a panic count as if Redis were away.
func endSpendings(group []*spending, _ error) {
	for _, s := range group {
		close(s.done)
	}
}
