package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/uptrace/bun"

	"causeway/internal/pg"
	"causeway/internal/store"
	"causeway/migrations"
)

// arena is a fresh database and a fresh Redis with the roles for a measurement, each a process of its own.
type arena struct {
	*bench
	name     string
	database string // its address
	redisURL string
	db       *bun.DB
	store    *store.Store
	redis    *redis.Client
	roles    []*role
	looks    sync.Mutex
	session  string // of the operator who looks at profiles; "" until there is one
}

// role is a running process of the binary.
type role struct {
	cmd      *exec.Cmd
	name     string
	address  string // of its /v1, where it has one
	operator string
}

func (b *bench) arena(name string) (*arena, error) { return b.arenaOf(name, template) }

// emptyArena is an arena without merchants and simulated networks.
func (b *bench) emptyArena(name string) (*arena, error) {
	a, err := b.arenaOf(name, "template0")
	if err != nil {
		return nil, err
	}
	return a, migrations.Up(a.ctx, a.db)
}

// arenaOf is an arena whose database is a copy.
func (b *bench) arenaOf(name, original string) (a *arena, err error) {
	b.arenas++
	a = &arena{bench: b, name: name, database: b.address(name)}
	u, err := url.Parse(b.stack.RedisURL)
	if err != nil {
		return nil, err
	}
	u.Path = fmt.Sprintf("/%d", b.arenas)
	a.redisURL = u.String()
	if err := b.create(name, original); err != nil {
		return nil, err
	}
	if a.db, err = pg.Open(a.database, 16); err != nil {
		return nil, err
	}
	options, err := redis.ParseURL(a.redisURL)
	if err != nil {
		return nil, err
	}
	a.store, a.redis = store.New(a.db), redis.NewClient(options)
	return a, nil
}

// analyse has the tables analysed, as autovacuum does within a minute of a busy start: a plan of young tables is no
// measure of a lasting one.
func (a *arena) analyse() error {
	_, err := a.db.ExecContext(a.ctx, "analyze")
	return err
}

// close ends the roles and removes their database and their keys in Redis.
func (a *arena) close() error {
	for len(a.roles) > 0 {
		a.stop(a.roles[0])
	}
	err := errors.Join(a.redis.FlushDB(context.WithoutCancel(a.ctx)).Err(), a.redis.Close(), a.db.Close())
	return errors.Join(err, a.execute("", "drop database "+a.name+" with (force)"), a.execute("", "checkpoint"))
}

// start runs a role and waits until it is ready.
func (a *arena) start(environment []string, args ...string) (*role, error) {
	api, operator := freeAddress(), freeAddress()
	cmd := exec.CommandContext(a.ctx, a.binary, args...)
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "DATABASE_URL=" + a.database, "REDIS_URL=" + a.redisURL,
		"SECRETS_KEY=" + base64.StdEncoding.EncodeToString(a.secrets), "LISTEN_ADDR=" + api, "OPERATOR_ADDR=" + operator,
		"RATE_LIMIT=10000000/60", "WEBHOOK_ALLOWED_HOSTS=127.0.0.1", "LOG_LEVEL=warn", "DATA_DIR=" + filepath.Join(a.data, "none"),
	}, environment...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := &role{cmd: cmd, name: args[0], address: api, operator: operator}
	a.roles = append(a.roles, r)
	return r, a.awaitHTTP("http://" + operator + "/readyz")
}

// stop ends a role as an operator would.
func (a *arena) stop(r *role) {
	_ = r.cmd.Process.Signal(syscall.SIGTERM)
	_ = r.cmd.Wait()
	for i := range a.roles {
		if a.roles[i] == r {
			a.roles = append(a.roles[:i], a.roles[i+1:]...)
			return
		}
	}
}

func (b *bench) awaitHTTP(url string) error {
	return b.await(15*time.Second, url, func() (bool, error) {
		response, err := http.Get(url)
		if err != nil {
			return false, nil //nolint:nilerr // not up yet
		}
		return response.StatusCode == http.StatusOK, response.Body.Close()
	})
}

// await looks until something is so.
func (b *bench) await(within time.Duration, what string, so func() (bool, error)) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(within)
	for {
		ok, err := so()
		if err != nil || ok {
			return err
		}
		select {
		case <-b.ctx.Done():
			return b.ctx.Err()
		case <-deadline:
			return fmt.Errorf("waited %v in vain for %s", within, what)
		case <-tick.C:
		}
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
