package main

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"causeway/migrations"
)

const (
	cycleClients = 2
	cycleBatch   = 50
	cycleOpen    = 20000            // payouts under way at most
	cycleWarmUp  = 8 * time.Second  // a payout is final four blocks of a second after it was sent
	cycleDrain   = 90 * time.Second // for everything still open at the end
)

// cycle is payouts from request to completed and told, through every role.
type cycle struct {
	*arena
	reach     func(migrations.Role) string // nil: as the arena's roles do
	api       *role
	worker    *role
	created   atomic.Int64
	completed atomic.Int64
	ended     atomic.Bool
}

// measureCycle runs every role as a process of its own, on blocks of a second.
func (b *bench) measureCycle() (err error) {
	a, err := b.arena("cycle")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	noops, err := a.noop()
	if err != nil {
		return err
	}
	c := &cycle{arena: a}
	to, err := newReceivers(0, func() {})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.close()) }()
	if err := c.startRoles(); err != nil {
		return err
	}
	var r row
	err = c.during(to, func() error {
		r, err = c.measure(noops)
		return err
	})
	if err != nil {
		return err
	}
	b.table.add(r)
	return c.measureBytes(to)
}

// during has payouts created while work goes on.
func (c *cycle) during(to *receivers, work func() error) error {
	c.ended.Store(false)
	failures := c.create(to)
	err := work()
	c.ended.Store(true)
	for range cycleClients {
		err = errors.Join(err, <-failures)
	}
	return err
}

func (c *cycle) startRoles() (err error) {
	if c.api, err = c.start(c.by(migrations.APIRole), "api"); err != nil {
		return err
	}
	if c.worker, err = c.start(c.by(migrations.WorkersRole), "worker"); err != nil {
		return err
	}
	_, err = c.start(c.by(migrations.SchedulerRole), "scheduler")
	return err
}

// by is the way of a role to its database, where it is not the arena's.
func (c *cycle) by(role migrations.Role) []string {
	if c.reach == nil {
		return nil
	}
	return []string{c.reach(role)}
}

// create asks for payouts while not too many are open.
func (c *cycle) create(to *receivers) chan error {
	failures := make(chan error, cycleClients)
	for i := range cycleClients {
		go func() { failures <- c.client(i, to) }()
	}
	return failures
}

func (c *cycle) client(number int, to *receivers) error {
	connection, err := dial(c.api.address)
	if err != nil {
		return err
	}
	defer connection.close()
	for n := 0; !c.ended.Load(); n++ {
		if c.created.Load()-c.completed.Load() > cycleOpen {
			wait(10 * time.Millisecond)
			continue
		}
		key := c.people.keys[c.people.of(many, number*131+n)]
		status, body, err := connection.do(post("/v1/payout", key, batchBody(cycleBatch, to.url(n))))
		if err != nil || status != 200 {
			return errors.Join(err, fmt.Errorf("create payouts: %d %.300s", status, body))
		}
		c.created.Add(cycleBatch)
	}
	return nil
}

// measure looks at how many more are completed in a time.
func (c *cycle) measure(noops float64) (row, error) {
	length := max(2*c.slot, 4*time.Second)
	for range 2 {
		if _, err := c.watch(cycleWarmUp / 2); err != nil {
			return row{}, err
		}
		if err := c.analyse(); err != nil {
			return row{}, err
		}
	}
	m := c.meter(c.roles...)
	start := time.Now()
	profiled := c.profile(c.worker, "cycle-worker")
	n, err := c.watch(length)
	if err := errors.Join(err, profiled()); err != nil {
		return row{}, err
	}
	return row{what: "payouts from request to completed, sustained", measured: float64(n) / time.Since(start).Seconds(), unit: "payouts/s",
		beside: noops, bar: 0.25, cpu: m.each(float64(max(n, 1)))}, nil
}

// completedNow adds up the service's own counts: this takes much less than counting the payouts.
const completedNow = `select coalesce(sum(n), 0) from (
	select n from list_counts_by_month where list = 'payouts' and status = 'completed'
	union all
	select n from list_changes where list = 'payouts' and status = 'completed') counted`

// watch counts the completed payouts again and again, and returns how many came in this time.
func (c *cycle) watch(length time.Duration) (int64, error) {
	first := c.completed.Load()
	for end := time.Now().Add(length); time.Now().Before(end); {
		wait(250 * time.Millisecond)
		var n int64
		if err := c.db.NewRaw(completedNow).Scan(c.ctx, &n); err != nil {
			return 0, err
		}
		c.completed.Store(n)
	}
	return c.completed.Load() - first, nil
}
