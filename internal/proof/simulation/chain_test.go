package simulation

import (
	"context"
	"strings"

	"github.com/uptrace/bun/dialect/pgdialect"
)

// mine adds blocks to a network.
func (w *world) mine() {
	name, blocks := w.network(), 1+w.random.IntN(3)
	w.mineOn(name, blocks)
}

func (w *world) mineOn(name string, blocks int) {
	height, err := w.chain.Mine(context.Background(), name, blocks)
	w.must(err)
	w.trace("%s is at %d", name, height)
	w.noteInTime(name)
}

// noteInTime remembers the payins paid in full, before their time is over, in a block of their network.
func (w *world) noteInTime(network string) {
	_, err := w.db.NewRaw(`insert into sim.paid_in_time select p.id, x.network, x.txid from payins p join sandbox_transactions x
			on x.network = p.network and x.recipient = p.wallet and x.token = p.token and x.memo = coalesce(p.memo, '') and x.state = 'mined'
		where p.network = ? and p.wallet_id is null and p.status = 'pending' and p.expires_at > now() and x.amount * 100 >= p.amount * p.minimum_payment
		on conflict do nothing`, network).Exec(context.Background())
	w.must(err)
}

// forgetInTime forgets this for payments leaving their chain or doing something else.
func (w *world) forgetInTime(network string, txids ...string) {
	_, err := w.db.NewRaw("delete from sim.paid_in_time where network = ? and txid = any(?)", network,
		pgdialect.Array(append([]string{}, txids...))).Exec(context.Background())
	w.must(err)
}

// reorganise replaces 1 to 50 blocks of a network, and drops some of the transactions in them or in the mempool.
func (w *world) reorganise() {
	name := w.network()
	depth := 1 + w.random.IntN(6)
	switch {
	case w.shallow:
		depth = 1 + w.random.IntN(3)
	case w.chance(25):
		depth = 1 + w.random.IntN(50)
	}
	w.undone = w.undone || depth > 3
	var there []struct {
		Txid string
		Ours bool
	}
	err := w.db.NewRaw(`select txid, nonce is not null as ours from sandbox_transactions t join sandbox_networks n using (network)
		where network = ? and (t.height > n.height - ? or t.state = 'pending')
		and not exists (select from sandbox_spent s where t.nonce is null and s.network = t.network and s.coin = t.txid || ':' || t.place) order by seq`, name, depth).Scan(context.Background(), &there)
	w.must(err)
	var drop []string
	for _, t := range there {
		if w.chance(30) && !(t.Ours && w.rejects) {
			drop = append(drop, t.Txid)
		}
	}
	w.forgetInTime(name, drop...)
	if w.chance(30) {
		for _, t := range there {
			w.forgetInTime(name, t.Txid)
		}
		if name != "Bitcoin" { // an id of coins says all that a transaction does
			w.otherwise(name, depth)
		}
	}
	height, err := w.chain.Reorg(context.Background(), name, depth, drop...)
	w.must(err)
	w.trace("%s reorganises by %d to %d and drops %d", name, depth, height, len(drop))
}

// otherwise has payments in the newest blocks do something else when they are mined again, as payments of contracts
// may: half of them move another amount, and the others go to the recipient of the payment before them.
func (w *world) otherwise(name string, depth int) {
	const moved = `with undone as (
			select t.ctid as at, t.token, t.recipient_match as old, t.amount as held, n.coin, t.beside - t.cost as along,
				case when seq % 2 = 0 then t.beside / 2 else t.beside end as beside, case when seq % 2 = 0 then t.cost / 2 else t.cost end as cost,
				case when seq % 2 = 0 then amount / 2 else amount end as amount,
				case when seq % 2 = 0 then recipient else lag(recipient, 1, recipient) over (order by seq) end as recipient,
				case when seq % 2 = 0 then recipient_match else lag(recipient_match, 1, recipient_match) over (order by seq) end as match,
				case when seq % 2 = 0 then memo else lag(memo, 1, memo) over (order by seq) end as memo
			from sandbox_transactions t join sandbox_networks n using (network)
			where t.network = ?0 and t.height > n.height - ?1 and t.nonce is null),
		holdings as (
			insert into sandbox_holdings as h (network, address, token, amount)
			select ?0, address, token, sum(amount) from (
				select old as address, token, -held as amount from undone union all select match, token, amount from undone
				union all select old, coin, -along from undone union all select match, coin, beside - cost from undone) x group by 2, 3
			on conflict (network, address, token) do update set amount = h.amount + excluded.amount)
		update sandbox_transactions t set amount = u.amount, beside = u.beside, cost = u.cost, recipient = u.recipient, recipient_match = u.match, memo = u.memo
		from undone u where t.ctid = u.at`
	res, err := w.db.NewRaw(moved, name, depth).Exec(context.Background())
	w.must(err)
	n, err := res.RowsAffected()
	w.must(err)
	w.trace("%d payments on %s will do something else", n, name)
}

// faults sets or clears the faults of a network.
func (w *world) faults() {
	name := w.network()
	if w.chance(40) {
		_, err := w.chain.ClearFaults(context.Background(), name)
		w.must(err)
		w.trace("%s is well", name)
		return
	}
	fault := pick(w, []string{"broadcast=timeout", "broadcast=timeout-after-send", "broadcast=timeout-after-send", "broadcast=down",
		"broadcast=copied", "scan=down", "lose=20", "lose=60"})
	if w.rejects && w.chance(30) {
		fault = "broadcast=reject"
	}
	key, value, _ := strings.Cut(fault, "=")
	_, err := w.chain.SetFaults(context.Background(), name, map[string]string{key: value})
	w.must(err)
	w.trace("%s: %s", name, fault)
}

// age makes our transactions in the mempool of one network older than its patience.
func (w *world) age() {
	name := w.network()
	_, err := w.db.NewRaw(`update signed_transactions set sent_at = now() - interval '2000 hours' where network = ? and state = 'sent' and sent_at is not null`, name).Exec(context.Background())
	w.must(err)
	w.trace("what was sent on %s has grown old", name)
}
