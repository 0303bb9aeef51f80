package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// outages are the times without answers after each death of the primary.
type outages struct {
	mu       sync.Mutex
	last     time.Time     // a request was answered with 200
	longest  time.Duration // between two such answers, since the last death
	api      []time.Duration
	database []time.Duration // until a commit was confirmed again
	frozen   int             // deaths while nothing was confirmed
}

// answered notes a good answer of the API.
func (o *outages) answered() {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	if !o.last.IsZero() {
		o.longest = max(o.longest, now.Sub(o.last))
	}
	o.last = now
}

// died begins an outage.
func (o *outages) died() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last, o.longest = time.Now(), 0
}

// over ends an outage of the database, and waits for a good answer of the API after it.
func (o *outages) over(ctx context.Context, database time.Duration) {
	back := time.Now()
	for o.silentSince(back) && wait(ctx, 20*time.Millisecond) {
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.database, o.api = append(o.database, database), append(o.api, o.longest)
}

func (o *outages) silentSince(moment time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.last.After(moment)
}

func (o *outages) report(r *report) {
	r.Done["primary killed"], r.Done["primary killed while its standby was frozen"] = len(o.database), o.frozen
	for what, times := range map[string][]time.Duration{"no commit confirmed": o.database, "no good answer of the API": o.api} {
		if len(times) > 0 {
			sorted := slices.Sorted(slices.Values(times))
			r.Done[what+", median and longest"] = fmt.Sprintf("%.1fs, %.1fs", sorted[len(sorted)/2].Seconds(), sorted[len(sorted)-1].Seconds())
		}
	}
}

const (
	inStepWithin = 3 * time.Minute // a killed database comes back as a replica
	frozenFor    = 8 * time.Second // longer than a request waits for its first commit, and shorter than for all (api/recorder_write.go)
	frozenEach   = 3               // of these deaths
)

// killPrimary ends the primary and its Patroni again and again, as when its machine dies, and the storm after so many times. Now and
// then its standby has been frozen for a while: commits are there, and the standby, started again, has not seen them. The next death comes only once the
// dead one is back as a replica: two at once are more than three databases are for.
func (t *torture) killPrimary(ctx context.Context, enough context.CancelFunc) {
	if t.cluster == nil {
		return
	}
	c := t.chance("failovers")
	for n := 1; wait(ctx, c.between(3*time.Second, 8*time.Second)); n++ {
		must(t.failOver(ctx, n%frozenEach == 0))
		if err := t.cluster.Await(ctx, inStepWithin); ctx.Err() == nil {
			must(err)
		}
		if n == t.failovers {
			enough()
		}
	}
}

// must ends a run that says nothing any more.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// failOver is one death, until the dead one is started again.
func (t *torture) failOver(ctx context.Context, frozen bool) error {
	primary, standby := t.cluster.Primary(ctx), t.cluster.Standby(ctx)
	if frozen {
		if err := t.cluster.Freeze(standby); err != nil {
			return err
		}
		t.outages.frozen++
		wait(ctx, frozenFor)
	}
	t.outages.died()
	died := time.Now()
	if err := t.cluster.Kill(primary); err != nil {
		return err
	}
	if frozen {
		if err := t.cluster.Restart(standby); err != nil {
			return err
		}
	}
	t.awaitCommit(ctx)
	t.outages.over(ctx, time.Since(died))
	say("%s was killed, %s is the primary, and the API answers after %v", primary, t.cluster.Primary(ctx), time.Since(died).Round(time.Second/10))
	return t.cluster.Return(primary)
}

// awaitCommit waits until a commit is confirmed.
func (t *torture) awaitCommit(ctx context.Context) {
	try := func() bool {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		_, err := t.db.NewRaw("select pg_logical_emit_message(true, 'torture', 'are you there')").Exec(ctx)
		return err == nil
	}
	for !try() && wait(ctx, 50*time.Millisecond) {
	}
}
