package simulation

import (
	"context"
	"slices"

	"github.com/google/uuid"
)

// rule is a rule with a query that finds its breaches.
type rule struct{ rule, query string }

// always are the rules for every moment, with any work under way; each query finds breaches of one.
var always = []rule{
	{"a balance is the sum of its postings", `
		with sums as (
			select a.merchant_id, p.asset, sum(case when (a.id = p.to_account) then p.amount else -p.amount end) filter (where a.pocket = 'available') as available,
				sum(case when (a.id = p.to_account) then p.amount else -p.amount end) filter (where a.pocket = 'locked') as locked
			from postings p join accounts a on a.id in (p.from_account, p.to_account) where a.merchant_id is not null group by 1, 2)
		select format('%s %s: %s, %s', b.merchant_id, b.asset, b.available, b.locked) from balances b left join sums s using (merchant_id, asset)
		where (b.available, b.locked) is distinct from (coalesce(s.available, 0), coalesce(s.locked, 0))`},
	{"what is signed and not sent has a nonce that signing looks from", `
		select t.txid from signed_transactions t join signing_nonces n using (network, address)
		where t.purpose not in ('cancel', 'void') and t.state = 'signed' and t.nonce < n.unsent_from`},
	{"the ledger adds up to nothing", `
		select asset from (
			select asset, sum(available + locked) as amount from balances group by asset
			union all
			select p.asset, sum(case when a.id = p.to_account then p.amount else -p.amount end)
			from postings p join accounts a on a.id in (p.from_account, p.to_account) where a.merchant_id is null group by 1) x
		group by asset having sum(amount) <> 0`},
	{"merchants have what was credited less what they paid out", `
		with credits as (
			select p.merchant_id, k.balance_key as asset, sum(t.credited - t.rate_fee - t.network_fee) as total,
				coalesce(sum(t.credited - t.rate_fee - t.network_fee) filter (where t.status = 'credited'), 0) as locked
			from transfers t join payins p on p.id = t.payin_id join tokens k on k.symbol = t.token and k.network = t.network
			where t.status in ('credited', 'final') group by 1, 2),
		debits as (select merchant_id, asset, sum(debit) as total from payouts where status <> 'refunded' group by 1, 2)
		select format('%s %s: %s and %s locked, not %s and %s', b.merchant_id, b.asset, b.available + b.locked, b.locked, coalesce(c.total, 0) - coalesce(d.total, 0), c.locked)
		from balances b left join credits c using (merchant_id, asset) left join debits d using (merchant_id, asset)
		where b.available + b.locked <> coalesce(c.total, 0) - coalesce(d.total, 0) or b.locked <> coalesce(c.locked, 0)`},
	{"fees are those of the contract", `
		select format('%s of %s: %s and %s', t.credited, t.amount, t.rate_fee, t.network_fee)
		from transfers t join payins p on p.id = t.payin_id join tokens k on k.symbol = t.token and k.network = t.network,
			lateral (select trunc(t.amount, k.precision) as credited) c, lateral (select trunc(c.credited * p.percent_rate / 100, k.precision) as rate) r
		where t.status in ('credited', 'final')
		and (t.credited, t.rate_fee, t.network_fee) is distinct from (c.credited, r.rate, greatest(0, least(
			case when (t.token, t.network) = (p.token, p.network) or not p.pays_network_fee then p.network_fee
				when k.fee_currency = k.symbol then k.network_fee else t.network_fee end, c.credited - r.rate)))`},
	{"what is held is what open payouts have debited", `
		select asset from (
			select asset, sum(debit) as amount from payouts where status in ('queued', 'signed', 'sent') group by 1
			union all
			select p.asset, sum(case when a.id = p.to_account then -p.amount else p.amount end)
			from postings p join accounts a on a.name = 'payouts:held' and a.id in (p.from_account, p.to_account) group by 1) x
		group by asset having sum(amount) <> 0`},
	{"each credit is undone before the next", `
		select subject from entries where kind in ('payin_credited', 'payin_reversed') group by subject
		having count(*) filter (where kind = 'payin_credited') - count(*) filter (where kind = 'payin_reversed')
			<> case when (select status from transfers where id = subject) in ('credited', 'final') then 1 else 0 end`},
	{"what came beside payments is booked as often as it was not undone", `
		select a.txid from asides a, lateral (
			select count(*) as times, coalesce(sum(case when f.name like 'outside:%' then p.amount else -p.amount end), 0) as booked
			from entries e join postings p on p.id between e.id * 16 and e.id * 16 + 15 join accounts f on f.id = p.from_account
			where e.subject = a.subject and e.kind = case when a.amount > 0 then 'beside_received' else 'cost_taken' end::entry_kind) b
		where b.times <> a.entries or b.booked <> case when a.height is null then 0 else a.amount end`},
	{"nothing is credited or final before the network's rule", `
		select format('%s at %s of %s', t.status, t.height, n.height) from transfers t join sandbox_networks n using (network)
		where t.status in ('credited', 'unclaimed', 'treasury') and t.height > n.height - 1 or t.status = 'final' and t.height > n.height - 3`},
	{"nothing is credited that is on no network", `
		select format('%s of %s', t.status, t.txid) from transfers t where t.status in ('credited', 'final', 'unclaimed', 'treasury')
		and not exists (select from sandbox_transactions x where x.network = t.network and x.txid = t.txid)`},
	{"a payout is on its network once at most", `
		select format('%s times to %s', count(*), recipient) from sim.payments where state in ('pending', 'mined')
		group by network, recipient having count(*) > 1`},
	{"what is on a network is a payout, with its amount", `
		select format('%s %s to %s', t.amount, t.token, t.recipient) from sim.payments t
		left join payouts p on p.network = t.network and p.wallet = t.recipient and p.token = t.token and p.amount = t.amount
		where p.id is null or t.sender_match not in (select address from sim.own where not cold)`},
	{"nothing of a refunded payout is on its network", `
		select format('%s %s to %s', t.amount, t.token, t.recipient) from sandbox_transactions t join payouts p on p.network = t.network and p.wallet = t.recipient
		where t.nonce is not null and t.amount > 0 and t.state in ('pending', 'mined') and p.status in ('failed', 'refunded')`},
	{"nothing of an account that owes is signed before somebody has approved it", `
		select format('%s %s', p.debit, p.asset) from sim.signed_for_debtors join payouts p on p.id = payout_id`},
	{"slots of an address have no gaps, each payout or move has one that is not dead, and no other has it but in a batch", `
		select format('%s: %s slots of %s from %s to %s, next %s, %s payouts and moves', s.network, count(distinct s.nonce), s.address, min(s.nonce), max(s.nonce), n.next,
			count(distinct s.payout_id))
		from signed_transactions s join signing_nonces n on n.network = s.network and n.address = s.address group by s.network, s.address, n.next
		having count(distinct s.nonce) <> max(s.nonce) - min(s.nonce) + 1 or n.next <> max(s.nonce) + 1
			or count(distinct s.payout_id) filter (where s.network <> 'Bitcoin' or s.state not in ('expired', 'rejected'))
				<> count(distinct (s.payout_id, s.nonce)) filter (where s.network <> 'Bitcoin' or s.state not in ('expired', 'rejected'))
			or s.network <> 'Bitcoin' and count(distinct s.payout_id) <> count(distinct s.nonce)`},
	{"no coin is leased twice", `
		select format('%s in %s slots', coin, count(distinct nonce)) from (
			select s.network, s.nonce, jsonb_array_elements_text(convert_from(s.raw, 'UTF8')::jsonb->'coins') as coin
			from signed_transactions s where s.network = 'Bitcoin' and s.place = 0 and s.state in ('signed', 'sent', 'mined', 'final')) c
		group by coin having count(distinct nonce) > 1`},
	{"each payout of a batch has one fate", `
		select format('%s is %s', txid, array_agg(distinct state)) from signed_transactions group by network, txid having count(distinct state) > 1
		union all
		select format('%s was completed by what does not pay it', p.id) from payouts p join signed_transactions t on t.network = p.network and t.txid = p.txid and t.payout_id = p.id
		where p.status = 'completed' and t.purpose <> 'pay'`},
	{"what is signed again follows a death, and the dead are on no network", `
		select format('%s is %s', t.txid, t.state) from signed_transactions t join signed_transactions later on later.network = t.network and later.nonce = t.nonce
			and later.address = t.address and later.signed_at > t.signed_at
		where t.network = 'Tron' and t.state not in ('expired', 'rejected') and t.sent_at < later.signed_at
		union all
		select format('%s is dead and %s', t.txid, x.state) from signed_transactions t join sandbox_transactions x on x.network = t.network and x.txid = t.txid
		where t.state = 'expired' and x.state in ('pending', 'mined')`},
	{"what is open has a job, or a transaction that the follower watches", `
		select 'payout ' || status from payouts p where status in ('queued', 'signed', 'sent')
		and not exists (select from jobs j where j.kind = 'payout.broadcast' and j.ref = p.id)
		and not exists (select from signed_transactions t where t.payout_id = p.id and t.state in ('sent', 'mined'))
		union all
		select 'delivery' from deliveries d where status = 'pending' and not exists (select from jobs j where j.kind = 'webhook.deliver' and j.ref = d.id)`},
	{"an event of a payout is told once, and the right one", `
		select format('%s: %s', p.status, array_agg(d.event order by d.seq)) from payouts p left join deliveries d on d.subject = p.id group by p.id, p.status
		having array_agg(d.event order by d.seq) is distinct from case p.status when 'completed' then array['payment_processed'] when 'refunded' then array['payment_failed'] else array[null] end`},
	{"nobody who paid all in time is told of a failure, however late that is seen", `
		select format('%s on %s', i.txid, i.network) from sim.paid_in_time i join deliveries d on d.subject = i.payin_id and d.event = 'payment_failed'`},
	{"events of a payin are told once, or once more after a reversal", `
		select format('%s: %s', p.status, array_agg(d.event order by d.seq)) from payins p join deliveries d on d.subject = p.id group by p.id, p.status
		having count(*) filter (where d.event = 'payment_detected') > 1 or count(*) filter (where d.event = 'payment_failed') - count(*) filter (where d.event = 'payment_reversed') > 1
		or count(*) filter (where d.event = 'payment_confirmed') - count(*) filter (where d.event = 'payment_reversed') > 1`},
}

