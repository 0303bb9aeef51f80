package tasks

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
)

// ID is the Asynq task id of a job travelling alone. Lots have ids of their own, so an attempt may be in two tasks: everything it
// does is guarded.
func (j Job) ID() string { return string(j.Kind) + ":" + j.text() }

func (j Job) text() string { return j.Ref.String() + ":" + strconv.Itoa(j.Attempt) }

// TaskOf writes jobs of one kind as an Asynq task. Its id is the job's for a single job, and made of all of theirs otherwise. Its
// time limit has room for the wait for a place. Retries, deadlines and dead letters live in the jobs table, so Asynq keeps none.
func TaskOf(jobs ...Job) *asynq.Task {
	kind := jobs[0].Kind
	texts := make([]string, len(jobs))
	for i, j := range jobs {
		texts[i] = j.text()
	}
	payload := strings.Join(texts, " ")
	id := jobs[0].ID()
	if len(jobs) > 1 {
		id = string(kind) + ":" + RefOf(payload).String()
	}
	spec := Specs[kind]
	return asynq.NewTask(string(kind), []byte(payload),
		asynq.TaskID(id), asynq.Queue(string(spec.Queue)), asynq.MaxRetry(0), asynq.Timeout(Visibility+spec.Timeout))
}

// ParseTask reads the jobs back from a task.
func ParseTask(t *asynq.Task) ([]Job, error) {
	texts := strings.Split(string(t.Payload()), " ")
	jobs := make([]Job, len(texts))
	for i, text := range texts {
		ref, attempt, ok := strings.Cut(text, ":")
		id, err := uuid.Parse(ref)
		n, err2 := strconv.Atoi(attempt)
		if !ok || err != nil || err2 != nil {
			return nil, fmt.Errorf("task %s carries %q: %w", t.Type(), t.Payload(), asynq.SkipRetry)
		}
		jobs[i] = Job{Kind: Kind(t.Type()), Ref: id, Attempt: n}
	}
	return jobs, nil
}
