package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"causeway/internal/ops/admin"
	"causeway/internal/store"
)

// calm ends the faults, lets every client have its answer and every piece of work its end, and measures how long this
// takes.
func (t *torture) calm(ctx context.Context) error {
	for _, b := range t.books() {
		b.receiver.calm.Store(true)
		b.clearSky(ctx)
	}
	began := time.Now()
	for _, b := range t.books() {
		b.asking.Wait()
	}
	if t.soak {
		t.endRules(ctx)
	}
	answered := time.Since(began)
	began = time.Now()
	for _, b := range t.books() {
		b.settle(ctx, began)
	}
	say("the last client was answered after %v, all was done %v later", answered.Round(time.Second/10), time.Since(began).Round(time.Second/10))
	return ctx.Err()
}

// settle waits until every piece of work of these books has come to its end.
func (t *torture) settle(ctx context.Context, began time.Time) {
	limit, cancel := context.WithTimeout(ctx, 3*t.drain)
	defer cancel()
	for {
		open, err := t.undone(limit)
		if err == nil {
			err = errors.Join(t.approve(limit), t.planNow(limit))
		}
		if err == nil && len(open) == 0 {
			break
		}
		if t.drained = time.Since(began); t.drained > t.drain && err == nil && t.late == nil {
			t.late = open
		}
		if !wait(limit, 200*time.Millisecond) {
			say("%sit did not drain: %v %v", t.called(), open, err)
			break
		}
	}
	t.drained = time.Since(began)
}

// unfinished are the pieces of work still to come to an end.
var unfinished = []struct{ what, query string }{
	{"payouts", "select count(*) from payouts where status not in ('completed', 'refunded')"},
	{"signed transactions", "select count(*) from signed_transactions where state in ('signed', 'sent', 'mined') and payout_id not in (" + stranded + ")"},
	{"moves of the treasury", "select count(*) from treasury_moves where status in ('planned', 'signed', 'sent') and id not in (" + stranded + ")"},
	{"payins past their time", "select count(*) from payins where status = 'pending' and expires_at < now() + interval '1 minute'"},
	{"transfers", "select count(*) from transfers where status in ('seen', 'credited')"},
	{"payments on a chain without a transfer", `select count(*) from sandbox_transactions c where ` + byCustomers + ` and c.state in ('pending', 'mined')
		and not exists (select from transfers t where t.network = c.network and t.txid = c.txid and t.status in ('final', 'unclaimed'))`},
	{"jobs", "select count(*) from jobs where kind in ('payout.broadcast', 'webhook.deliver')"},
	{"deliveries", "select count(*) from deliveries where status = 'pending'"},
	{"networks followed late", `select count(*) from sandbox_networks n where n.height >
		(select max(height) + 20 from chain_blocks b where b.network = n.network)`},
}

// goneForAnHour lets the hour pass after which a transaction leaves out a deposit that a reorganisation dropped for good. Bytes that spend
// one may have been saved, and not sent, when the deposit was chosen to vanish.
const goneForAnHour = `update coins set moved_at = moved_at - interval '1 hour'
	where slot is not null and place > 0 and height is null and spent_by is null and moved_at between now() - interval '1 hour' and now() - interval '20 seconds'`

// undone returns the work still to be done. Failed deliveries wait for their next try by the schedule of addendum §11,
// for up to a day. Those in nobody's hands are tried now; a delivery is in hand for half a minute at most.
func (t *torture) undone(ctx context.Context) (open []string, err error) {
	const now = `update jobs j set run_at = now() from deliveries d where j.kind = 'webhook.deliver' and j.ref = d.id
		and d.attempts > 0 and j.run_at > now() + interval '31 seconds' and j.last_error not like 'an earlier%'`
	if err := t.world.show(ctx); err != nil {
		return nil, err
	}
	res, err := t.db.NewRaw(now).Exec(ctx)
	if err != nil {
		return nil, err
	}
	if n, err := res.RowsAffected(); err == nil {
		t.tally.hurried.Add(n)
	}
	if _, err := t.db.NewRaw(goneForAnHour).Exec(ctx); err != nil {
		return nil, err
	}
	for _, u := range unfinished {
		var n int
		if err := t.db.NewRaw(u.query).Scan(ctx, &n); err != nil {
			return nil, err
		}
		if n > 0 {
			open = append(open, fmt.Sprintf("%d %s", n, u.what))
		}
	}
	return open, nil
}

// approve acts as the operator: it approves payouts of accounts in debt since a reversal. A payout waiting for another
// reason is left to wait, and the verdict finds it.
func (t *torture) approve(ctx context.Context) error {
	operator := &admin.Admin{Store: store.New(t.db), Actor: "torture"}
	waiting, err := operator.Waiting(ctx)
	if err != nil {
		return err
	}
	for i := range waiting {
		p := &waiting[i]
		if !p.Owes.Valid {
			continue
		}
		var refusal admin.Refusal
		switch _, err := operator.ApproveSealed(ctx, p.ID.String(), p.Seal); {
		case err == nil:
			t.tally.approved.Add(1)
		case !errors.As(err, &refusal): // a refusal: it was signed meanwhile
			return err
		}
	}
	return nil
}
