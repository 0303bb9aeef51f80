package main

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"causeway/internal/dev/devstack"
	"causeway/migrations"
)

// sessions are those of PostgreSQL for each role. A role opens more connections than that.
const sessions = 4

// pool puts a pgbouncer before the migrated database, where it is asked for, and lets the roles log in.
func (t *torture) pool(ctx context.Context) (err error) {
	if !t.pooled {
		return nil
	}
	var users []string
	for _, role := range []migrations.Role{migrations.APIRole, migrations.WorkerRole, migrations.SignerRole, migrations.SchedulerRole,
		migrations.OperatorRole} {
		name := migrations.RoleName(migrations.DefaultPrefix, role)
		if _, err := t.db.NewRaw("alter role " + name + " login").Exec(ctx); err != nil {
			return err
		}
		users = append(users, name)
	}
	t.between, err = devstack.StartPooler(ctx, devstack.Options{DataDir: filepath.Join(t.data, "between")},
		devstack.Pool{Server: t.stack.Postgres.SocketURL, Users: users, Sessions: sessions})
	if err != nil {
		return err
	}
	way, err := url.Parse(t.between.URL(users[0], ""))
	for _, b := range t.books() {
		b.between, b.way = t.between, *way
	}
	return err
}

// reach is the address of a database for a role: by the pooler and as the role itself, where there is one. "" is its owner, past it.
func (t *torture) reach(role migrations.Role, address string) string {
	if t.between == nil || role == "" {
		return address
	}
	past, err := url.Parse(address)
	if err != nil {
		panic(err) // our own server's
	}
	by := t.way
	by.User, by.Path = url.User(migrations.RoleName(migrations.DefaultPrefix, role)), past.Path
	return by.String()
}

// crashPooler ends pgbouncer at once and starts it again.
func (t *torture) crashPooler(ctx context.Context) {
	if t.between == nil {
		return
	}
	c := t.chance("pooler")
	for wait(ctx, c.around(t.pooler)) {
		if err := t.between.Crash(); err != nil {
			panic(err)
		}
		wait(ctx, c.between(0, time.Second))
		if err := t.between.Restart(context.WithoutCancel(ctx)); err != nil {
			panic(fmt.Sprintf("pgbouncer does not start again: %v", err))
		}
		t.tally.poolerCrashes.Add(1)
	}
}
