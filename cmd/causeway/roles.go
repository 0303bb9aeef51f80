package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"causeway/chains/sandbox"
	"causeway/internal/cli/command"
	"causeway/internal/cli/devcmd"
	"causeway/internal/cli/settings"
	"causeway/internal/store"
	"causeway/migrations"
	"causeway/scheduler"
	"causeway/tasks"
)

const (
	gracePeriod       = 30 * time.Second       // a role told to stop finishes its work within this time
	leavingPeriod     = 5 * time.Second        // of it, how long an API is not ready and still serves
	garbage           = 300                    // percent of a role's live heap: so much garbage before it is collected
	taskCheckInterval = 200 * time.Millisecond // how often an idle worker looks into its queues; most of an idle process's cost
	followBusy        = 500 * time.Millisecond // how often a network is looked at while something of ours is awaited there
	followIdle        = 3 * time.Second        // and while nothing is
)

func (p *program) apiCommand() *cobra.Command {
	return &cobra.Command{Use: "api", Short: "serve /v1 on LISTEN_ADDR, without any private key", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return p.runRole(c.Context(), role{
				name: "api", as: migrations.APIRole,
				start: func(ctx context.Context, g *errgroup.Group, h *service) error {
					return h.serveAPI(ctx, g, devcmd.Door{Setting: "LISTEN_ADDR", Addr: string(h.settings.ListenAddr)}, leavingPeriod)
				},
				behind: func(ctx context.Context, g *errgroup.Group, h *service) error { h.openFront(ctx, g); return nil },
			})
		}}
}

// errNoSeed is the error of a worker on the signing queue without a seed: it would take tasks from workers with one, and fail them.
var errNoSeed = errors.New("NETWORKS_FILE: signer: seed_file: this worker serves the signing queue, and the file names no seed and not for every network a signer: name the seed, or serve the other queues (--queues chain,webhooks,upkeep)")

func (p *program) workerCommand() *cobra.Command {
	var queues []string
	c := &cobra.Command{Use: "worker", Short: "work on the tasks of queues; only that of signing loads private keys", Args: cobra.NoArgs}
	c.Flags().StringSliceVar(&queues, "queues", tasks.QueueNames(), "queues to serve, by commas")
	c.RunE = func(c *cobra.Command, _ []string) error {
		served, err := queuesNamed(queues)
		if err != nil {
			return err
		}
		_, signs := served[tasks.Signing]
		return p.runRole(c.Context(), role{name: "worker", as: workerRole(served), start: func(ctx context.Context, g *errgroup.Group, h *service) error {
			if signs && h.file.NeedsSeed() && h.file.Signer.SeedFile == "" {
				return errNoSeed
			}
			return h.work(ctx, g, served)
		}})
	}
	return c
}

// workerRole returns the role with the rights for a worker of queues.
func workerRole(served map[tasks.Queue]int) migrations.Role {
	_, signs := served[tasks.Signing]
	switch {
	case signs && len(served) == 1:
		return migrations.SignerRole
	case signs:
		return migrations.WorkersRole
	default:
		return migrations.WorkerRole
	}
}

func (p *program) schedulerCommand() *cobra.Command {
	return &cobra.Command{Use: "scheduler", Short: "ring due jobs and keep the periodic ones; any number may run", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return p.runRole(c.Context(), role{name: "scheduler", as: migrations.SchedulerRole, start: func(ctx context.Context, g *errgroup.Group, h *service) error {
				return h.schedule(ctx, g)
			}})
		}}
}

// role is the work of a process in each service it opens: the live one, and the sandbox's where one stands beside it.
type role struct {
	name   string          // as its command is called
	as     migrations.Role // its rights in the database
	start  func(context.Context, *errgroup.Group, *service) error
	behind func(context.Context, *errgroup.Group, *service) error // replaces start in the sandbox's service; nil: start does it
}

func (r role) inSandbox(ctx context.Context, g *errgroup.Group, h *service) error {
	if r.behind != nil {
		return r.behind(ctx, g, h)
	}
	return r.start(ctx, g, h)
}

