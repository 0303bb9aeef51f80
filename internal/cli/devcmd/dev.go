// Package devcmd is causeway dev: every role in one process on simulated networks, with private servers, a demo merchant with money,
// and an inbox for its webhooks (operator §dev).
package devcmd

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/uptrace/bun"
	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/internal/cli/command"
	"causeway/internal/cli/connect"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/devstack"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/migrations"
)

// flags are those of the command (operator §dev).
type flags struct {
	listen, operatorListen settings.Address
	reset                  bool
	demo                   bool
}

// Installation is an open service on the servers of dev.
type Installation struct {
	Store    *store.Store
	Vault    *vault.Vault
	DB       *bun.DB
	Networks *chains.Registry
	Start    func(ctx context.Context, g *errgroup.Group, api, operator Door) error // starts every role
	Close    func() error
}

// Door is the address of a server, and the name of its setting or flag.
type Door struct{ Setting, Addr string }

// Dev is one run of causeway dev. It guards the pages of its installation, and verifies the webhooks of the inbox.
type Dev struct {
	*Installation
	line     *command.Line
	settings *settings.Settings
	flags    flags
	hosts    *hosts
	merchant atomic.Pointer[uuid.UUID]        // the demo merchant, once there is one
	login    atomic.Pointer[settings.DevFile] // name and password for the console, once they are known
	told     atomic.Bool                      // dev.json is written
}

// Command is causeway dev. Open opens an installation, with the given run as the guard of its pages.
func Command(line *command.Line, open func(context.Context, *settings.Settings, *Dev) (*Installation, error)) *cobra.Command {
	f := flags{listen: "127.0.0.1:8080", operatorListen: "127.0.0.1:8081"}
	c := &cobra.Command{Use: "dev", Args: cobra.NoArgs,
		Short: "run everything in one process, on simulated networks, with private PostgreSQL and Redis",
		RunE:  func(c *cobra.Command, _ []string) error { return (&Dev{line: line, flags: f}).run(c.Context(), open) }}
	command.Read(c.Flags(), &f.listen, "listen", "where the API listens", settings.ReadAddress)
	command.Read(c.Flags(), &f.operatorListen, "operator-listen", "where the operator port listens", settings.ReadAddress)
	c.Flags().BoolVar(&f.reset, "reset", false, "start from scratch: remove all data in the data directory first")
	c.Flags().BoolVar(&f.demo, "demo", false, "then run a first payin and a first payout, and describe each step")
	return c
}

// run runs every role until ctx ends.
func (d *Dev) run(ctx context.Context, open func(context.Context, *settings.Settings, *Dev) (*Installation, error)) (err error) {
	p, f := d.line, d.flags
	if p.Sandbox {
		return command.Usagef("--sandbox is for commands: causeway dev is a sandbox already")
	}
	s, err := settings.ReadAlone(p.Environ, p.DataDir)
	if err != nil {
		return err
	}
	s.Drivers = p.Drivers
	if err := portsFree(d.doors()); err != nil {
		return err
	}
	if err := prepareDataDir(s, f.reset); err != nil {
		return err
	}
	if s.DatabaseURL == "" {
		if err := keepSchema(s, migrations.Hashes()); err != nil {
			return err
		}
	}
	// The demo merchant's inbox, wherever it is and whoever else is allowed.
	if inbox, err := url.Parse(reachable(string(f.operatorListen))); err == nil {
		s.AllowedHosts = append(s.AllowedHosts, inbox.Hostname())
	}
	p.Tell("starting PostgreSQL and Redis")
	defer func() { p.Now.End() }()
	stack, err := startStack(ctx, s, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stack.Stop()) }()
	if err := s.KeepKeys(); err != nil {
		return err
	}
	if err := migrateUp(ctx, s, p.Now.At); err != nil {
		return err
	}
	p.Now.At("starting the roles", 0, 0)
	d.settings = s
	if d.Installation, err = open(ctx, s, d); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if s.PublicBaseURL == "" {
		s.PublicBaseURL = settings.BaseURL(reachable(string(f.listen)))
	}
	d.hosts = newHosts(s, f)
	g, running := errgroup.WithContext(ctx)
	err = d.start(running, g)
	if err != nil && ctx.Err() == nil { // not for being told to stop while starting
		g.Go(func() error { return err }) // ends everything started already
	}
	return g.Wait()
}

