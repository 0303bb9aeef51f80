package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// storm is the time of asking clients, paying customers, and faults everywhere.
func (t *torture) storm(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, t.duration)
	defer cancel()
	began := time.Now()
	var all sync.WaitGroup
	for _, b := range t.books() {
		b.receiver.calm.Store(t.soak)
		for _, actor := range append(b.breakers(), b.askPayouts, b.askPayins, b.askRefunds, b.payWallets, b.lookAfter, b.tell) {
			all.Go(func() { actor(ctx) })
		}
	}
	for _, actor := range t.destroyers(cancel) {
		all.Go(func() { actor(ctx) })
	}
	all.Wait()
	for _, b := range t.books() {
		b.stormed = time.Since(began)
		b.insist(context.WithoutCancel(ctx), func(ctx context.Context) error {
			return b.db.NewRaw("select count(*) from payouts where status = 'completed'").Scan(ctx, &b.meanwhile)
		})
	}
	say("the storm is over: %d kills, %d payouts completed", t.tally.kills.Load(), t.meanwhile)
}

// breakers disturb one set of books.
func (t *torture) breakers() []func(context.Context) {
	if t.soak {
		return nil
	}
	return []func(context.Context){t.cancelPayouts, t.loseAnswers, t.reorganise}
}

// destroyers disturb the whole installation. In a soak somebody only watches it.
func (t *torture) destroyers(enough context.CancelFunc) []func(context.Context) {
	if t.soak {
		return []func(context.Context){t.watch}
	}
	return []func(context.Context){
		func(ctx context.Context) { t.killRoles(ctx, enough) }, func(ctx context.Context) { t.killPrimary(ctx, enough) },
		t.flushRedis, t.stopRedis, t.crashPostgres, t.crashPooler, t.roll,
	}
}

// killRoles ends one role after another as a power cut does, and the storm after so many of them.
func (t *torture) killRoles(ctx context.Context, enough context.CancelFunc) {
	c := t.chance("kills")
	for wait(ctx, c.around(t.kill)) {
		age, killed := pick(c, t.roles).kill()
		if !killed {
			continue
		}
		if age < infancy {
			t.tally.infants.Add(1)
		}
		if n := t.tally.kills.Add(1); n == t.kills {
			enough()
		}
	}
}

// infancy is how long a role may take until it works.
const infancy = 500 * time.Millisecond

// flushRedis makes Redis forget everything.
func (t *torture) flushRedis(ctx context.Context) {
	c := t.chance("flushes")
	for wait(ctx, c.around(t.flush)) {
		if err := t.redisCommand(ctx, "FLUSHALL"); err == nil {
			t.tally.flushes.Add(1)
		}
	}
}

// stopRedis stops Redis, in order or at once, for a moment or for so long that the workers go on without it.
func (t *torture) stopRedis(ctx context.Context) {
	c := t.chance("redis")
	for wait(ctx, c.around(t.redis)) {
		stop := t.stack.Redis.Stop
		if c.in(50) {
			stop = t.stack.Redis.Crash
		}
		away := c.between(0, 3*time.Second)
		if c.in(30) {
			away = c.between(12*time.Second, 20*time.Second)
		}
		began := time.Now()
		if err := stop(); err != nil {
			panic(err)
		}
		wait(ctx, away)
		t.mustRestart(ctx, "Redis", t.stack.RedisURL, t.stack.Redis.Restart, func() string { return t.stack.Redis.URL })
		t.tally.redisStops.Add(1)
		t.tally.redisAway.Add(int64(time.Since(began)))
	}
}

// crashPostgres ends PostgreSQL at once and starts it again.
func (t *torture) crashPostgres(ctx context.Context) {
	if t.cluster != nil {
		return
	}
	c := t.chance("postgres")
	for wait(ctx, c.around(t.postgres)) {
		began := time.Now()
		if err := t.stack.Postgres.Crash(); err != nil {
			panic(err)
		}
		wait(ctx, c.between(0, 2*time.Second))
		t.mustRestart(ctx, "PostgreSQL", t.stack.DatabaseURL, t.stack.Postgres.Restart, func() string { return t.stack.Postgres.URL })
		t.tally.postgresCrashes.Add(1)
		t.tally.postgresAway.Add(int64(time.Since(began)))
	}
}

// mustRestart starts a server again where it was, even when ctx has ended: without it this run says nothing.
func (t *torture) mustRestart(ctx context.Context, name, was string, restart func(context.Context) error, is func() string) {
	if err := restart(context.WithoutCancel(ctx)); err != nil {
		panic(fmt.Sprintf("%s does not start again: %v", name, err))
	}
	if is() != was {
		panic(name + " came back at another address: another program took its port")
	}
}

// cancelPayouts asks for payouts to be stopped, as the operator may at any time.
func (t *torture) cancelPayouts(ctx context.Context) {
	c := t.chance("cancels")
	for wait(ctx, c.around(2*time.Second)) {
		t.book.mu.Lock()
		var id string
		if n := len(t.book.orders); n > 0 {
			id = t.book.orders[n-1-c.below(min(n, 10))].id
		}
		t.book.mu.Unlock()
		if id != "" && t.command(ctx, nil, "admin", "payout", "cancel", id) == nil {
			t.tally.cancels.Add(1)
		}
	}
}

// tell says every half minute how far it is.
func (t *torture) tell(ctx context.Context) {
	for wait(ctx, 30*time.Second) {
		t.book.mu.Lock()
		orders, bills := len(t.book.orders), len(t.book.bills)
		t.book.mu.Unlock()
		var open, done, stopped int
		row := t.db.NewRaw(`select count(*) filter (where status in ('queued', 'signed', 'sent')), count(*) filter (where status = 'completed'),
			(select count(*) from stopped_assets) + (select count(*) from stopped_wallets where forgotten_at is null) + (select count(*) from followers where halted) from payouts`)
		if err := row.Scan(ctx, &open, &done, &stopped); err != nil {
			continue // it is down
		}
		say("%s%d kills, %d payouts asked (%d open, %d completed), %d payins", t.called(), t.tally.kills.Load(), orders, open, done, bills)
		if stopped > 0 {
			say("%d assets, wallets or networks are stopped", stopped)
		}
	}
}
