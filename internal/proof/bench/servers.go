package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/jackc/pgx/v5"

	"causeway/internal/dev/devstack"
	"causeway/internal/vault"
)

// bench is one run: the servers shared by everything, and the results so far.
type bench struct {
	options
	ctx     context.Context
	stack   *devstack.Stack
	secrets []byte // SECRETS_KEY
	yard    *yardstick
	people  *people
	table   table
	arenas  int
}

// open starts the private servers, durable as in production, and prints their settings.
func open(ctx context.Context, o options) (*bench, error) {
	if _, err := os.Stat(o.binary); err != nil {
		return nil, fmt.Errorf("build the binary first (make build): %w", err)
	}
	b := &bench{options: o, ctx: ctx, secrets: make([]byte, vault.KeySize)}
	_, _ = rand.Read(b.secrets)
	where := devstack.Options{DataDir: o.data, Durable: true, RedisDatabases: 64}
	if err := devstack.Remove(where); err != nil {
		return nil, err
	}
	var err error
	if b.stack, err = devstack.Start(ctx, where); err != nil {
		return nil, err
	}
	b.yard = &yardstick{bench: b}
	if err := errors.Join(b.describe(), b.yard.prepare(), b.seed()); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

func (b *bench) close() error {
	err := b.stack.Stop()
	return errors.Join(err, devstack.Remove(devstack.Options{DataDir: b.data}), os.RemoveAll(b.data))
}

func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...)
}

// settingsShown decide whether the figures mean anything.
var settingsShown = []string{"server_version", "fsync", "synchronous_commit", "full_page_writes", "wal_sync_method", "shared_buffers",
	"max_wal_size", "max_connections"}

func (b *bench) describe() error {
	shown := []string{fmt.Sprintf("%d cores, %s, %s", runtime.NumCPU(), cpuModel(), runtime.Version())}
	err := b.admin("", func(ctx context.Context, conn *pgx.Conn) error {
		for _, name := range settingsShown {
			var value string
			if err := conn.QueryRow(ctx, "select current_setting($1)", name).Scan(&value); err != nil {
				return err
			}
			shown = append(shown, name+"="+value)
		}
		return nil
	})
	b.table.head = strings.Join(shown, ", ")
	b.say("%s", b.table.head)
	return err
}

func cpuModel() string {
	content, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(content)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// admin runs work on a connection to a database; "" is the server's own.
func (b *bench) admin(database string, work func(context.Context, *pgx.Conn) error) error {
	conn, err := pgx.Connect(b.ctx, b.address(database))
	if err != nil {
		return err
	}
	return errors.Join(work(b.ctx, conn), conn.Close(b.ctx))
}

// execute runs one or more statements in a database.
func (b *bench) execute(database, statements string) error {
	return b.admin(database, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statements)
		return err
	})
}

// address is the address of a database on the private server, by TCP as `causeway dev` uses it.
func (b *bench) address(database string) string {
	u, err := url.Parse(b.stack.DatabaseURL)
	if err != nil {
		panic(err)
	}
	if database != "" {
		u.Path = "/" + database
	}
	return u.String()
}

// program finds a program of the running PostgreSQL's version.
func (b *bench) program(name string) (path string, err error) {
	err = b.admin("", func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "select setting from pg_config where name = 'BINDIR'").Scan(&path)
	})
	return filepath.Join(path, name), err
}