// doors are where the API and the operator port listen.
func (d *Dev) doors() (api, operator Door) {
	return Door{"--listen", string(d.flags.listen)}, Door{"--operator-listen", string(d.flags.operatorListen)}
}

// start starts every role, makes the demo merchant, and prints the banner.
func (d *Dev) start(ctx context.Context, g *errgroup.Group) error {
	api, operator := d.doors()
	if err := d.Start(ctx, g, api, operator); err != nil {
		return err
	}
	file, err := d.demo(ctx)
	if err != nil {
		return err
	}
	if err := file.WriteStarting(d.settings.DataDir); err != nil {
		return err
	}
	if err := d.fund(ctx, file, d.line.Now.At); err != nil {
		return err
	}
	if err := file.Write(d.settings.DataDir); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(d.settings.DataDir, settings.StartingFileName)); err != nil {
		return fmt.Errorf("DATA_DIR: %w", err)
	}
	d.told.Store(true)
	d.line.Now.End()
	d.banner(d.line.Stdout, file)
	if d.flags.demo {
		return d.play(ctx, d.line.Stdout, file)
	}
	return nil
}

// prepareDataDir makes the data directory, empty with reset.
func prepareDataDir(s *settings.Settings, reset bool) error {
	if reset {
		if s.Dev != nil && s.DatabaseURL != "" && string(s.DatabaseURL) == s.Dev.DatabaseURL {
			const forgets = "--reset would forget the %s key of dev.json, and DATABASE_URL names a database of yours that stays as it is: set %s to it as well"
			switch {
			case s.SecretsKey == nil:
				return fmt.Errorf(forgets, "secrets", "SECRETS_KEY")
			case s.SealKey == nil && s.Dev.SealKey != "":
				return fmt.Errorf(forgets, "seal", "SEAL_KEY")
			}
		}
		if err := devstack.Remove(devstack.Options{DataDir: s.DataDir}); err != nil {
			return fmt.Errorf("DATA_DIR: %w", err)
		}
		for _, name := range []string{settings.DevFileName, settings.StartingFileName, schemaFileName} {
			if err := os.Remove(filepath.Join(s.DataDir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("DATA_DIR: %w", err)
			}
		}
		s.Dev = nil
	}
	if err := os.MkdirAll(s.DataDir, 0o755); err != nil { // the servers run as another user and must pass
		return fmt.Errorf("DATA_DIR: %w", err)
	}
	if s.Dev != nil {
		return nil
	}
	var err error
	s.Dev, err = settings.ReadStarting(s.DataDir) // of an unfinished first start
	return err
}

// startStack starts the private servers not replaced by the environment, and puts their addresses into s.
func startStack(ctx context.Context, s *settings.Settings, p *command.Line) (*devstack.Stack, error) {
	o := devstack.Options{DataDir: s.DataDir, Durable: true, Log: func(line string) { fmt.Fprintln(p.Stderr, line) }}
	stack := new(devstack.Stack)
	var err error
	if s.DatabaseURL == "" && s.RedisURL == "" {
		if stack, err = devstack.Start(ctx, o); err != nil {
			return nil, err
		}
	} else if s.DatabaseURL == "" {
		stack.Postgres, err = devstack.StartPostgres(ctx, o)
	} else if s.RedisURL == "" {
		stack.Redis, err = devstack.StartRedis(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	if stack.Postgres != nil {
		s.DatabaseURL = settings.DatabaseURL(stack.Postgres.URL)
	}
	if stack.Redis != nil {
		s.RedisURL = settings.RedisURL(stack.Redis.URL)
	}
	return stack, nil
}

func migrateUp(ctx context.Context, s *settings.Settings, told migrations.Teller) error {
	db, err := connect.Database(ctx, s, connect.MigrationPool)
	if err != nil {
		return err
	}
	return errors.Join(migrations.UpFor(ctx, db, migrations.Roles{Prefix: string(s.DatabaseRoles)}, told), db.Close())
}
