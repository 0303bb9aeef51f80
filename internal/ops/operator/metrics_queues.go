package operator

import (
	"context"

	"github.com/hibiken/asynq"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/sirupsen/logrus"
)

var (
	queueTasksDesc  = desc("queue_tasks", "Tasks on an Asynq queue. Jobs in the database are the truth; these carry them.", "queue", "state")
	queuePausedDesc = desc("queue_paused", "1 when the queue was paused on the dashboard.", "queue")
	queueWaitDesc   = desc("queue_wait_seconds", "How long the oldest pending task of the queue has waited.", "queue")
	queueMemoryDesc = desc("queue_memory_bytes", "What the queue takes in Redis, by sampling.", "queue")
	queueDoneDesc   = desc("queue_tasks_processed_total", "Tasks that were worked on since the queue exists.", "queue")
	queueFailedDesc = desc("queue_tasks_failed_total", "Of them, those whose handler failed.", "queue")
)

// queueCollector reads figures from Redis.
type queueCollector struct {
	queues *queues
	log    logrus.FieldLogger
}

// Describe implements prometheus.Collector. It says nothing, since without Redis there is nothing to tell.
func (c *queueCollector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c *queueCollector) Collect(to chan<- prometheus.Metric) {
	infos, err := c.queues.list(context.Background())
	if err != nil {
		c.log.WithError(err).Warn("metrics lack the queues")
	}
	for _, q := range infos {
		for state, n := range taskStates(q) {
			to <- gauge(queueTasksDesc, int64(n), q.Queue, state)
		}
		to <- gauge(queuePausedDesc, one(q.Paused), q.Queue)
		to <- seconds(queueWaitDesc, q.Latency.Milliseconds(), q.Queue)
		to <- gauge(queueMemoryDesc, q.MemoryUsage, q.Queue)
		to <- counter(queueDoneDesc, q.ProcessedTotal, q.Queue)
		to <- counter(queueFailedDesc, q.FailedTotal, q.Queue)
	}
	to <- sourceUp("redis", err)
}

// taskStates is how many tasks of a queue are where.
func taskStates(q *asynq.QueueInfo) map[string]int {
	return map[string]int{"pending": q.Pending, "active": q.Active, "scheduled": q.Scheduled,
		"retry": q.Retry, "archived": q.Archived, "completed": q.Completed}
}

func counter(d *prometheus.Desc, value int, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value), labels...)
}
