package main

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// deepest is the deepest reorganisation.
const deepest = 50

// loseAnswers keeps every network losing answers, and lets one after another fail in other ways for a while.
func (t *torture) loseAnswers(ctx context.Context) {
	c := t.chance("faults")
	names := t.networks()
	for _, name := range names {
		t.fault(ctx, name, map[string]string{"lose": strconv.Itoa(t.lose)})
	}
	ways, every := t.world.ways()
	for wait(ctx, c.around(every)) {
		name, way := pick(c, names), pick(c, ways)
		t.fault(ctx, name, way)
		t.tally.faults.Add(1)
		if way["broadcast"] == "reject" {
			wait(ctx, 500*time.Millisecond)
		} else {
			wait(ctx, c.between(500*time.Millisecond, 4*time.Second))
		}
		t.insist(context.WithoutCancel(ctx), func(ctx context.Context) error {
			return t.world.clear(ctx, name)
		})
		t.fault(ctx, name, map[string]string{"lose": strconv.Itoa(t.lose)})
	}
}

func (t *torture) fault(ctx context.Context, network string, way map[string]string) {
	t.insist(context.WithoutCancel(ctx), func(ctx context.Context) error {
		return t.world.fault(ctx, network, way)
	})
}

// reorganise replaces the newest blocks of one network after another, mostly a few, sometimes as many as can be, and
// lets some of their transactions vanish. Customers of vanished payments may pay once more.
func (t *torture) reorganise(ctx context.Context) {
	c := t.chance("reorgs")
	names := t.networks()
	for wait(ctx, c.around(t.reorg)) {
		name, depth := pick(c, names), 1+c.below(6)
		if c.in(20) {
			depth = 1 + c.below(deepest)
		}
		var drops []string
		if c.in(60) {
			drops = t.world.victims(ctx, c, name, depth)
		}
		if err := t.world.reorganise(ctx, name, depth, drops); err != nil {
			continue // the database is away, or a block came in between
		}
		t.tally.reorgs.Add(1)
		t.tally.dropped.Add(int64(len(drops)))
	}
}

// clearSky ends every fault.
func (t *torture) clearSky(ctx context.Context) {
	for _, name := range t.networks() {
		t.insist(ctx, func(ctx context.Context) error {
			return t.world.clear(ctx, name)
		})
	}
}

// redisCommand sends one command to Redis.
func (t *torture) redisCommand(ctx context.Context, words ...any) error {
	options, err := redis.ParseURL(t.stack.RedisURL)
	if err != nil {
		return err
	}
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return client.Do(ctx, words...).Err()
}
