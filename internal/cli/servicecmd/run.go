package servicecmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/cli/connect"
	"causeway/internal/cli/settings"
	"causeway/internal/store"
	"causeway/tasks"
)

// runnable is a periodic job for an outside scheduler to run (operator §Roles).
type runnable struct {
	Name string `json:"name"`
	Does string `json:"does"`
	kind tasks.Kind
}

var runnables = []runnable{
	{"payins-expire", "fails the pending payins whose time is over, on networks that were followed past it", tasks.ExpirePayins},
	{"fixed-wallets-revoke", "announces and does the revocations of fixed wallets that are due", tasks.RevokeWallets},
	{"prices-refresh", "reads the prices from their source", tasks.RefreshPrices},
	{"treasury-plan", "plans the moves of the treasury that its rules ask for now", tasks.PlanTreasury},
	{"conditions-watch", "tells operators, and people of merchants, of what is amiss by now or over, for those who want to know", tasks.WatchConditions},
	{"reconcile", "checks the ledger against itself and the networks", tasks.Reconcile},
	{"cleanup", "forgets nonces, idempotency keys, webhooks and addresses of customers that are out of time, and folds what changed into the counts of the lists", tasks.Cleanup},
}

const (
	// jobNote begins a job's last error while `causeway run` waits for it.
	jobNote    = "run by hand "
	jobPoll    = 50 * time.Millisecond
	jobRingFor = 5 * time.Second
	jobWait    = 2 * time.Minute
)

// Run is causeway run.
func Run(p *command.Line) *cobra.Command {
	var (
		list bool
		wait time.Duration
	)
	c := &cobra.Command{Use: "run JOB | --list", Short: "run a periodic job once on a worker, and wait until it is done",
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if list != (len(args) == 0) {
				return command.Usagef("give either a job (%s) or --list", strings.Join(JobNames(), ", "))
			}
			if list {
				return p.Print(runnables)
			}
			at := slices.Index(JobNames(), args[0])
			if at < 0 {
				return command.Usagef("there is no job %q, only %s", args[0], strings.Join(JobNames(), ", "))
			}
			if wait <= 0 {
				return command.Usagef("--timeout: %v is not above zero", wait)
			}
			defer p.Doing(c)()
			p.Now.At("waiting for a worker to do "+args[0], 0, 0)
			return runJobs(c.Context(), p, runnables[at], wait)
		}}
	c.Flags().BoolVar(&list, "list", false, "list the jobs")
	c.Flags().DurationVar(&wait, "timeout", jobWait, "how long to wait for a worker")
	return c
}

// JobNames returns the jobs of causeway run.
func JobNames() []string {
	var out []string
	for _, r := range runnables {
		out = append(out, r.Name)
	}
	return out
}

// RanJob is the output of `causeway run` for a finished job.
type RanJob struct {
	Job    string    `json:"job"`
	Done   bool      `json:"done"`
	NextAt time.Time `json:"next_at"`

	Sandbox *RanJob `json:"sandbox,omitempty"` // the same job of a sandbox beside live networks
}

// runJobs runs a job, and then the same job of a sandbox beside live networks; its failure does not undo the first.
func runJobs(ctx context.Context, p *command.Line, r runnable, wait time.Duration) error {
	s, err := p.Settings("DATABASE_URL", "REDIS_URL")
	if err != nil {
		return err
	}
	sandbox, err := s.SandboxSettings()
	if err != nil {
		return err
	}
	done, err := runJob(ctx, s, r, wait)
	if err != nil {
		return err
	}
	if sandbox == nil {
		return p.Print(done)
	}
	if done.Sandbox, err = runJob(ctx, sandbox, r, wait); err != nil {
		err = fmt.Errorf("sandbox: %w", err)
	}
	return errors.Join(p.Print(done), err)
}

// runJob takes a job, rings it, and waits until a worker has done it, at most wait.
func runJob(ctx context.Context, s *settings.Settings, r runnable, wait time.Duration) (*RanJob, error) {
	db, err := connect.Schema(ctx, s, connect.PoolSize)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	redis, err := connect.Redis(ctx, s)
	if err != nil {
		return nil, err
	}
	defer redis.Close()
	jobs := store.New(db)
	j, err := jobs.TakeJob(ctx, string(r.kind), tasks.RefOf(string(r.kind)), tasks.Visibility, jobNote+uuid.NewString())
	if err != nil {
		return nil, err
	}
	ringing, cancel := context.WithTimeout(ctx, jobRingFor)
	defer cancel()
	bell := tasks.NewBell(redis)
	if err := bell.Ring(ringing, tasks.Job{Kind: r.kind, Ref: j.Ref, Attempt: j.Attempt}); err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	done, err := awaitJob(waiting, jobs, j)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("no worker has done %s within %v", r.Name, wait)
	}
	if err != nil {
		return nil, err
	}
	return &RanJob{Job: r.Name, Done: true, NextAt: done.RunAt}, nil
}

// awaitJob waits until the note is gone: a successful attempt removes it, a failed one replaces it by its reason.
func awaitJob(ctx context.Context, jobs *store.Store, j store.DueJob) (*store.JobRow, error) {
	tick := time.NewTicker(jobPoll)
	defer tick.Stop()
	for {
		row, err := jobs.Job(ctx, j.Kind, j.Ref)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, err
		case row == nil:
			return nil, fmt.Errorf("job %s is gone", j.Kind)
		case row.LastError == nil:
			return row, nil
		case !strings.HasPrefix(*row.LastError, jobNote):
			return nil, fmt.Errorf("it failed and will be tried again: %s", *row.LastError)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}
