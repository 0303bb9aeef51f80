package main

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
	"golang.org/x/sync/errgroup"

	"causeway/internal/cli/command"
	"causeway/internal/cli/connect"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/devstack"
	"causeway/migrations"
	"causeway/tasks"
)

// devFlags are the flags of `causeway dev` (operator §dev).
type devFlags struct {
	listen, operatorListen settings.Address
	reset                  bool
	demo                   bool
}

func (p *program) devCommand() *cobra.Command {
	f := devFlags{listen: "127.0.0.1:8080", operatorListen: "127.0.0.1:8081"}
	c := &cobra.Command{Use: "dev", Args: cobra.NoArgs,
		Short: "run everything in one process, on simulated networks, with private PostgreSQL and Redis",
		RunE:  func(c *cobra.Command, _ []string) error { return p.dev(c.Context(), f) }}
	command.Read(c.Flags(), &f.listen, "listen", "where the API listens", settings.ReadAddress)
	command.Read(c.Flags(), &f.operatorListen, "operator-listen", "where the operator port listens", settings.ReadAddress)
	c.Flags().BoolVar(&f.reset, "reset", false, "begin anew: remove all data of the data directory first")
	c.Flags().BoolVar(&f.demo, "demo", false, "then play a first payin and a first payout, and tell of each step")
	return c
}

// dev runs every role until ctx ends.
func (p *program) dev(ctx context.Context, f devFlags) (err error) {
	if p.Sandbox {
		return command.Usagef("--sandbox is for commands: causeway dev is a sandbox already")
	}
	s, err := settings.ReadAlone(p.Environ, p.DataDir)
	if err != nil {
		return err
	}
	if err := portsFree(door{"--listen", string(f.listen)}, door{"--operator-listen", string(f.operatorListen)}); err != nil {
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
	h, err := openService(ctx, s, p.Stderr, migrations.DevRole)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	if s.PublicBaseURL == "" {
		s.PublicBaseURL = settings.BaseURL(reachable(string(f.listen)))
	}
	h.hosts = newDevHosts(s, f)
	h.demoMerchant, h.demoLogin = new(atomic.Pointer[uuid.UUID]), new(atomic.Pointer[settings.DevFile])
	g, running := errgroup.WithContext(ctx)
	err = p.startDev(running, g, h, f)
	if err != nil && ctx.Err() == nil { // not for being told to stop while starting
		g.Go(func() error { return err }) // ends what was started already
	}
	return g.Wait()
}

// startDev starts every role, makes the demo merchant, and says what can be done now.
func (p *program) startDev(ctx context.Context, g *errgroup.Group, h *service, f devFlags) error {
	if err := h.serveAPI(ctx, g, door{"--listen", string(f.listen)}, 0); err != nil {
		return err
	}
	if err := h.serveOperator(ctx, g, door{"--operator-listen", string(f.operatorListen)}, false); err != nil {
		return err
	}
	if err := h.schedule(ctx, g); err != nil {
		return err
	}
	if err := h.work(ctx, g, tasks.Weights); err != nil {
		return err
	}
	d, err := h.demo(ctx, f)
	if err != nil {
		return err
	}
	if err := d.WriteStarting(h.settings.DataDir); err != nil {
		return err
	}
	if err := h.fundDemo(ctx, d, p.Now.At); err != nil {
		return err
	}
	if err := d.Write(h.settings.DataDir); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(h.settings.DataDir, settings.StartingFileName)); err != nil {
		return fmt.Errorf("DATA_DIR: %w", err)
	}
	h.told.Store(true)
	p.Now.End()
	h.banner(p.Stdout, d)
	if f.demo {
		return h.playDemo(ctx, p.Stdout, d)
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
	s.Dev, err = settings.ReadStarting(s.DataDir) // of a first start that did not get through
	return err
}

// startStack starts the private servers that the environment does not replace, and puts their addresses into s.
func startStack(ctx context.Context, s *settings.Settings, p *program) (*devstack.Stack, error) {
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
	db, err := connect.Database(ctx, s, migrationPool)
	if err != nil {
		return err
	}
	return errors.Join(migrations.UpFor(ctx, db, migrations.Roles{Prefix: string(s.DatabaseRoles)}, told), db.Close())
}
