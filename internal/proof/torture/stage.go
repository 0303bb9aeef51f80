package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"causeway/chains/sandbox"
	"causeway/internal/dev/devstack"
	"causeway/internal/dev/patroni"
	"causeway/internal/pg"
	"causeway/migrations"
)

// torture is one run and everything in it.
type torture struct {
	options
	stack        *devstack.Stack
	cluster      *patroni.Cluster // nil with one database
	outages      outages          // of the cluster
	between      *devstack.Pooler // nil without a pgbouncer
	way          url.URL          // by the pgbouncer
	db           *bun.DB
	world        world
	node         *real        // nil without a real node
	beside       *torture     // the books of the sandbox beside it
	sandbox      bool         // these are those books
	payments     atomic.Int64 // made by customers
	key          string       // SECRETS_KEY
	networksFile string       // NETWORKS_FILE; "" where all networks are simulated
	api          string       // address of /v1
	roles        []*role
	version      *rolling
	lower        context.CancelFunc // no role is started any more

	coins    []coin
	shops    []*shop
	receiver *receiver
	book     book
	tally    *tally

	asking  sync.WaitGroup // clients waiting for an answer
	started time.Time
	stormed time.Duration
	drained time.Duration
	late    []string // work not drained in time
	soaked  *soak    // nil in a storm

	meanwhile int // payouts completed in the storm
}

// tally counts the faults done to the installation.
type tally struct {
	kills, infants, flushes, redisStops, postgresCrashes, poolerCrashes, reorgs, dropped, faults, cancels, hurried, approved atomic.Int64
	redisAway, postgresAway                                                                                                  atomic.Int64 // nanoseconds
	unanswered, failures                                                                                                     atomic.Int64 // requests: without an answer, with 5xx
}

func (t *torture) logs() string { return filepath.Join(t.data, "logs") }

func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05")+" "+format+"\n", args...)
}

