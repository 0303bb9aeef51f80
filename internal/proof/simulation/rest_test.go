package simulation

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"causeway/tasks"
)

// rest ends all faults and works until nothing is open any more, or names the work without an end.
func (w *world) rest() {
	for len(w.stopped) > 0 {
		points := -1
		if w.chance(50) {
			points = die
		}
		w.proceed(0, points)
	}
	w.bell.away, w.receiver.status = false, http.StatusOK
	w.relieve()
	w.bell.tasks = nil // and Redis is empty
	for i := range w.relays {
		w.relays[i] = w.newRelay()
	}
	for _, name := range networks {
		_, err := w.chain.ClearFaults(context.Background(), name)
		w.must(err)
	}
	w.trace("everything comes to rest")
	for range 60 {
		for _, name := range networks {
			w.mineOn(name, 4) // the first of them is final
		}
		w.must(w.clock.pass(31 * time.Second))
		w.resume()
		w.round()
		w.decide(0)
		w.supply()
		w.round()
		if w.t.Failed() || w.quiet() {
			return
		}
		w.must(w.clock.pass(time.Hour)) // past the expiry of every payin and most delays
		w.round()
	}
	w.requireNothing("it never came to rest", openSQL)
}

// round rings and works on due jobs until nothing is due.
func (w *world) round() {
	for range 6 {
		_, err := w.nextRelay().RingDue(context.Background())
		w.must(err)
		if len(w.bell.tasks) == 0 {
			return
		}
		due := w.bell.tasks
		w.bell.tasks = nil
		slices.SortFunc(due, func(x, y tasks.Job) int { return cmp.Compare(x.ID(), y.ID()) })
		for _, j := range due {
			w.attempt(j, -1, -1)
		}
	}
}

// openSQL finds unfinished work.
const openSQL = `select 'payout ' || status || coalesce(': ' || (select last_error from jobs where ref = p.id), '') from payouts p where status not in ('completed', 'refunded')
	union all select 'payin ' || status from payins where status = 'pending'
	union all select 'transfer ' || status from transfers where status in ('seen', 'credited')
	union all select format('transaction %s: %s %s', state, purpose, (select last_error from jobs where ref = s.payout_id)) from signed_transactions s where state in ('signed', 'sent', 'mined') and not exists (select from sim.stranded where id = s.payout_id)
	union all select 'delivery ' || status from deliveries where status = 'pending'` + openMovesSQL

func (w *world) quiet() bool {
	var open []string
	w.must(w.db.NewRaw(openSQL).Scan(context.Background(), &open))
	return len(open) == 0
}