// runRole opens the service, starts a role with the operator port beside it, and waits for the end of either. A sandbox has
// its own service, and ends when this one does.
func (p *program) runRole(ctx context.Context, r role) error {
	if p.Sandbox {
		return command.Usagef("--sandbox is for commands: a role serves the sandbox beside the live networks")
	}
	s, err := p.Settings(settings.OfRoles...)
	if err != nil {
		return err
	}
	sandbox, err := s.SandboxSettings()
	if err != nil {
		return err
	}
	if os.Getenv("GOGC") == "" { // heaps are small and garbage is not (docs/performance-notes.md)
		debug.SetGCPercent(garbage)
	}
	_, _ = memlimit.Set() // at 90 % of the container's memory; if unreadable, the limit stays as it is
	h, err := openService(ctx, s, p.Stderr, r.as)
	if err != nil {
		return err
	}
	if h.live() && len(s.SealKey) == 0 && (slices.Contains(signing, r.as) || r.name == "api") {
		h.log.Warn("SEAL_KEY is not set: payouts are sealed under a key made of SECRETS_KEY, which every role has")
	}
	if h.books == store.DevBooks && len(h.file.Live) > 0 {
		return errors.Join(errDevBooks, h.close())
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return h.watchBooks(ctx) })
	g.Go(func() error { h.watchNodes(ctx); return nil })
	h.beside = openBeside(ctx, h, sandbox, r, p.Stderr)
	if err = r.start(ctx, g, h); err == nil {
		err = h.serveOperator(ctx, g, devcmd.Door{Setting: "OPERATOR_ADDR", Addr: string(s.OperatorAddr)}, s.Source("OPERATOR_ADDR") == settings.FromDefault)
	}
	if err != nil {
		g.Go(func() error { return err }) // ends everything started already
	} else {
		h.sayServing(r)
		log := h.log.WithField("role", r.name)
		g.Go(func() error { <-ctx.Done(); log.Info("stopping: what it holds is being finished"); return nil })
		defer log.Info("stopped")
	}
	return errors.Join(g.Wait(), h.beside.close(), h.close())
}

// sayServing writes the log's first line: the role, its version and addresses, its live networks, and whether it signs.
func (h *service) sayServing(r role) {
	live := "none: all are simulated"
	if names := h.networks.Live(); len(names) > 0 {
		live = strings.Join(names, " ")
	}
	line := h.log.WithField("role", r.name).WithField("version", version).WithField("operator_addr", h.settings.OperatorAddr).
		WithField("live_networks", live)
	switch {
	case r.name == "api":
		line = line.WithField("listen_addr", h.settings.ListenAddr)
	case slices.Contains(signing, r.as):
		line = line.WithField("signs", true)
	}
	line.Info("serving")
}

// work takes tasks from Asynq, and from the jobs table while Redis is away.
func (h *service) work(ctx context.Context, g *errgroup.Group, queues map[tasks.Queue]int) error {
	w := h.workers()
	server := h.newAsynq(queues)
	if err := server.Start(w.Mux(ctx, int(h.settings.WorkerConcurrency))); err != nil {
		return fmt.Errorf("start taking tasks: %w", err)
	}
	g.Go(func() error {
		<-ctx.Done()
		server.Shutdown()
		return nil
	})
	standby := &scheduler.Standby{Store: h.store, Bell: h.bell, Kinds: kindsOf(queues), Work: w.Do, Log: h.log}
	g.Go(func() error { standby.Run(ctx); return nil })
	return nil
}

// schedule rings due jobs, takes the samples of the overview, and lets the sandbox networks make their blocks.
func (h *service) schedule(ctx context.Context, g *errgroup.Group) error {
	if err := h.plan(ctx); err != nil {
		return err
	}
	relay := &scheduler.Relay{Store: h.store, Bell: h.bell, Log: h.log}
	g.Go(func() error { relay.Run(ctx); return nil })
	sampler := &scheduler.Sampler{Store: h.store, Log: h.log}
	g.Go(func() error { sampler.Run(ctx); return nil })
	miner := &sandbox.Miner{DB: h.db, BlockTime: h.settings.BlockTime(), Failed: func(err error) {
		h.log.WithError(err).Warn("the sandbox could not make a block")
	}}
	if !h.live() {
		g.Go(func() error { miner.Run(ctx); return nil })
	}
	return nil
}
