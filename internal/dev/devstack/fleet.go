package devstack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Fleet is several Redis servers that stand in for each other: a primary with replicas and sentinels, or a cluster.
type Fleet struct {
	URL       string   // in the form of REDIS_URL, with the password
	Servers   []*Redis // each with data; the first ones began as primaries
	Sentinels []*Redis

	opts     Options
	password string
}

// primaryName is the primary's name at its sentinels.
const primaryName = "causeway"

// StartWatched starts a primary with two replicas, and three sentinels. A primary silent for so long is replaced.
func StartWatched(ctx context.Context, opts Options, silent time.Duration) (*Fleet, error) {
	const servers, watchers, quorum = 3, 3, 2
	f := &Fleet{opts: opts, password: randomHex()}
	var primary string
	for range servers {
		lines := []string{"masterauth " + f.password, "repl-diskless-sync-delay 0"}
		if primary != "" {
			lines = append(lines, "replicaof "+strings.Replace(primary, ":", " ", 1))
		}
		s, err := f.start(ctx, "redis", &f.Servers, lines, false)
		if err != nil {
			return nil, f.abandon(err)
		}
		if primary == "" {
			primary = s.address()
		}
	}
	lines := []string{
		fmt.Sprintf("sentinel monitor %s %s %d", primaryName, strings.Replace(primary, ":", " ", 1), quorum),
		"sentinel auth-pass " + primaryName + " " + f.password, "sentinel sentinel-pass " + f.password,
		fmt.Sprintf("sentinel down-after-milliseconds %s %d", primaryName, silent.Milliseconds()),
		fmt.Sprintf("sentinel failover-timeout %s %d", primaryName, 4*silent.Milliseconds()),
	}
	for range watchers {
		if _, err := f.start(ctx, "sentinel", &f.Sentinels, lines, true); err != nil {
			return nil, f.abandon(err)
		}
	}
	f.URL = f.address("redis-sentinel", f.Sentinels, "/0?master="+primaryName+"&sentinel_password="+f.password)
	if err := f.AwaitWhole(ctx); err != nil {
		return nil, f.abandon(fmt.Errorf("sentinels: %w", err))
	}
	return f, nil
}

// start starts the next server of a kind.
func (f *Fleet) start(ctx context.Context, kind string, among *[]*Redis, lines []string, sentinel bool) (*Redis, error) {
	role := redisRole{name: kind + "-" + strconv.Itoa(len(*among)+1), password: f.password, lines: lines, sentinel: sentinel}
	s, err := startRedis(ctx, f.opts, role)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", role.name, err)
	}
	*among = append(*among, s)
	return s, nil
}

// address writes the addresses of servers as REDIS_URL has them.
func (f *Fleet) address(scheme string, servers []*Redis, after string) string {
	hosts := make([]string, len(servers))
	for i, s := range servers {
		hosts[i] = s.address()
	}
	return scheme + "://:" + f.password + "@" + strings.Join(hosts, ",") + after
}

// watched reports whether every sentinel knows both others, and both replicas copy the primary.
func (f *Fleet) watched(ctx context.Context) bool {
	for _, s := range f.Sentinels {
		err := s.use(func(c *redis.Client) error {
			told, err := c.Do(ctx, "SENTINEL", "MASTER", primaryName).Result()
			if fields, ok := told.(map[any]any); err == nil && (!ok || fields["num-slaves"] != "2" || fields["num-other-sentinels"] != "2" || fields["flags"] != "master") {
				return errNotWhole
			}
			return err
		})
		if err != nil {
			return false
		}
	}
	for _, s := range f.Servers {
		err := s.use(func(c *redis.Client) error {
			is := c.InfoMap(ctx, "replication")
			if is.Item("Replication", "role") == "slave" && is.Item("Replication", "master_link_status") == "up" || is.Item("Replication", "connected_slaves") == "2" {
				return nil
			}
			return errNotWhole
		})
		if err != nil {
			return false
		}
	}
	return true
}

// AwaitWhole waits until every server runs and each replica copies its primary.
func (f *Fleet) AwaitWhole(ctx context.Context) error {
	ready := f.whole
	if len(f.Sentinels) > 0 {
		ready = f.watched
	}
	return f.until(ctx, ready)
}

// PrimaryOf returns the server that takes a key.
func (f *Fleet) PrimaryOf(ctx context.Context, key string) (*Redis, error) {
	if len(f.Sentinels) == 0 {
		_, from, _, err := f.slotOf(ctx, key)
		return from, err
	}
	var at []string
	err := f.Sentinels[0].use(func(c *redis.Client) (err error) {
		at, err = c.Do(ctx, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", primaryName).StringSlice()
		return err
	})
	for _, s := range f.Servers {
		if err == nil && s.address() == strings.Join(at, ":") {
			return s, nil
		}
	}
	return nil, errors.Join(err, fmt.Errorf("no server is the primary at %v", at))
}

// until waits for a condition.
func (f *Fleet) until(ctx context.Context, ready func(context.Context) bool) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	tick := time.NewTicker(10 * poll)
	defer tick.Stop()
	for !ready(ctx) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

// Stop ends every server.
func (f *Fleet) Stop() error {
	var err error
	for _, s := range append(append([]*Redis{}, f.Sentinels...), f.Servers...) {
		err = errors.Join(err, s.Stop())
	}
	return err
}

// Remove deletes the data of a stopped fleet.
func (f *Fleet) Remove() error {
	var err error
	for _, s := range append(append([]*Redis{}, f.Sentinels...), f.Servers...) {
		err = errors.Join(err, removePlace(f.opts, s.who, s.role.name))
	}
	return err
}

// abandon stops what was started before an error.
func (f *Fleet) abandon(err error) error { return errors.Join(err, f.Stop(), f.Remove()) }

// Client makes a client of this server alone.
func (r *Redis) Client() *redis.Client {
	o, err := redis.ParseURL(r.URL)
	if err != nil {
		panic(err) // it is ours
	}
	o.MaxRetries, o.DialerRetries = -1, 1
	return redis.NewClient(o)
}

// address is host:port.
func (r *Redis) address() string {
	u, err := url.Parse(r.URL)
	if err != nil {
		panic(err) // it is ours
	}
	return u.Host
}

// sentinelFile is the configuration of a sentinel, which writes there what it learns.
const sentinelFile = "sentinel.conf"

// sentinelCommand is the program of a sentinel. Its configuration is written at its first start.
func (r *Redis) sentinelCommand(program string, a access) (*exec.Cmd, error) {
	file := r.place.data() + "/" + sentinelFile
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		lines := append([]string{"bind 127.0.0.1", "port " + strconv.Itoa(a.Port), "requirepass " + a.Password, "daemonize no", "pidfile redis.pid"}, r.role.lines...)
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			return nil, err
		}
	}
	if err := r.who.give(file); err != nil {
		return nil, err
	}
	return r.who.command(r.place.data(), program, sentinelFile, "--sentinel"), nil
}
