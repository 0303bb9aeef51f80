package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	shortHistory  = 10_000
	historyChunk  = 250_000 // payouts written at once
	historyRounds = 5       // at least, of each
)

// measureHistory is the same payouts behind few and behind very many earlier ones, in turn: two databases of one server. It
// takes minutes to write those.
func (b *bench) measureHistory() (err error) {
	var sides []*history
	defer func() {
		for _, h := range sides {
			err = errors.Join(err, h.close())
		}
	}()
	for _, n := range []int{shortHistory, b.history} {
		a, err := b.arena(fmt.Sprintf("history%d", n))
		if err != nil {
			return err
		}
		h := &history{arena: a, earlier: n}
		sides = append(sides, h)
		if err := h.write(); err != nil {
			return err
		}
	}
	for range max(b.rounds, historyRounds) {
		for _, h := range sides {
			if err := h.measure(); err != nil {
				return err
			}
		}
	}
	few, many := sides[0].median(), sides[1].median()
	many.beside, many.bar, many.dearer = few.measured, 1.3, true
	b.table.add(few)
	b.table.add(many)
	return nil
}

// history is payouts behind earlier ones.
type history struct {
	*arena
	earlier int
	api     *role
	rounds  []row
}

// write adds the earlier payouts, all settled, a second apart until now, with ids rising with time as real ones do, and
// their movements. They are written merchant by merchant, and without whole pages in the WAL, or it would take hours.
func (h *history) write() (err error) {
	if err := h.careful("off"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.careful("on")) }()
	for first := 0; first < h.earlier; first += historyChunk {
		last := min(first+historyChunk, h.earlier)
		for _, statement := range []string{
			`insert into payouts (id, merchant_id, key_id, reference_id, wallet, token, asset, network, process_by, amount, debit, rate_fee, network_fee,
				pays_network_fee, fee_from_amount, percent_rate, fiat_currency, webhook_url, status, created_at)
			select pg_temp.id_of(?2 - n), m.ids[1 + n % array_length(m.ids, 1)], 'key', 'old-' || n, 'T', 'USDT', 'USDT', 'Tron', 'crypto_amount', 2.5, 3.525, 0.025, 1,
				true, false, 1, 'USD', 'http://127.0.0.1:9/hook', 'completed', now() - make_interval(secs => ?2 - n)
			from generate_series(?0 + 1, ?1) n, (select array_agg(id) as ids from merchants) m order by n % array_length(m.ids, 1)`,
			`with old as (insert into entries (subject, kind, turn, digest)
				select pg_temp.id_of(?2 - n), 'payout_held', 0, 'old' from generate_series(?0 + 1, ?1) n returning id)
			insert into postings (id, from_account, to_account, asset, amount, merchant_id, movement, types, balance_after, network)
			select old.id * 16 + part, 1, 2, 'USDT', 1, m.ids[1 + old.id % array_length(m.ids, 1)], (array['WITHDRAWAL', 'RATE', 'FEE'])[part],
				case part when 1 then 'WITHDRAWAL RATE FEE' end, 1, 'Tron'
			from old, generate_series(1, 3) part, (select array_agg(id) as ids from merchants) m order by old.id % array_length(m.ids, 1), old.id, part`,
		} {
			if _, err := h.db.NewRaw(idOf+statement, first, last, h.earlier).Exec(h.ctx); err != nil {
				return err
			}
		}
		h.say("%d of %d earlier payouts", last, h.earlier)
	}
	if _, err := h.db.ExecContext(h.ctx, "vacuum analyze"); err != nil {
		return err
	}
	h.api, err = h.start(nil, "api")
	return err
}

// careful sets whether pages are written whole after each checkpoint: needed by a server in danger of losing its power.
func (h *history) careful(on string) error {
	_, err := h.db.ExecContext(h.ctx, "alter system set full_page_writes = "+on)
	_, failed := h.db.ExecContext(h.ctx, "select pg_reload_conf()")
	return errors.Join(err, failed, h.execute("", "checkpoint"))
}

// idOf makes the uuid, version 7, of so many seconds ago.
const idOf = `create or replace function pg_temp.id_of(ago bigint) returns uuid language sql as $$
	select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - ago * 1000), 12, '0') || '7' || substr(md5(ago::text), 1, 3) || '8' || substr(md5(ago::text), 4, 15))::uuid $$;
`

// measure takes one round of new payouts: the processor time of one says the same on a busy machine.
func (h *history) measure() error {
	var m *meter
	l := h.payoutLoad(h.api.address, 64, many, 1, "http://127.0.0.1:9/hook")
	l.length, l.started = 2*h.slot, func() { m = h.meter(h.api) }
	done, err := l.run()
	if err != nil {
		return err
	}
	r := row{what: fmt.Sprintf("processor time of a payout, 64 clients, behind %d earlier ones", h.earlier), unit: "µs", p50: done.p50, p99: done.p99,
		cpu: m.each(float64(done.count))}
	r.measured = float64(m.all()/time.Microsecond) / float64(done.count)
	h.say("behind %d: %.0f payouts/s; %s", h.earlier, done.rate, r.cpu)
	h.rounds = append(h.rounds, r)
	return nil
}

func (h *history) median() row {
	slices.SortFunc(h.rounds, func(x, y row) int { return cmp.Compare(x.measured, y.measured) })
	return h.rounds[len(h.rounds)/2]
}