// invariants checks every rule of always.
func (w *world) invariants() {
	for _, i := range slices.Concat(always, movesAlways) {
		w.requireNothing(i.rule, i.query)
	}
	w.noFalseAlarm()
}

// atRest are the rules for the time when nothing is open.
var atRest = []rule{
	{"every payout is paid or refunded", `select status from payouts where status not in ('completed', 'refunded')`},
	{"a completed payout is in a block once", `
		select format('%s %s to %s', p.amount, p.token, p.wallet) from payouts p where p.status = 'completed'
		and (select count(*) from sandbox_transactions t where t.network = p.network and t.recipient = p.wallet and t.nonce is not null and t.amount > 0 and t.state = 'mined') <> 1`},
	{"every payment to us that is in a block is known, and nothing else", `
		with paid as (
			select * from sandbox_transactions x where x.nonce is null and x.state = 'mined'
			and x.seq > (select max(seq) from sandbox_transactions where sender = x.sender and network = x.network and txid in (select txid from sandbox_transactions g where g.height = 1))),
		known as (select * from transfers where status in ('final', 'unclaimed') or status = 'ignored' and reason like '%worth less than 0.01 USD') -- dust at a fixed wallet
		select format('%s %s to %s and %s %s to %s', x.amount, x.token, x.recipient_match, t.amount, t.token, t.address) from paid x full join known t
		on t.network = x.network and t.txid = x.txid and t.token = x.token and t.address = x.recipient_match and t.memo = x.memo and t.amount = x.amount
		where x.txid is null or t.txid is null`},
	{"what came beside payments that are in blocks is booked, and nothing else", `
		with came as (select network, txid, recipient_match as address, unnest(array[beside, -cost]) as amount from sandbox_transactions where state = 'mined')
		select format('%s of %s and %s', coalesce(c.txid, a.txid), c.amount, a.amount) from (select * from came where amount <> 0) c
		full join (select * from asides where height is not null) a using (network, txid, address, amount) where c.txid is null or a.txid is null`},
	{"the coins of the books are those of the network", `
		select format('%s, not %s', b.amount, h.amount) from (select sum(amount) as amount from coins where network = 'Bitcoin' and height is not null and spent_by is null) b,
			(select sum(h.amount) as amount from sandbox_holdings h where h.network = 'Bitcoin' and h.token = 'BTC'
				and (h.address in (select address from coins where network = 'Bitcoin') or h.address in (select match from addresses))) h
		where b.amount is distinct from h.amount`},
	{"every lease has ended, but for the first coins of dead slots: they are in no block", `
		select c.id from coins c where c.slot is not null and c.spent_by is null and not (c.place = 0 and c.height is null and exists (
			select from signed_transactions t where t.network = c.network and t.address = c.address and t.nonce = c.slot and t.state = 'expired'))`},
	{"every delivery has arrived", `select status from deliveries where status <> 'delivered'`},
	{"a payin is what its transfers make it", `
		select format('%s with %s of %s', p.status, p.received, p.amount) from payins p,
			lateral (select coalesce(sum(counted), 0) as counted from transfers where payin_id = p.id and status = 'final') t
		where p.received <> t.counted or case when p.received * 100 >= p.amount * p.minimum_payment
			then p.status not in ('completed', 'reversed') else p.status = 'completed' end`}, // reversed, in part, may still be enough
	{"who was told of a change of a payin was told of all", `
		select format('%s: %s', p.status, array_agg(d.event order by d.seq)) from payins p join deliveries d on d.subject = p.id group by p.id, p.status
		having not (p.status = 'completed' and 'payment_confirmed' = any(array_agg(d.event)) or p.status = 'failed' and 'payment_failed' = any(array_agg(d.event))
			or p.status = 'reversed' and 'payment_reversed' = any(array_agg(d.event)))`},
}

