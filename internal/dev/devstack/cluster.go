package devstack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

var errNotWhole = errors.New("not whole yet")

// slots is how many slots a cluster has.
const slots = 16384

// StartCluster starts a cluster of so many primaries, each with a replica behind them in Servers. A primary silent for so long is replaced.
func StartCluster(ctx context.Context, opts Options, primaries int, silent time.Duration) (*Fleet, error) {
	f := &Fleet{opts: opts, password: randomHex()}
	for range 2 * primaries {
		bus, err := freePort()
		if err != nil {
			return nil, f.abandon(err)
		}
		lines := []string{"masterauth " + f.password, "cluster-enabled yes", "cluster-port " + strconv.Itoa(bus), "repl-diskless-sync-delay 0",
			fmt.Sprintf("cluster-node-timeout %d", silent.Milliseconds()), "cluster-replica-validity-factor 0"}
		if _, err := f.start(ctx, "redis", &f.Servers, lines, false); err != nil {
			return nil, f.abandon(err)
		}
	}
	if err := f.join(ctx, primaries); err != nil {
		return nil, f.abandon(fmt.Errorf("cluster: %w", err))
	}
	f.URL = f.address("redis-cluster", f.Servers, "")
	return f, nil
}

// join gives each primary its part of the slots and a replica, and waits until the cluster serves.
func (f *Fleet) join(ctx context.Context, primaries int) error {
	for i, s := range f.Servers {
		if err := s.use(func(c *redis.Client) error { return c.Do(ctx, "CLUSTER", "SET-CONFIG-EPOCH", i+1).Err() }); err != nil {
			return err
		}
		if i < primaries {
			from, to := i*slots/primaries, (i+1)*slots/primaries-1
			if err := s.use(func(c *redis.Client) error { return c.ClusterAddSlotsRange(ctx, from, to).Err() }); err != nil {
				return err
			}
		}
		if err := f.meet(ctx, s); err != nil {
			return err
		}
	}
	if err := f.until(ctx, f.allKnown); err != nil {
		return err
	}
	for i, s := range f.Servers[primaries:] {
		id, err := f.Servers[i].nodeID(ctx)
		if err != nil {
			return err
		}
		if err := s.use(func(c *redis.Client) error { return c.ClusterReplicate(ctx, id).Err() }); err != nil {
			return err
		}
	}
	return f.AwaitWhole(ctx)
}

// meet lets the first server know another.
func (f *Fleet) meet(ctx context.Context, s *Redis) error {
	host, port, err := net.SplitHostPort(s.address())
	if err != nil {
		return err
	}
	bus := ""
	for _, line := range s.role.lines {
		if value, is := strings.CutPrefix(line, "cluster-port "); is {
			bus = value
		}
	}
	return f.Servers[0].use(func(c *redis.Client) error { return c.Do(ctx, "CLUSTER", "MEET", host, port, bus).Err() })
}

// allKnown reports whether every server knows all.
func (f *Fleet) allKnown(ctx context.Context) bool {
	for _, s := range f.Servers {
		nodes, err := s.nodes(ctx)
		if err != nil || len(nodes) != len(f.Servers) || slices.ContainsFunc(nodes, func(n string) bool { return strings.Contains(n, "handshake") }) {
			return false
		}
	}
	return true
}

// whole reports whether every server runs, serves all slots, and copies its primary if it is a replica.
func (f *Fleet) whole(ctx context.Context) bool {
	for _, s := range f.Servers {
		if s.process == nil {
			return false
		}
		err := s.use(func(c *redis.Client) error {
			state, err := c.ClusterInfo(ctx).Result()
			if err == nil && !strings.Contains(state, "cluster_state:ok") {
				err = errNotWhole
			}
			copying := c.InfoMap(ctx, "replication")
			if copying.Item("Replication", "role") == "slave" && copying.Item("Replication", "master_link_status") != "up" {
				err = errNotWhole
			}
			return err
		})
		if err != nil {
			return false
		}
	}
	return true
}

