package store

// check is a rule checked by the database against itself; it answers one row per breach. In its query ?0 is the live
// pass of the sums and ?1 the last entry folded into it.
type check struct{ name, query string }

var ledgerChecks = []check{
	{"balance is the sum of its postings", `
		with sums as (
			select a.merchant_id, m.asset, a.pocket, sum(m.amount) as amount
			from ` + moves + ` m join accounts a on a.id = m.account where a.merchant_id is not null group by 1, 2, 3),
		kept as (
			select merchant_id, asset, 'available' as pocket, available as amount from balances
			union all select merchant_id, asset, 'locked', locked from balances)
		select 'merchant:' || merchant_id || ':' || pocket as "where", asset, coalesce(s.amount, 0)::text as want, coalesce(k.amount, 0)::text as got
		from sums s full join kept k using (merchant_id, asset, pocket)
		where coalesce(s.amount, 0) <> coalesce(k.amount, 0)`},
	{"held is the sum of open payouts", `
		with open as (select asset, sum(debit) as amount from payouts where wire_status = 'pending' group by asset),
		held as (
			select m.asset, sum(m.amount) as amount
			from ` + moves + ` m join accounts a on a.id = m.account where a.name = 'payouts:held' group by m.asset)
		select 'payouts:held' as "where", asset, coalesce(o.amount, 0)::text as want, coalesce(h.amount, 0)::text as got
		from open o full join held h using (asset) where coalesce(o.amount, 0) <> coalesce(h.amount, 0)`},
	{"an open payout has its hold", `
		select "where", asset, want, got from (
			select 'payout ' || p.id as "where", p.asset, p.debit, p.debit::text as want, coalesce((
				select sum(case when m.to_account = h.id then m.amount else -m.amount end)
				from entries e join postings m on m.id between e.id * 16 and e.id * 16 + 15
				where e.subject = p.id and h.id in (m.to_account, m.from_account)), 0) as held
			from payouts p left join accounts h on h.name = 'payouts:held' where p.wire_status = 'pending') p,
			lateral (select held::text as got) g
		where held <> debit`},
	{"an entry is what was written", `
		select 'entry ' || reference as "where", asset, want, got from broken_entries`},
	{"an open payout has its job", `
		select 'payout ' || p.id as "where", p.asset, 'a job' as want, 'none' as got, 'payout.broadcast' as kind, p.id as ref
		from payouts p
		where p.wire_status = 'pending' and p.updated_at < now() - interval '5 seconds'
		and not exists (select from jobs j where j.kind = 'payout.broadcast' and j.ref = p.id)
		and not exists (select from signed_transactions t where t.payout_id = p.id
			and (t.state in ('sent', 'mined') or t.signed_at > now() - interval '20 seconds'))`},
	{"a pending delivery has its job", `
		select 'delivery ' || d.id as "where", '' as asset, 'a job' as want, 'none' as got, 'webhook.deliver' as kind, d.id as ref
		from deliveries d
		where d.status = 'pending' and not exists (select from jobs j where j.kind = 'webhook.deliver' and j.ref = d.id)`},
	{"a job has its row", `
		select j.kind || ' ' || j.ref as "where", '' as asset, 'a row' as want, 'none' as got from jobs j
		where j.kind = 'payout.broadcast' and not exists (select from payouts p where p.id = j.ref)
		or j.kind = 'webhook.deliver' and not exists (select from deliveries d where d.id = j.ref)`},
	{"the lists' counts are those of their rows", countsCheck},
}

// countsCheck compares the counts of the last two days with the rows, and those of one earlier day, another one each
// half minute: to count all rows each time would take seconds. Movements are the most numerous and are compared in this
// one day alone. No asset is named, since money is not in question.
const countsCheck = `
	with today as (select list_bucket('day', now()) as starts),
	oldest as (
		select coalesce(min(c.starts), now()) as starts from merchants m, unnest(array['payins', 'payouts', 'movements']) as l(list), lateral (
			select starts from list_counts o where o.merchant_id = m.id and o.list = l.list and o.span = 'month' order by starts limit 1) c),
	chosen as (
		select today.starts - interval '1 day' as since, 'infinity'::timestamptz as until from today
		union all
		select day, day + interval '1 day' from oldest, today, lateral (select list_bucket('day', oldest.starts)
			+ extract(epoch from now())::bigint / 30 % (1 + extract(day from today.starts - oldest.starts)::bigint) * interval '1 day' as day) picked)
	select list || ' of merchant ' || merchant_id as "where", '' as asset, want::text || ' ' || status as want, got::text || ' in the ' || span || ' of ' || starts as got
	from chosen, lateral list_count_differences(since, until)`