// final checks every rule at rest.
func (w *world) final() {
	w.invariants()
	for _, i := range slices.Concat(atRest, movesAtRest) {
		w.requireNothing(i.rule, i.query)
	}
	w.requireAnswersKept()
	w.requireOrder()
	report, err := w.newWorkers().Reconcile.Report(context.Background())
	w.must(err)
	for _, d := range report.Differences {
		w.broken("reconciliation: %+v", d)
	}
}

// requireAnswersKept asserts: every payout answered to a client as created is there.
func (w *world) requireAnswersKept() {
	for _, id := range w.answered {
		if _, err := w.store.Payout(context.Background(), id); err != nil {
			w.broken("a payout is lost that was answered as created: %v", err)
		}
	}
}

// requireOrder asserts the receiver's order: it first took the deliveries of each subject in their own order.
func (w *world) requireOrder() {
	var rows []struct {
		ID, Subject uuid.UUID
		Seq         int64
	}
	w.must(w.db.NewRaw("select id, subject, seq from deliveries order by seq").Scan(context.Background(), &rows))
	place := map[string]int{}
	for i, id := range w.receiver.accepted {
		place[id] = i + 1
	}
	last := map[uuid.UUID]int{}
	for _, r := range rows {
		at := place[r.ID.String()]
		if at == 0 {
			w.broken("a delivery counts as delivered and never arrived")
		}
		if at < last[r.Subject] {
			w.broken("deliveries of one subject arrived out of order")
		}
		last[r.Subject] = at
	}
}
