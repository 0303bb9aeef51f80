package main

import (
	"flag"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
)

var alone = flag.Bool("alone", false, "the machine does nothing else: TestADeadReceiverSlowsNoOther requires the bar of docs/reliability.md")

// Of the deliveries beside a dead receiver, 99 % leave within othersWithin of their commit on a machine of its own (the
// bar), and within othersWithinBusy on one running other tests. Where others wait for the dead receiver, half of them take
// ten seconds.
const (
	othersWithin     = 2 * time.Second
	othersWithinBusy = 10 * time.Second
	halfWithinBusy   = 4 * time.Second
)

// TestADeadReceiverSlowsNoOther queues 10,000 deliveries to a receiver taking connections and never answering. Until every
// one of them has had its turn, and for a hundred deliveries afterwards, deliveries to another receiver leave about as soon
// after their commit as before.
func TestADeadReceiverSlowsNoOther(t *testing.T) {
	t.Parallel()
	e := newDeployment(t)
	before := e.deliver(100, func() bool { return true })
	dead := "http://" + silence(t) + "/hook"
	e.Exec(`with d as (
			insert into deliveries (id, merchant_id, subject, event, url, body) select gen_random_uuid(), ?, gen_random_uuid(), 'payment_processed', ?, '{}'
			from generate_series(1, 10000) returning id)
		insert into jobs (kind, ref, run_at) select 'webhook.deliver', id, now() from d`, e.shop, dead)
	after := 0 // deliveries since the last of the 10,000 had its turn
	during := e.deliver(100, func() bool {
		if after == 0 && e.waitForTheirTurn(dead) {
			return false
		}
		after++
		return after > 100
	})
	t.Logf("commit to first attempt: %d before: median %v, 99 %% %v; %d beside 10,000 to a dead receiver: median %v, 99 %% %v",
		len(before), share(before, 50), share(before, 99), len(during), share(during, 50), share(during, 99))
	half, most := halfWithinBusy, othersWithinBusy
	if *alone {
		half, most = othersWithin, othersWithin
	}
	require.Less(t, share(during, 50), half)
	require.Less(t, share(during, 99), most)
}

// waitForTheirTurn reports whether a delivery to an address has not been taken and given back yet.
func (e *deployment) waitForTheirTurn(address string) (some bool) {
	e.Helper()
	must(e.T, e.DB.NewRaw(`select exists (select from jobs j join deliveries d on d.id = j.ref
		where j.kind = 'webhook.deliver' and j.attempt < 2 and d.url = ?)`, address).Scan(e.Context(), &some))
	return some
}

// share returns the time longer than so many per cent of the times.
func share(times []time.Duration, percent int) time.Duration {
	slices.Sort(times)
	return times[len(times)*percent/100].Round(time.Millisecond)
}

// silence is the address of a server taking connections and never saying anything.
func silence(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String() // the kernel takes them; nobody reads
}

// deliver sends webhooks as a worker does, at least so many and until enough, and returns how long each took from its
// commit to its receiver.
func (e *deployment) deliver(least int, enough func() bool) (took []time.Duration) {
	e.Helper()
	options, err := redis.ParseURL(e.redis.URL)
	require.NoError(e, err)
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	bell, s := tasks.NewBell(client), store.New(e.DB)
	committed := map[uuid.UUID]time.Time{}
	for len(committed) < least || !enough() {
		d := pay.Delivery{ID: uuid.New(), MerchantID: uuid.MustParse(e.shop), Subject: uuid.New(), Event: "payment_processed",
			URL: e.receiver.url, Body: []byte("{}")}
		must(e.T, s.InTx(e.Context(), func(tx *store.Store) error {
			if err := tx.AddDeliveries(e.Context(), []pay.Delivery{d}); err != nil {
				return err
			}
			return tx.AddJobs(e.Context(), string(tasks.DeliverWebhook), []uuid.UUID{d.ID}, tasks.RingDelay)
		}))
		committed[d.ID] = time.Now()
		must(e.T, bell.Ring(e.Context(), tasks.Job{Kind: tasks.DeliverWebhook, Ref: d.ID}))
		<-time.After(20 * time.Millisecond)
	}
	for id, at := range committed {
		var came time.Time
		testkit.Eventually(e, time.Minute, func() bool {
			e.receiver.mu.Lock()
			defer e.receiver.mu.Unlock()
			came = e.receiver.at[id.String()]
			return !came.IsZero()
		}, "a delivery")
		took = append(took, came.Sub(at))
	}
	return took
}
