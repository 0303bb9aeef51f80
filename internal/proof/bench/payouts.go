package main

import (
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"causeway/chains/addresses"
)

// recipient is where all payouts go.
var recipient = addresses.Encode("Tron", [32]byte{'b', 'e', 'n', 'c', 'h'})

// references makes every request of a run another one.
var references atomic.Int64

// payoutBody is one item, complete: a rate fee, a network fee on top, a value in fiat.
func payoutBody(out []byte, receiver string) []byte {
	out = append(out, `{"reference_id":"order-`...)
	out = strconv.AppendInt(out, references.Add(1), 10)
	out = append(out, `","wallet":"`+recipient+`","network":"Tron","crypto_currency":"USDT","process_by":"crypto_amount","crypto_amount":"2.5",`...)
	return append(out, `"feetakenfromamount":0,"customer_info":"customer-1","webhook_url":"`+receiver+`"}`...)
}

func batchBody(items int, receiver string) []byte {
	out := []byte{'['}
	for i := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = payoutBody(out, receiver)
	}
	return append(out, ']')
}

// payoutLoad is clients creating payouts for merchants, items at a time.
func (b *bench) payoutLoad(address string, clients, merchants, items int, receiver string) load {
	return load{address: address, clients: clients, length: b.slot, want: 200, request: func(client, n int) []byte {
		key := b.people.keys[b.people.of(merchants, client*131+n)]
		if items == 1 {
			return post("/v1/payout", key, payoutBody(nil, receiver))
		}
		return post("/v1/payout", key, batchBody(items, receiver))
	}}
}

// payoutCase is one line of the table; those with a bar are measured in rounds.
type payoutCase struct {
	clients, merchants, items int
	bar                       float64
	p99                       time.Duration
}

var payoutCases = []payoutCase{
	{clients: 1, merchants: many, items: 1}, {clients: 8, merchants: many, items: 1}, {clients: 32, merchants: many, items: 1},
	{clients: 64, merchants: many, items: 1, bar: 0.7, p99: 25 * time.Millisecond},
	{clients: 1, merchants: hot, items: 1}, {clients: 8, merchants: hot, items: 1}, {clients: 32, merchants: hot, items: 1},
	{clients: 64, merchants: hot, items: 1, bar: 2},
	{clients: 4, merchants: many, items: 50, bar: 2.5},
}

// measureBatches is the batches of measurePayouts alone.
func (b *bench) measureBatches() error {
	return b.withAPI("batches", func(a *arena, api *role) error { return a.measurePayoutCase(api, payoutCases[len(payoutCases)-1]) })
}

// measurePayouts is POST /v1/payout with everything belonging to it; the jobs are rung, and nobody works on them.
func (b *bench) measurePayouts() error {
	return b.withAPI("payouts", func(a *arena, api *role) error {
		for _, c := range payoutCases {
			if err := errors.Join(a.measurePayoutCase(api, c), a.analyse()); err != nil {
				return err
			}
		}
		b.table.add(row{what: "memory of the api after 64 clients (peak)", measured: peakMemory(api.cmd.Process.Pid), unit: "MB", bar: 120,
			ceiling: true})
		return a.measureRedisPerJob()
	})
}

// withAPI measures with an api on books of its own.
func (b *bench) withAPI(name string, measure func(*arena, *role) error) (err error) {
	a, err := b.arena(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	api, err := a.start(nil, "api")
	if err != nil {
		return err
	}
	return measure(a, api)
}

func (a *arena) measurePayoutCase(api *role, c payoutCase) error {
	measure := func() (row, error) {
		var m *meter
		l := a.payoutLoad(api.address, c.clients, c.merchants, c.items, "http://127.0.0.1:9/hook")
		profiled := func() error { return nil }
		l.started = func() {
			m, profiled = a.meter(api), a.profile(api, fmt.Sprintf("payouts-%d-%d-%d", c.clients, c.merchants, c.items))
		}
		done, err := l.run()
		err = errors.Join(err, profiled())
		r := row{what: c.name(), measured: done.rate * float64(c.items), unit: c.unit(), p50: done.p50, p99: done.p99, bar: c.bar, latestP99: c.p99}
		if err == nil {
			r.cpu = m.each(float64(done.count * c.items))
		}
		return r, err
	}
	rounds := *a.bench
	if c.bar == 0 {
		rounds.rounds = 1
	}
	r, err := rounds.inRounds(func() (float64, error) { return a.yard.now(c.merchants) }, measure)
	if err == nil {
		a.table.add(r)
	}
	return err
}

func (c payoutCase) unit() string {
	if c.items > 1 {
		return "items/s"
	}
	return "payouts/s"
}

func (c payoutCase) name() string {
	who := fmt.Sprintf("%d merchants", c.merchants)
	if c.merchants == hot {
		who = "one hot merchant"
	}
	if c.items > 1 {
		return fmt.Sprintf("POST /v1/payout, batches of %d, %s, %d clients", c.items, who, c.clients)
	}
	return fmt.Sprintf("POST /v1/payout, %s, %d clients", who, c.clients)
}
