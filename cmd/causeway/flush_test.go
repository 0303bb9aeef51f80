package main

import (
	"flag"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/internal/dev/testkit"
	"causeway/tasks"
)

var flushes = flag.Int("flushes", 1, "how often TestWorkGoesOnAfterAFlush empties Redis")

// goesOnWithin is the bar of docs/reliability.md for an emptied Redis.
const goesOnWithin = time.Minute

// TestWorkGoesOnAfterAFlush empties Redis at the worst moment: the relay has just rung the jobs of 200 payouts, and no worker has
// taken one from its queue. Within a minute all jobs are rung again, the payouts are completed and their webhooks delivered.
func TestWorkGoesOnAfterAFlush(t *testing.T) {
	t.Parallel()
	e := newDeployment(t)
	have := 1300 * *flushes
	e.funded("Tron", "USDT", fmt.Sprint(have))
	queues := asynq.NewInspectorFromRedisClient(e.control)
	for n := range *flushes {
		for _, queue := range tasks.QueueNames() {
			must(t, queues.PauseQueue(queue)) // until the flush: it forgets the pause too
		}
		group := fmt.Sprintf("flush-%d-", n)
		e.payoutsOf(group, 200)
		testkit.Eventually(t, 20*time.Second, func() bool { return e.allInRedis(queues) }, "the relay to ring all payouts")
		_, err := e.DB.NewRaw(`drop table if exists rung;
			create table rung as select * from jobs where attempt > 0 and run_at <= now() + ? * interval '1 second'`, tasks.Visibility.Seconds()).
			Exec(t.Context())
		must(t, err)

		began := time.Now()
		must(t, e.control.FlushAll(t.Context()).Err())
		e.eventually("all jobs are rung again", "select not exists (select from rung r join jobs j using (kind, ref) where j.attempt <= r.attempt)")
		rung := time.Since(began)
		e.eventually("all payouts are completed", `select count(*) = 200 from payouts p join deliveries d on d.subject = p.id
			where p.reference_id like ? and p.status = 'completed' and d.status = 'delivered'`, group+"%")
		done := time.Since(began)
		t.Logf("after flush %d: every job was rung again in %v, 200 payouts were completed and told in %v", n+1,
			rung.Round(100*time.Millisecond), done.Round(100*time.Millisecond))
		require.Less(t, done, goesOnWithin)
	}
	e.addsUpTo("USDT", fmt.Sprint(100**flushes)) // each payout costs a network fee of 1
}

// payoutsOf asks for payouts of 5, fifty in a request; their references begin with the name of their group.
func (e *deployment) payoutsOf(group string, n int) {
	e.Helper()
	to := addresses.Encode("Tron", [32]byte{1})
	var items []string
	for i := range n {
		items = append(items, fmt.Sprintf(`{"reference_id":"%s%d","network":"Tron","crypto_currency":"USDT","process_by":"crypto_amount",
			"crypto_amount":"5","feetakenfromamount":0,"wallet":%q,"webhook_url":%q}`, group, i, to, e.receiver.url))
		if len(items) == 50 || i == n-1 {
			status, answer := e.ask(http.MethodPost, "/v1/payout", "["+strings.Join(items, ",")+"]")
			require.Equal(e, http.StatusOK, status, answer)
			items = nil
		}
	}
}

// allInRedis reports whether the relay has rung the job of every open payout, and its task is in Redis.
func (e *deployment) allInRedis(queues *asynq.Inspector) bool {
	e.Helper()
	must(e.T, e.control.SAdd(e.Context(), "asynq:queues", string(tasks.Signing)).Err()) // a client names its queues once
	waiting, err := queues.ListPendingTasks(string(tasks.Signing), asynq.PageSize(1000))
	must(e.T, err)
	in := map[tasks.Job]bool{}
	for _, task := range waiting {
		jobs, err := tasks.ParseTask(asynq.NewTask(task.Type, task.Payload))
		must(e.T, err)
		for _, job := range jobs {
			in[job] = true
		}
	}
	var open []struct {
		Ref     uuid.UUID
		Attempt int
	}
	must(e.T, e.DB.NewRaw("select ref, attempt from jobs where kind = ?", tasks.BroadcastPayout).Scan(e.Context(), &open))
	for _, job := range open {
		if job.Attempt == 0 || !in[tasks.Job{Kind: tasks.BroadcastPayout, Ref: job.Ref, Attempt: job.Attempt}] {
			return false
		}
	}
	return len(open) > 0
}
