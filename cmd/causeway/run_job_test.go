package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/sirupsen/logrus"

	"causeway/chains"
	"causeway/internal/cli/command"
	"causeway/internal/dev/testkit"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers"
)

// newWorkingSite is a site with Redis.
func newWorkingSite(t *testing.T) *site {
	s := newSite(t)
	s.WithRedis()
	return s
}

// serve works on the upkeep queue until the test ends.
func (s *site) serve() {
	s.Helper()
	log := logrus.New()
	log.SetOutput(io.Discard)
	none, err := chains.NewRegistry()
	must(s.T, err)
	w := workers.New(workers.Options{Store: store.New(s.DB), Networks: none, Log: log})
	server := asynq.NewServerFromRedisClient(testkit.Redis(s.T), asynq.Config{Concurrency: 1, Queues: map[string]int{string(tasks.Upkeep): 1},
		TaskCheckInterval: 20 * time.Millisecond, LogLevel: asynq.FatalLevel})
	must(s.T, server.Start(w.Mux(s.Context(), 1)))
	s.Cleanup(server.Shutdown)
}

// Covers operator §Roles: causeway run JOB
func TestRunJob(t *testing.T) {
	t.Parallel()
	s := newWorkingSite(t)
	s.serve()
	s.Exec("insert into merchants (id, name, webhook_secret) values (gen_random_uuid(), 'Shop', 'x')")
	s.Exec("insert into idempotency_keys (merchant_id, key, claimed_at) select id, 'old', now() - interval '2 days' from merchants")
	s.Exec("insert into list_changes select id, 'payins', now(), 'USDT', 'Tron', 'pending', 1 from merchants")
	for range 2 { // the first run makes the job's row
		var ran struct {
			Job  string
			Done bool
			Next time.Time `json:"next_at"`
		}
		s.Do(&ran, "run", "cleanup")
		if ran.Job != "cleanup" || !ran.Done || !ran.Next.After(time.Now()) {
			t.Errorf("ran %+v", ran)
		}
	}
	var left int
	must(t, s.DB.NewRaw("select (select count(*) from idempotency_keys) + (select count(*) from list_changes)").Scan(t.Context(), &left))
	if left != 0 {
		t.Errorf("the job did not run: %d rows are left", left)
	}
}

// Covers operator §Roles: causeway run JOB
func TestRunJobTellsOfFailure(t *testing.T) {
	t.Parallel()
	s := newWorkingSite(t)
	s.serve()
	s.Exec("drop table idempotency_keys")
	s.Refused(command.ExitFailed, "it failed", "run", "cleanup")
}

// Covers operator §Roles: causeway run JOB
func TestRunJobWithoutWorkers(t *testing.T) {
	t.Parallel()
	s := newWorkingSite(t)
	s.Refused(command.ExitFailed, "no worker", "run", "cleanup", "--timeout", "300ms")
	s.Refused(command.ExitFailed, "no worker has done cleanup within 1ns", "run", "cleanup", "--timeout", "1ns")
}

// TestRunJobWithoutRedis: a command without its Redis says so in one line, without the Redis client's own words.
func TestRunJobWithoutRedis(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	process := exec.CommandContext(t.Context(), os.Args[0], "run", "cleanup", "--data-dir", s.Dir) // itself
	process.Env = append(os.Environ(), asCauseway+"=1", "REDIS_URL=redis://127.0.0.1:1/0")
	var said bytes.Buffer
	process.Stderr = &said
	if err := process.Run(); err == nil {
		t.Error("it ran without Redis")
	}
	if !strings.HasPrefix(said.String(), "causeway: REDIS_URL: ") || strings.Count(said.String(), "\n") != 1 {
		t.Errorf("it said %q", said.String())
	}
}

// Covers operator §Roles: causeway run JOB
func TestRunList(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var list []struct{ Name, Does string }
	s.Do(&list, "run", "--list")
	if len(list) != 7 {
		t.Errorf("jobs %+v", list)
	}
	s.Refused(command.ExitUsage, "payins-expire", "run")
	s.Refused(command.ExitUsage, "sweep", "run", "sweep")
	s.Refused(command.ExitUsage, "", "run", "cleanup", "--list")
}

// Covers operator §operator: the contract with whoever runs the service: They exit 0
func TestBadUsageOfRolesIsSaidInTheWordsOfHelp(t *testing.T) {
	t.Parallel()
	for line, says := range map[string]string{
		"run cleanup reconcile":      `unexpected argument "reconcile", see causeway run --help`,
		"run cleanup --timeout soon": `--timeout: "soon" is not a time like 2m`,
		"api now":                    `unexpected argument "now", see causeway api --help`,
		"worker --queues a\"b":       `--queues: "a\"b" is no list by commas`,
		"dev --listen here":          `--listen: "here" is not host:port`,
		"completion":                 "bash|zsh|fish is missing, see causeway completion --help",
		"completion tcsh":            `"tcsh" is not bash, zsh or fish`,
	} {
		p, stdout, stderr := programIn("")
		if code := p.run(t.Context(), strings.Fields(line)); code != command.ExitUsage || stdout.Len() > 0 || stderr.String() != "causeway: "+says+"\n" {
			t.Errorf("%s: exit code %d, %q", line, code, stdout.String()+stderr.String())
		}
	}
}
