package tasks_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"causeway/internal/dev/testkit"
	"causeway/tasks"
	"causeway/workers"
)

func jobs() *rapid.Generator[tasks.Job] {
	return rapid.Custom(func(t *rapid.T) tasks.Job {
		var ref uuid.UUID
		copy(ref[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "ref"))
		return tasks.Job{Kind: rapid.SampledFrom(slices.Sorted(maps.Keys(tasks.Specs))).Draw(t, "kind"), Ref: ref,
			Attempt: rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 1<<31-1)).Draw(t, "attempt")}
	})
}

// TestJobsSurviveTheirTask: jobs put on the queue come back the same.
func TestJobsSurviveTheirTask(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lot := rapid.SliceOfN(jobs(), 1, 40).Draw(t, "lot")
		for i := range lot {
			lot[i].Kind = lot[0].Kind
		}
		back, err := tasks.ParseTask(tasks.TaskOf(lot...))
		require.NoError(t, err)
		require.Equal(t, lot, back)
	})
}

// TestOnlyTheSameJobHasTheSameID: another attempt is another task.
func TestOnlyTheSameJobHasTheSameID(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		j, other := jobs().Draw(t, "job"), jobs().Draw(t, "other")
		require.Equal(t, j == other, j.ID() == other.ID())
		next := j
		next.Attempt++
		require.NotEqual(t, j.ID(), next.ID())
	})
}

func TestATaskThatIsNoJobIsNeverTriedAgain(t *testing.T) {
	t.Parallel()
	ref := uuid.NewString()
	for _, payload := range []string{"", ":", ref, ref + ":", ":1", ref + ":one", ref + ":1:2", ref + ":1.5", ref[1:] + ":1", "{}",
		ref + ":1 ", ref + ":1  " + ref + ":1", ref + ":1 " + ref} {
		_, err := tasks.ParseTask(asynq.NewTask(string(tasks.Reconcile), []byte(payload)))
		require.ErrorIs(t, err, asynq.SkipRetry, payload)
	}
}

// TestEveryKindHasAllThatItNeeds: a line in the table of work, a served queue, a time limit ending before the job is given to
// somebody else, and a handler.
func TestEveryKindHasAllThatItNeeds(t *testing.T) {
	t.Parallel()
	kinds := constantsOf(t, "tasks.go", "Kind")
	require.GreaterOrEqual(t, len(kinds), 8)
	require.ElementsMatch(t, kinds, slices.Collect(maps.Keys(tasks.Specs)))
	require.ElementsMatch(t, tasks.Queues, slices.Collect(maps.Keys(tasks.Weights)))
	for kind, spec := range tasks.Specs {
		require.Positive(t, tasks.Weights[spec.Queue], kind)
		require.Positive(t, spec.Timeout, kind)
		require.Less(t, spec.Timeout, tasks.Visibility, kind)
		require.GreaterOrEqual(t, spec.Every, 0*spec.Timeout, kind)
	}
	mux := workers.New(workers.Options{}).Mux(t.Context(), 1) // panics when a kind has no handler
	for kind := range tasks.Specs {
		_, pattern := mux.Handler(asynq.NewTask(string(kind), nil))
		require.Equal(t, string(kind), pattern)
	}
}

// constantsOf reads the values of a file's constants of a type.
func constantsOf(t *testing.T, file, typeName string) (out []tasks.Kind) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == typeName {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			out = append(out, tasks.Kind(value))
		}
		return true
	})
	return out
}

func TestNamesHaveRefsOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen := map[uuid.UUID]string{}
	for _, name := range []string{"Tron", "TRON", "Ethereum", string(tasks.Reconcile), ""} {
		ref := tasks.RefOf(name)
		require.Equal(t, ref, tasks.RefOf(name))
		require.Empty(t, seen[ref])
		seen[ref] = name
	}
}

// TestRingingTwiceIsOneTask: the same attempts are never queued twice, the next attempt is a task of its own, and a task
// carries its queue, its time limit and no retries.
func TestRingingTwiceIsOneTask(t *testing.T) {
	t.Parallel()
	client := testkit.Redis(t)
	bell, look := tasks.NewBell(client), asynq.NewInspectorFromRedisClient(client)
	j := tasks.Job{Kind: tasks.BroadcastPayout, Ref: uuid.New(), Attempt: 1}
	next := j
	next.Attempt++
	for range 3 {
		require.NoError(t, bell.Ring(t.Context(), j))
		require.NoError(t, bell.Ring(t.Context(), next))
		require.NoError(t, bell.Ring(t.Context(), j, next))
	}
	waiting, err := bell.Waiting()
	require.NoError(t, err)
	require.Equal(t, map[tasks.Queue]int{tasks.Signing: 3, tasks.Chain: 0, tasks.Webhooks: 0, tasks.Upkeep: 0}, waiting)
	info, err := look.GetTaskInfo(string(tasks.Signing), j.ID())
	require.NoError(t, err)
	require.Zero(t, info.MaxRetry)
	require.Zero(t, info.Retention)
	require.Equal(t, tasks.Visibility+tasks.Specs[j.Kind].Timeout, info.Timeout)
}

