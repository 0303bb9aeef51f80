package main

import (
	"errors"
	"fmt"
)

const shortHistory = 10_000

// measureHistory is the same payouts behind few and behind very many earlier ones. It takes minutes to write those.
func (b *bench) measureHistory() (err error) {
	a, err := b.arena("history")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	few, err := a.behind(shortHistory, 0)
	if err != nil {
		return err
	}
	after, err := a.behind(b.history, shortHistory)
	if err != nil {
		return err
	}
	after.beside = few.measured
	after.bar = 1 / 1.3
	b.table.add(few)
	b.table.add(after)
	return nil
}

// behind adds earlier payouts, all settled, up to n, and measures new ones.
func (a *arena) behind(n, had int) (row, error) {
	for _, statement := range []string{
		`insert into payouts (id, merchant_id, key_id, reference_id, wallet, token, asset, network, process_by, amount, debit, rate_fee, network_fee,
			pays_network_fee, fee_from_amount, percent_rate, fiat_currency, webhook_url, status, created_at)
		select gen_random_uuid(), m.ids[1 + n % array_length(m.ids, 1)], 'key', 'old-' || n, 'T', 'USDT', 'USDT', 'Tron', 'crypto_amount', 2.5, 3.525, 0.025, 1,
			true, false, 1, 'USD', 'http://127.0.0.1:9/hook', 'completed', now() - (n || ' seconds')::interval
		from generate_series(?0 + 1, ?1) n, (select array_agg(id) as ids from merchants) m`,
		`with old as (insert into entries (subject, kind, turn, digest)
			select gen_random_uuid(), 'payout_held', 0, 'old' from generate_series(?0 + 1, ?1) n returning id)
		insert into postings (id, from_account, to_account, asset, amount, merchant_id, movement, balance_after, subject, network)
		select old.id * 16 + part, 1, 2, 'USDT', 1, m.ids[1 + old.id % array_length(m.ids, 1)], 'WITHDRAWAL', 1, gen_random_uuid(), 'Tron'
		from old, generate_series(1, 3) part, (select array_agg(id) as ids from merchants) m`,
	} {
		if _, err := a.db.NewRaw(statement, had, n).Exec(a.ctx); err != nil {
			return row{}, err
		}
	}
	if _, err := a.db.ExecContext(a.ctx, "vacuum analyze"); err != nil {
		return row{}, err
	}
	api, err := a.start(nil, "api")
	if err != nil {
		return row{}, err
	}
	defer a.stop(api)
	var m *meter
	l := a.payoutLoad(api.address, 64, many, 1, "http://127.0.0.1:9/hook")
	l.length, l.started = 2*a.slot, func() { m = a.meter(api) }
	done, err := l.run()
	if err != nil {
		return row{}, err
	}
	return row{what: fmt.Sprintf("POST /v1/payout, 64 clients, behind %d earlier ones", n), measured: done.rate, unit: "payouts/s",
		p50: done.p50, p99: done.p99, cpu: m.each(float64(done.count))}, nil
}
