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
	ways := []map[string]string{
		{"broadcast": "timeout"}, {"broadcast": "timeout-after-send"}, {"broadcast": "down"}, {"broadcast": "reject"},
		{"broadcast": "copied"},
		{"scan": "down"}, {"address": "down"}, {"lose": "60"}, {"lose": "90"},
	}
	for wait(ctx, c.around(2*time.Second)) {
		name, way := pick(c, names), pick(c, ways)
		t.fault(ctx, name, way)
		t.tally.faults.Add(1)
		if way["broadcast"] == "reject" {
			wait(ctx, 500*time.Millisecond)
		} else {
			wait(ctx, c.between(500*time.Millisecond, 4*time.Second))
		}
		t.insist(context.WithoutCancel(ctx), func(ctx context.Context) error {
			_, err := t.chain.ClearFaults(ctx, name)
			return err
		})
		t.fault(ctx, name, map[string]string{"lose": strconv.Itoa(t.lose)})
	}
}

func (t *torture) fault(ctx context.Context, network string, way map[string]string) {
	t.insist(context.WithoutCancel(ctx), func(ctx context.Context) error {
		_, err := t.chain.SetFaults(ctx, network, way)
		return err
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
		drops := t.victims(ctx, c, name, depth)
		if _, err := t.chain.Reorg(ctx, name, depth, drops...); err != nil {
			continue // the database is away, or a block came in between
		}
		t.tally.reorgs.Add(1)
		t.tally.dropped.Add(int64(len(drops)))
	}
}

// victims chooses transactions to vanish: ours and those of customers, out of blocks and mempool.
func (t *torture) victims(ctx context.Context, c *chance, network string, depth int) (drops []string) {
	if !c.in(60) {
		return nil
	}
	var there []string
	err := t.db.NewRaw(`select t.txid from sandbox_transactions t join sandbox_networks n using (network)
		where network = ? and (t.height > n.height - ? or t.state = 'pending') order by t.seq`, network, depth).Scan(ctx, &there)
	if err != nil {
		return nil
	}
	for _, txid := range there {
		if c.in(30) {
			drops = append(drops, txid)
		}
	}
	return drops
}

// clearSky ends every fault.
func (t *torture) clearSky(ctx context.Context) {
	for _, name := range t.networks() {
		t.insist(ctx, func(ctx context.Context) error {
			_, err := t.chain.ClearFaults(ctx, name)
			return err
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
