// Package patroni runs three PostgreSQL under Patroni on this machine, with etcd and HAProxy, all of them as Debian packages them.
// Commits are synchronous: one replica has each before it is answered, and Patroni promotes no other.
package patroni

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"causeway/internal/dev/devstack"
)

// The times of Patroni. Nobody is promoted while the key of the last primary lives, for ttl; Patroni takes no shorter one.
const (
	ttl          = 20
	loopWait     = 3
	retryTimeout = 5
)

const (
	owner    = "causeway" // of the database, and the superuser
	database = "causeway"
)

// Cluster is three databases and what stands around them.
type Cluster struct {
	dir      string
	password string
	programs string // directory of PostgreSQL's programs
	etcd     *devstack.Program
	etcdAt   string
	proxy    *devstack.Program
	proxyAt  string
	members  []*member
}

// Start starts everything in a directory of its own, and returns when a replica confirms the commits of the primary.
func Start(ctx context.Context, dir string) (c *Cluster, err error) {
	for _, program := range []string{"etcd", "patroni", "haproxy"} {
		if _, err := find(program); err != nil {
			return nil, err
		}
	}
	c = &Cluster{dir: dir, password: rand.Text(), etcdAt: freeAddress(), proxyAt: freeAddress()}
	if c.programs, err = devstack.PostgresPrograms(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Stop())
		}
	}()
	if err := errors.Join(os.RemoveAll(dir), devstack.OwnDir(dir)); err != nil {
		return nil, err
	}
	if err := c.startEtcd(ctx); err != nil {
		return nil, err
	}
	for _, name := range []string{"one", "two", "three"} {
		m := c.member(name)
		c.members = append(c.members, m)
		if err := m.start(); err != nil {
			return nil, err
		}
	}
	if err := c.startProxy(); err != nil {
		return nil, err
	}
	if err := c.Await(ctx, 3*time.Minute); err != nil {
		return nil, err
	}
	return c, c.createDatabase(ctx)
}

// URL is the address of the database by way of HAProxy, as its owner: it leads to whoever is the primary.
func (c *Cluster) URL() string { return c.url(database) }

func (c *Cluster) url(name string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(owner, c.password), Host: c.proxyAt, Path: "/" + name, RawQuery: "sslmode=disable"}
	return u.String()
}

func (c *Cluster) createDatabase(ctx context.Context) error {
	return c.until(ctx, time.Minute, "HAProxy leads to the primary", func() bool {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		conn, err := pgx.Connect(ctx, c.url("postgres"))
		if err != nil {
			return false
		}
		_, err = conn.Exec(ctx, "create database "+database)
		return errors.Join(err, conn.Close(ctx)) == nil
	})
}

// Primary is the name of the primary; "" when nobody is.
func (c *Cluster) Primary(ctx context.Context) string { return c.is(ctx, "leader") }

// Standby is the name of the replica that confirms commits; "" when nobody does.
func (c *Cluster) Standby(ctx context.Context) string { return c.is(ctx, "sync_standby") }

func (c *Cluster) is(ctx context.Context, role string) string {
	for _, s := range c.standings(ctx) {
		if s.Role == role && s.State == "running" {
			return s.Name
		}
	}
	return ""
}

// Freeze stops a database where it is: it confirms nothing, and what it is sent waits in its machine's memory.
func (c *Cluster) Freeze(name string) error { return c.named(name).signal(syscall.SIGSTOP) }

// Restart ends a frozen database, which forgets what it has not read. Its Patroni starts it again.
func (c *Cluster) Restart(name string) error { return c.named(name).signal(syscall.SIGKILL) }

// Kill ends a database and its Patroni at once, as when its machine dies.
func (c *Cluster) Kill(name string) error { return c.named(name).kill() }

// Return starts a killed database and its Patroni again.
func (c *Cluster) Return(name string) error { return c.named(name).start() }

func (c *Cluster) named(name string) *member {
	return c.members[slices.IndexFunc(c.members, func(m *member) bool { return m.name == name })]
}

// Await waits until all three are there, and a replica confirms the commits of the primary.
func (c *Cluster) Await(ctx context.Context, within time.Duration) error {
	return c.until(ctx, within, "the three databases are in step", func() bool { return inStep(c.standings(ctx)) })
}

func (c *Cluster) until(ctx context.Context, within time.Duration, what string, so func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waited in vain until %s; the logs are in %s", what, c.dir)
		case <-tick.C:
		}
	}
	return nil
}

// Stop ends everything.
func (c *Cluster) Stop() (err error) {
	if c.proxy != nil {
		err = c.proxy.Stop()
	}
	for _, m := range c.members {
		err = errors.Join(err, m.stop())
	}
	if c.etcd != nil {
		err = errors.Join(err, c.etcd.Stop())
	}
	return err
}

// find is the path of a program.
func find(program string) (string, error) {
	if path, err := exec.LookPath(program); err == nil {
		return path, nil
	}
	path := filepath.Join("/usr/sbin", program)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s is not installed (scripts/bootstrap --failover): %w", program, err)
	}
	return path, nil
}
