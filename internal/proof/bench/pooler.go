package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"causeway/internal/dev/devstack"
	"causeway/migrations"
)

// pooledSessions are PostgreSQL's for each role behind the pooler.
const pooledSessions = 20

// measurePooler is payouts through a pgbouncer in its transaction mode, beside the same without it.
func (b *bench) measurePooler() error {
	return errors.Join(b.measurePooledPayouts(), b.measurePooledCycle())
}

// pooler starts a pgbouncer before the arena's server, and returns the address of the arena's database for a role.
func (a *arena) pooler() (reach func(migrations.Role) string, stop func() error, err error) {
	var users []string
	for _, role := range []migrations.Role{migrations.APIRole, migrations.WorkersRole, migrations.SchedulerRole, migrations.OperatorRole} {
		name := migrations.RoleName(migrations.DefaultPrefix, role)
		if _, err := a.db.NewRaw("alter role " + name + " login").Exec(a.ctx); err != nil {
			return nil, nil, err
		}
		users = append(users, name)
	}
	between, err := devstack.StartPooler(a.ctx, devstack.Options{DataDir: filepath.Join(a.data, "between")},
		devstack.Pool{Server: a.stack.Postgres.SocketURL, Users: users, Sessions: pooledSessions})
	if err != nil {
		return nil, nil, err
	}
	return func(role migrations.Role) string {
		return "DATABASE_URL=" + between.URL(migrations.RoleName(migrations.DefaultPrefix, role), a.name)
	}, between.Stop, nil
}

func (b *bench) measurePooledPayouts() (err error) {
	a, err := b.arena("pooled")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	reach, stop, err := a.pooler()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	direct, err := a.start(nil, "api")
	if err != nil {
		return err
	}
	pooled, err := a.start([]string{reach(migrations.APIRole)}, "api")
	if err != nil {
		return err
	}
	for _, c := range []payoutCase{{clients: 64, merchants: many, items: 1}, {clients: 4, merchants: many, items: 50}} {
		r, err := a.inRounds(func() (float64, error) {
			r, err := a.payoutsAt(direct, c)
			return r.measured, err
		}, func() (row, error) { return a.payoutsAt(pooled, c) })
		if err := errors.Join(err, a.analyse()); err != nil {
			return err
		}
		r.what += ", by pgbouncer, beside without"
		a.table.add(r)
	}
	return nil
}

// payoutsAt measures a case at one api.
func (a *arena) payoutsAt(api *role, c payoutCase) (row, error) {
	var m *meter
	l := a.payoutLoad(api.address, c.clients, c.merchants, c.items, "http://127.0.0.1:9/hook")
	l.started = func() { m = a.meter(api) }
	done, err := l.run()
	r := row{what: c.name(), measured: done.rate * float64(c.items), unit: c.unit(), p50: done.p50, p99: done.p99}
	if err == nil {
		r.cpu = m.each(float64(done.count * c.items))
	}
	return r, err
}

// measurePooledCycle is payouts from request to completed, first without a pooler.
func (b *bench) measurePooledCycle() error {
	var direct float64
	for _, pooled := range []bool{false, true} {
		r, err := b.cycleBy(pooled)
		if err != nil {
			return err
		}
		if !pooled {
			direct = r.measured
			continue
		}
		r.what, r.beside, r.bar = r.what+", by pgbouncer, beside without", direct, 0
		b.table.add(r)
	}
	return nil
}

func (b *bench) cycleBy(pooled bool) (r row, err error) {
	a, err := b.arena(fmt.Sprintf("cycle_%t", pooled))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	c := &cycle{arena: a}
	if pooled {
		reach, stop, err := a.pooler()
		if err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, stop()) }()
		c.reach = reach
	}
	to, err := newReceivers(0, func() {})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, to.close()) }()
	if err := c.startRoles(); err != nil {
		return r, err
	}
	err = c.during(to, func() error {
		r, err = c.measure(1)
		return err
	})
	return r, err
}