// TestWhatIsRungTogetherTravelsTogether: in lots of one kind, none larger than its kind allows, and each job once.
func TestWhatIsRungTogetherTravelsTogether(t *testing.T) {
	t.Parallel()
	client := testkit.Redis(t)
	bell, look := tasks.NewBell(client), asynq.NewInspectorFromRedisClient(client)
	lots := map[tasks.Kind]int{tasks.DeliverWebhook: 3, tasks.BroadcastPayout: 3, tasks.Reconcile: 2}
	var rung []tasks.Job
	for kind, n := range lots {
		for range (n-1)*max(1, tasks.Specs[kind].Lot) + 1 {
			rung = append(rung, tasks.Job{Kind: kind, Ref: uuid.New(), Attempt: 7})
		}
	}
	rand.Shuffle(len(rung), func(i, j int) { rung[i], rung[j] = rung[j], rung[i] })
	require.NoError(t, bell.Ring(t.Context(), rung...))
	var found []tasks.Job
	for kind, n := range lots {
		waiting, err := look.ListPendingTasks(string(tasks.Specs[kind].Queue))
		require.NoError(t, err)
		require.Len(t, waiting, n, kind)
		for _, task := range waiting {
			jobs, err := tasks.ParseTask(asynq.NewTask(task.Type, task.Payload))
			require.NoError(t, err)
			require.LessOrEqual(t, len(jobs), max(1, tasks.Specs[kind].Lot))
			found = append(found, jobs...)
		}
	}
	require.ElementsMatch(t, rung, found)
}

func TestABellWithoutRedisSaysSo(t *testing.T) {
	t.Parallel()
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1})
	t.Cleanup(func() { _ = client.Close() })
	bell := tasks.NewBell(client)
	require.Error(t, bell.Ping())
	require.Error(t, bell.Ring(t.Context(), tasks.Job{Kind: tasks.Reconcile}))
	_, err := bell.Waiting()
	require.Error(t, err)
	require.NoError(t, bell.Ring(t.Context()), "nothing to ring")
}

// TestAQueueThatCannotBeMeasuredIsMissing: the others are told all the same.
func TestAQueueThatCannotBeMeasuredIsMissing(t *testing.T) {
	t.Parallel()
	client := testkit.Redis(t)
	require.NoError(t, client.Set(t.Context(), "asynq:{chain}:pending", "no list", 0).Err())
	waiting, err := tasks.NewBell(client).Waiting()
	require.ErrorContains(t, err, "measure queue chain")
	require.Equal(t, map[tasks.Queue]int{tasks.Signing: 0, tasks.Webhooks: 0, tasks.Upkeep: 0}, waiting)
}

// TestABellKnowsThatRedisIsFull: a Redis answering but taking nothing counts as away, and is back when there is room.
func TestABellKnowsThatRedisIsFull(t *testing.T) {
	t.Parallel()
	server := testkit.PrivateRedis(t)
	options, err := redis.ParseURL(server.URL)
	require.NoError(t, err)
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	bell := tasks.NewBell(client)
	set := func(name, value string) { require.NoError(t, client.ConfigSet(t.Context(), name, value).Err()) }
	snapshot := filepath.Join(server.Dir(), "data", "dump.rdb")
	saves := func(status string) {
		testkit.Eventually(t, time.Minute, func() bool {
			_ = client.BgSave(t.Context()) // another one under way is no matter
			return strings.Contains(client.Info(t.Context(), "persistence").Val(), "rdb_last_bgsave_status:"+status)
		}, "a snapshot")
	}
	for name, c := range map[string]struct {
		fill, empty func()
		says        string
	}{
		"its memory": {func() { set("maxmemory", "1") }, func() { set("maxmemory", "0") }, "OOM"},
		"it may only be read": {func() { require.NoError(t, client.ReplicaOf(t.Context(), "127.0.0.1", "1").Err()) },
			func() { require.NoError(t, client.ReplicaOf(t.Context(), "NO", "ONE").Err()) }, "READONLY"},
		"its disk": {func() { // no snapshot can be written where a folder is
			set("save", "3600 1")
			require.NoError(t, os.Mkdir(snapshot, 0o700))
			saves("err")
		}, func() {
			require.NoError(t, os.Remove(snapshot))
			saves("ok")
		}, "MISCONF"},
	} {
		require.NoError(t, bell.Ping(), name)
		j := tasks.Job{Kind: tasks.BroadcastPayout, Ref: uuid.New(), Attempt: 1}
		c.fill()
		require.ErrorContains(t, bell.Ping(), c.says, name)
		require.ErrorContains(t, bell.Ring(t.Context(), j), c.says, name)
		c.empty()
		require.NoError(t, bell.Ping(), name)
		require.NoError(t, bell.Ring(t.Context(), j), name)
	}
}
