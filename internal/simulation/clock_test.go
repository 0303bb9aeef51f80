package simulation

import (
	"context"
	"time"

	"github.com/uptrace/bun"
)

// clockSQL gives the database a clock that stands still until it is moved: every now() in a statement or function means
// it. It starts at noon, so that no run crosses midnight by accident. Defaults of columns keep the real time, by which
// rows are only ordered. Beside it, the world notes what was paid in time.
const clockSQL = `create schema sim;
create table sim.clock (at timestamptz not null);
insert into sim.clock values (date_trunc('day', pg_catalog.now(), 'UTC') + interval '12 hours');
create table sim.paid_in_time (payin_id uuid, network text, txid text, primary key (payin_id, network, txid));
create function sim.now() returns timestamptz language sql stable as 'select at from sim.clock'`

// clock is the database's time.
type clock struct{ db *bun.DB }

// pass lets time go by.
func (c clock) pass(d time.Duration) error {
	_, err := c.db.NewRaw("update sim.clock set at = at + ? * interval '1 microsecond'", d.Microseconds()).Exec(context.Background())
	return err
}

func (c clock) now() (at time.Time, err error) {
	err = c.db.NewRaw("select at from sim.clock").Scan(context.Background(), &at)
	return at, err
}
