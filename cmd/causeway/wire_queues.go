package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/hibiken/asynq"
	"github.com/sirupsen/logrus"

	"causeway/internal/cli/command"
	"causeway/tasks"
)

// queuesNamed reads the --queues of a worker; naming none, or an unknown one, is an error of the command line.
func queuesNamed(names []string) (map[tasks.Queue]int, error) {
	if len(names) == 0 {
		return nil, command.Usagef("no queue is named: %s", strings.Join(tasks.QueueNames(), ", "))
	}
	out := map[tasks.Queue]int{}
	for _, name := range names {
		weight, ok := tasks.Weights[tasks.Queue(name)]
		if !ok {
			return nil, command.Usagef("there is no queue %q: %s", name, strings.Join(tasks.QueueNames(), ", "))
		}
		out[tasks.Queue(name)] = weight
	}
	return out, nil
}

// kindsOf returns the kinds of work on queues.
func kindsOf(queues map[tasks.Queue]int) []tasks.Kind {
	var out []tasks.Kind
	for kind, spec := range tasks.Specs {
		if _, ok := queues[spec.Queue]; ok {
			out = append(out, kind)
		}
	}
	return out
}

// tasksAtOnce is how many tasks a process takes for so many jobs at once. A task may bring 32 jobs: those taken and not
// begun are kept from processes able to begin them.
func tasksAtOnce(jobs int) int { return min(jobs, max(jobs/4, 16)) }

// newAsynq makes the server for the tasks of queues.
func (h *service) newAsynq(queues map[tasks.Queue]int) *asynq.Server {
	weights := make(map[string]int, len(queues))
	for q, weight := range queues {
		weights[string(q)] = weight
	}
	return asynq.NewServerFromRedisClient(h.redis, asynq.Config{
		Concurrency:       tasksAtOnce(int(h.settings.WorkerConcurrency)),
		Queues:            weights,
		TaskCheckInterval: taskCheckInterval,
		ShutdownTimeout:   gracePeriod,
		Logger:            asynqLog{h.log.WithField("from", "asynq")},
		LogLevel:          asynq.WarnLevel,
	})
}

// redisLog writes the Redis client's own words to our log.
type redisLog struct{ log *logrus.Logger }

// Printf implements the client's logger.
func (l redisLog) Printf(_ context.Context, format string, v ...any) { l.log.Debugf(format, v...) }

// asynqLog writes Asynq's own words to our log.
type asynqLog struct{ logrus.FieldLogger }

// Fatal implements asynq.Logger without ending the process: only main ends it.
func (l asynqLog) Fatal(args ...any) { l.Error(fmt.Sprint(args...)) }