// prepare starts the servers, the product and the merchants' receiver.
func prepare(ctx context.Context, o options) (t *torture, err error) {
	t = &torture{options: o, started: time.Now(), tally: &tally{}}
	if o.soak {
		t.soaked = newSoak(o.duration)
	}
	if t.version, err = o.versions(); err != nil {
		return nil, err
	}
	if t.data == "" {
		if t.data, err = os.MkdirTemp("", "causeway-torture-"); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(devstack.Remove(devstack.Options{DataDir: t.data}), os.RemoveAll(t.logs())); err != nil { // of an earlier run
		return nil, err
	}
	for _, dir := range []string{t.data, t.logs()} { // the servers run as another user
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.Chmod(dir, 0o755)); err != nil {
			return nil, err
		}
	}
	say("seed %d, %v, data and logs in %s", o.seed, o.duration, t.data)
	defer func() {
		if err != nil {
			err = errors.Join(err, t.clear(false))
		}
	}()
	if err := t.startServers(ctx); err != nil {
		return nil, err
	}
	var secret [32]byte
	_, _ = rand.Read(secret[:])
	t.key = base64.StdEncoding.EncodeToString(secret[:])
	if err := t.furnish(ctx); err != nil {
		return nil, err
	}
	up, lower := context.WithCancel(context.WithoutCancel(ctx))
	t.lower = lower
	t.raise(up)
	for _, b := range t.books() {
		b.api = t.api
		if err := b.open(ctx); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// startServers starts PostgreSQL, or three of them, and Redis.
func (t *torture) startServers(ctx context.Context) (err error) {
	where := devstack.Options{DataDir: t.data, Durable: true}
	if t.failovers == 0 {
		t.stack, err = devstack.Start(ctx, where)
		return err
	}
	redis, err := devstack.StartRedis(ctx, where)
	if err != nil {
		return err
	}
	t.stack = &devstack.Stack{Redis: redis, RedisURL: redis.URL}
	if t.cluster, err = patroni.Start(ctx, filepath.Join(t.data, "cluster")); err != nil {
		return err
	}
	t.stack.DatabaseURL = t.cluster.URL()
	return nil
}

// furnish makes the databases and the networks of all books.
func (t *torture) furnish(ctx context.Context) (err error) {
	if err := t.connect(t.stack.DatabaseURL); err != nil {
		return err
	}
	if t.bitcoin {
		if err := t.furnishNode(ctx); err != nil {
			return err
		}
	}
	if err := t.command(ctx, nil, "migrate", "up"); err != nil {
		return err
	}
	if err := t.pool(ctx); err != nil {
		return err
	}
	if t.node != nil {
		if _, err := t.db.NewRaw(nodeTables).Exec(ctx); err != nil {
			return err
		}
	}
	for _, b := range t.books() {
		if err := b.describe(ctx); err != nil {
			return err
		}
		if b.receiver, err = b.receive(); err != nil {
			return err
		}
	}
	return nil
}

// connect opens the database of these books. The verdict compares long lists with each other: hours of work without memory.
func (t *torture) connect(address string) error {
	const pool = 12
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	with := u.Query()
	with.Set("work_mem", "256MB")
	u.RawQuery = with.Encode()
	t.db, err = pg.Open(u.String(), pool)
	t.world = &simulated{t, sandbox.Operator{DB: t.db}}
	return err
}

// books are all books of the installation.
func (t *torture) books() []*torture {
	if t.beside == nil {
		return []*torture{t}
	}
	return []*torture{t, t.beside}
}

// clear ends everything. Data and logs stay unless the run was clean.
func (t *torture) clear(clean bool) error {
	err := t.endRoles()
	for _, b := range t.books() {
		if b.receiver != nil {
			b.receiver.close()
		}
		if b.db != nil {
			err = errors.Join(err, b.db.Close())
		}
	}
	if t.node != nil {
		t.node.stop()
	}
	if t.between != nil && !t.sandbox {
		err = errors.Join(err, t.between.Stop())
	}
	if t.cluster != nil {
		err = errors.Join(err, t.cluster.Stop())
	}
	if t.stack != nil {
		err = errors.Join(err, t.stack.Stop())
	}
	if !clean || t.keep || err != nil {
		say("data and logs stay in %s", t.data)
		return err
	}
	return errors.Join(devstack.Remove(devstack.Options{DataDir: t.data}), os.RemoveAll(t.data))
}

// endRoles ends every process of the product.
func (t *torture) endRoles() error {
	if t.lower != nil {
		t.lower()
	}
	ends := make([]error, len(t.roles))
	var ending sync.WaitGroup
	for i, r := range t.roles {
		ending.Go(func() { ends[i] = r.end(35 * time.Second) })
	}
	ending.Wait()
	t.roles = nil
	return errors.Join(ends...)
}

// settings are the environment of a process of the product, acting as a role. With the race detector, a process would sleep for a
// second before it exits, and sixteen commands open the shops.
func (t *torture) settings(role migrations.Role) []string {
	all := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "REDIS_URL=" + t.stack.RedisURL,
		"DATABASE_URL=" + t.reach(role, t.stack.DatabaseURL), "OPERATOR_DATABASE_URL=" + t.reach(migrations.OperatorRole, t.stack.DatabaseURL),
		"SECRETS_KEY=" + t.key, "SEAL_KEY=" + t.key, "RATE_LIMIT=10000000/60", "AUTH_FAILURES=1000000/60/1", "WEBHOOK_ALLOWED_HOSTS=127.0.0.1",
		"SANDBOX_BLOCK_TIME=" + t.block.String(), "SANDBOX_FUNDS=1000000000000", "WORKER_CONCURRENCY=16", "DATA_DIR=" + filepath.Join(t.data, "none"),
		"GORACE=atexit_sleep_ms=50",
	}
	if t.networksFile != "" {
		all = append(all, "NETWORKS_FILE="+t.networksFile, "SANDBOX_DATABASE_URL="+t.reach(role, t.sandboxDatabase()),
			"SANDBOX_OPERATOR_DATABASE_URL="+t.reach(migrations.OperatorRole, t.sandboxDatabase()), "SANDBOX_REDIS_URL="+t.sandboxRedis())
	}
	return all
}

// command runs one command of the product and decodes its output.
func (t *torture) command(ctx context.Context, into any, args ...string) error {
	if t.sandbox {
		args = append([]string{"--sandbox"}, args...)
	}
	cmd := exec.CommandContext(ctx, t.version.oldest(), args...) //nolint:gosec // the product, by the flags of this run
	cmd.Env = t.settings("")
	out, err := cmd.Output()
	if into != nil && len(out) > 0 {
		if decoding := json.Unmarshal(out, into); decoding != nil {
			return fmt.Errorf("causeway %v printed %q: %w", args, out, decoding)
		}
	}
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return fmt.Errorf("causeway %v: %w: %s", args, err, ended.Stderr)
	}
	return err
}

// wait lets time pass; false when ctx ends before.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// freeAddress is a loopback address with no listener now.
func freeAddress() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
