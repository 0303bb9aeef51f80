package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/tasks"
)

// deliveryBody is of the size of a real one.
var deliveryBody = []byte(`{"event":"payment_processed","data":{"padding":"` + strings.Repeat("x", 850) + `"}}`)

// measureWebhooks is one worker process sending, signing and recording due deliveries.
func (b *bench) measureWebhooks() (err error) {
	for _, delay := range []time.Duration{0, 50 * time.Millisecond} {
		if err := b.measureDeliveries(delay); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) measureDeliveries(delay time.Duration) (err error) {
	a, err := b.arena("webhooks")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	beside := a.noop
	if delay > 0 {
		beside = func() (float64, error) { return 1, nil } // the bar is a rate
	}
	r, err := b.inRounds(beside, func() (row, error) { return a.deliver(delay) })
	if err != nil {
		return err
	}
	if delay > 0 {
		r.beside, r.atLeast = 0, 3000
	}
	b.table.add(r)
	return nil
}

// deliver rings fresh deliveries and lets a worker at them.
func (a *arena) deliver(delay time.Duration) (r row, err error) {
	n := a.many(4000)
	c := newCounter(n)
	to, err := newReceivers(delay, c.hit)
	if err != nil {
		return row{}, err
	}
	defer func() { err = errors.Join(err, to.close()) }()
	if err := a.addDeliveries(n, to); err != nil {
		return row{}, err
	}
	if err := a.analyse(); err != nil {
		return row{}, err
	}
	worker, err := a.start(nil, "worker", "--queues", "webhooks")
	if err != nil {
		return row{}, err
	}
	m := a.meter(worker)
	profiled := a.profile(worker, fmt.Sprintf("webhooks-%d", delay.Milliseconds()))
	r = row{what: "webhook deliveries, receivers that answer at once", unit: "deliveries/s", bar: 0.5}
	if delay > 0 {
		r.what, r.bar = fmt.Sprintf("webhook deliveries, receivers that take %v", delay), 0
	}
	r.measured = c.rate(a.slot)
	r.cpu = m.each(float64(c.n))
	err = profiled()
	a.stop(worker)
	_, failed := a.db.NewRaw("truncate deliveries, failed_attempts; delete from jobs").Exec(a.ctx)
	return r, errors.Join(err, failed, a.redis.FlushDB(a.ctx).Err())
}

// addDeliveries records deliveries with their jobs, in an hour, and rings them now, together, as a follower does.
func (a *arena) addDeliveries(n int, to *receivers) error {
	const chunk = 1000
	bell := tasks.NewBell(a.redis)
	for first := 0; first < n; first += chunk {
		deliveries := make([]pay.Delivery, min(chunk, n-first))
		ids := make([]uuid.UUID, len(deliveries))
		for i := range deliveries {
			ids[i] = uuid.Must(uuid.NewV7())
			deliveries[i] = pay.Delivery{ID: ids[i], MerchantID: a.people.merchants[a.people.of(many, first+i)], Subject: uuid.Must(uuid.NewV7()),
				Event: pay.PaymentProcessed, URL: to.url(first + i), Body: deliveryBody}
		}
		err := errors.Join(a.store.AddDeliveries(a.ctx, deliveries), a.store.AddJobs(a.ctx, string(tasks.DeliverWebhook), ids, time.Hour))
		if err != nil {
			return err
		}
		jobs := make([]tasks.Job, len(ids))
		for i, id := range ids {
			jobs[i] = tasks.Job{Kind: tasks.DeliverWebhook, Ref: id}
		}
		if err := bell.Ring(a.ctx, jobs...); err != nil {
			return err
		}
	}
	return nil
}