// MoveSlot moves the slot of a key to another primary, with its keys, as an operator does it. Commands for it go on meanwhile.
func (f *Fleet) MoveSlot(ctx context.Context, key string) error {
	slot, from, to, err := f.slotOf(ctx, key)
	if err != nil {
		return err
	}
	source, err := from.nodeID(ctx)
	if err != nil {
		return err
	}
	target, err := to.nodeID(ctx)
	if err != nil {
		return err
	}
	set := func(s *Redis, words ...any) error {
		return s.use(func(c *redis.Client) error {
			return c.Do(ctx, append([]any{"CLUSTER", "SETSLOT", slot}, words...)...).Err()
		})
	}
	if err := set(to, "IMPORTING", source); err != nil {
		return err
	}
	if err := set(from, "MIGRATING", target); err != nil {
		return err
	}
	if err := f.migrate(ctx, slot, from, to); err != nil {
		return err
	}
	if err := set(to, "NODE", target); err != nil {
		return err
	}
	return set(from, "NODE", target)
}

// migrate moves the keys of a slot until there are none.
func (f *Fleet) migrate(ctx context.Context, slot int, from, to *Redis) error {
	const atOnce = 20
	host, port, err := net.SplitHostPort(to.address())
	if err != nil {
		return err
	}
	return from.use(func(c *redis.Client) error {
		for {
			keys, err := c.ClusterGetKeysInSlot(ctx, slot, atOnce).Result()
			if err != nil || len(keys) == 0 {
				return err
			}
			words := []any{"MIGRATE", host, port, "", 0, 5000, "AUTH", f.password, "KEYS"}
			for _, k := range keys {
				words = append(words, k)
			}
			if err := c.Do(ctx, words...).Err(); err != nil {
				return err
			}
		}
	})
}

// slotOf returns the slot of a key, its primary, and another primary.
func (f *Fleet) slotOf(ctx context.Context, key string) (slot int, from, to *Redis, err error) {
	for _, s := range f.Servers {
		if s.process == nil {
			continue
		}
		nodes, err := s.nodes(ctx)
		if err != nil {
			return 0, nil, nil, err
		}
		n, err := s.keySlot(ctx, key)
		if err != nil {
			return 0, nil, nil, err
		}
		slot = n
		switch mine, primary := owns(nodes, n); {
		case mine:
			from = s
		case primary && to == nil:
			to = s
		}
	}
	if from == nil || to == nil {
		return 0, nil, nil, fmt.Errorf("no two primaries for slot %d", slot)
	}
	return slot, from, to, nil
}

// owns reads, of a server's own list of nodes, whether it is a primary, and whether it has a slot.
func owns(nodes []string, slot int) (mine, primary bool) {
	for _, n := range nodes {
		fields := strings.Fields(n) // id, address, flags, primary, ping, pong, epoch, link, slots…
		if len(fields) < 8 || !strings.Contains(fields[2], "myself,master") {
			continue
		}
		primary = true
		for _, part := range fields[8:] {
			first, last, ranged := strings.Cut(part, "-")
			if !ranged {
				last = first
			}
			low, err1 := strconv.Atoi(first)
			high, err2 := strconv.Atoi(last)
			mine = mine || err1 == nil && err2 == nil && low <= slot && slot <= high
		}
	}
	return mine, primary
}

func (r *Redis) nodes(ctx context.Context) (lines []string, err error) {
	err = r.use(func(c *redis.Client) error {
		text, err := c.ClusterNodes(ctx).Result()
		lines = strings.Split(strings.TrimSpace(text), "\n")
		return err
	})
	return lines, err
}

func (r *Redis) nodeID(ctx context.Context) (id string, err error) {
	err = r.use(func(c *redis.Client) (err error) { id, err = c.Do(ctx, "CLUSTER", "MYID").Text(); return err })
	return id, err
}

func (r *Redis) keySlot(ctx context.Context, key string) (slot int, err error) {
	err = r.use(func(c *redis.Client) error {
		n, err := c.ClusterKeySlot(ctx, key).Result()
		slot = int(n)
		return err
	})
	return slot, err
}

// use asks this server alone.
func (r *Redis) use(ask func(*redis.Client) error) error {
	c := r.Client()
	defer func() { _ = c.Close() }()
	return ask(c)
}
