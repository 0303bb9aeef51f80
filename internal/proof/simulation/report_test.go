package simulation

import (
	"context"
	"hash/fnv"
	"strings"

	"causeway/tasks"
)

// digest is one number for everything in the past.
func (w *world) digest() uint64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(strings.Join(w.past, "\n")))
	return sum.Sum64()
}

// summary says in one line how a play has ended.
func (w *world) summary() string {
	var line string
	w.must(w.db.NewRaw(`select format('%s payouts (%s completed, %s refunded), %s payins, %s transfers, %s credits (%s final at once), %s reversals, %s deliveries in %s tries, %s transactions signed, %s for several payouts, %s dead; %s moves (%s sweeps, %s top-ups and %s to the cold address done, %s of them of coins, %s failed, %s cancelled)',
		(select count(*) from payouts), (select count(*) from payouts where status = 'completed'), (select count(*) from payouts where status = 'refunded'),
		(select count(*) from payins), (select count(*) from transfers),
		(select count(*) from entries where kind = 'payin_credited'),
		(select count(*) from postings p join accounts a on a.id = p.to_account where p.movement = 'DEPOSIT' and a.pocket = 'available'), (select count(*) from entries where kind = 'payin_reversed'),
		(select count(*) from deliveries), (select count(*) from delivery_attempts), (select count(*) from signed_transactions where place = 0),
		(select count(*) from signed_transactions where place = 1), (select count(*) from signed_transactions where state = 'expired'),
		(select count(*) from treasury_moves), (select count(*) from treasury_moves where kind = 'sweep' and status = 'done'),
		(select count(*) from treasury_moves where kind = 'topup' and status = 'done'), (select count(*) from treasury_moves where kind = 'cold' and status = 'done'),
		(select count(*) from treasury_moves where network = 'Bitcoin' and status = 'done'),
		(select count(*) from treasury_moves where status = 'failed'), (select count(*) from treasury_moves where status = 'cancelled'))`).Scan(context.Background(), &line))
	return line
}

// crowd is how many worker processes stood in the middle of a job at once, and how many of them were signers.
type crowd struct{ workers, signers int }

// see counts the stopped fibers. Each is a process of its own.
func (c *crowd) see(stopped []*fiber) {
	var now crowd
	for _, f := range stopped {
		kind, _, job := strings.Cut(f.name, "#")
		if job {
			now.workers++
		}
		if tasks.Specs[tasks.Kind(kind)].Queue == tasks.Signing {
			now.signers++
		}
	}
	c.workers, c.signers = max(c.workers, now.workers), max(c.signers, now.signers)
}

// pointsPassed counts the points passed by fibers.
func (w *world) pointsPassed() (n int) {
	for _, times := range w.passed {
		n += times
	}
	return n
}
