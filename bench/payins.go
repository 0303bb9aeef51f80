package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/pay"
	"causeway/scheduler"
	"causeway/tasks"
	"causeway/vault"
	"causeway/workers"
)

const (
	payinNetwork = "Tron"
	blockSize    = 500 // transfers in a block, each to a payin of its own
	earlyBlocks  = 4   // until every look sees one block, credits another and makes a third one final
	countedLooks = 5
)

// follower is the workers' own following of one network, driven by hand.
type follower struct {
	*arena
	workers *workers.Workers
	network *chains.Network
	chain   sandbox.Operator
	number  int64 // payins so far
}

func (a *arena) follower() (*follower, error) {
	n, _ := pay.NetworkNamed(payinNetwork)
	registry, err := chains.NewRegistry(sandbox.OpenAll(a.db, []pay.Network{*n}, sandbox.Options{})...)
	if err != nil {
		return nil, err
	}
	log := logrus.New()
	log.SetOutput(io.Discard)
	f := &follower{arena: a, network: registry.All()[0], chain: sandbox.Operator{DB: a.db}}
	f.workers = &workers.Workers{Store: a.store, Networks: registry, Secrets: vault.New(a.secrets), Log: log,
		Bell: tasks.NewBell(a.redis)}
	return f, errors.Join(scheduler.Plan(a.ctx, a.store, []string{payinNetwork}), f.look())
}

// measurePayins is transfers from blocks to balances: seen, credited, made final, payins completed, deliveries recorded
// and rung. Only the follower's time counts, with what it asks the simulated network.
func (b *bench) measurePayins() (err error) {
	a, err := b.arena("payins")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	f, err := a.follower()
	if err != nil {
		return err
	}
	for range earlyBlocks {
		if _, err := f.block(f.meter()); err != nil {
			return err
		}
	}
	if err := a.analyse(); err != nil {
		return err
	}
	r, err := b.inRounds(func() (float64, error) { return b.yard.now(many) }, f.measure)
	if err == nil {
		b.table.add(r)
	}
	return err
}

func (f *follower) measure() (row, error) {
	var took time.Duration
	m := f.meter()
	m.stop()
	for range countedLooks {
		one, err := f.block(m)
		if err != nil {
			return row{}, err
		}
		took += one
	}
	return row{what: fmt.Sprintf("payins credited, blocks of %d, one network", blockSize),
		measured: countedLooks * blockSize / took.Seconds(), unit: "payins/s", bar: 1.5,
		cpu: m.each(countedLooks*blockSize) + " (with what the simulated network answers)"}, nil
}

// block has payins made and paid in one block, and answers how long following it took, which is all that m sees.
func (f *follower) block(m *meter) (time.Duration, error) {
	if err := f.pay(); err != nil {
		return 0, err
	}
	if _, err := f.chain.Mine(f.ctx, payinNetwork, 1); err != nil {
		return 0, err
	}
	m.start()
	start := time.Now()
	err := f.look()
	took := time.Since(start)
	m.stop()
	return took, err
}

// look runs the follow job once.
func (f *follower) look() error {
	kind, ref := string(tasks.FollowNetwork), tasks.RefOf(payinNetwork)
	if _, err := f.db.NewRaw("update jobs set run_at = now() where kind = ? and ref = ?", kind, ref).Exec(f.ctx); err != nil {
		return err
	}
	due, err := f.store.TakeDue(f.ctx, []string{kind}, 1, tasks.Visibility)
	if err != nil || len(due) == 0 {
		return errors.Join(err, errors.New("the follow job is not there"))
	}
	if err := f.workers.Do(f.ctx, tasks.Job{Kind: tasks.FollowNetwork, Ref: ref, Attempt: due[0].Attempt}); err != nil {
		return err
	}
	var problem *string
	err = f.db.NewRaw("select last_error from jobs where kind = ? and ref = ?", kind, ref).Scan(f.ctx, &problem)
	if err == nil && problem != nil {
		err = errors.New(*problem)
	}
	return err
}

// pay makes payins with an address each, and puts a payment to each into the mempool.
func (f *follower) pay() error {
	payins, addresses, payments := make([]pay.Payin, blockSize), make([]pay.Address, blockSize), make([]map[string]any, blockSize)
	for i := range payins {
		f.number++
		address, err := f.network.Addresser.Derive(f.ctx, uint32(f.number)) //nolint:gosec // a few thousand
		if err != nil {
			return err
		}
		p := f.payin(address)
		match := f.network.Addresser.Match(address)
		payins[i], addresses[i] = p, pay.Address{Family: f.network.Family, Match: match, Address: address, Position: f.number, PayinID: &p.ID}
		payments[i] = map[string]any{"network": payinNetwork, "txid": "payment-" + strconv.FormatInt(f.number, 10), "sender": "faucet", "sender_match": "faucet",
			"recipient": address, "recipient_match": match, "memo": "", "token": "USDT", "amount": "25", "fee": "0"}
	}
	_, err := f.db.NewInsert().Model(&payins).ExcludeColumn("received", "reversed_at", "reversal", "created_at", "updated_at").Returning("NULL").Exec(f.ctx)
	if err != nil {
		return err
	}
	if _, err := f.db.NewInsert().Model(&addresses).ExcludeColumn("id").Returning("NULL").Exec(f.ctx); err != nil {
		return err
	}
	_, err = f.db.NewRaw("select sandbox_submit_all(?::jsonb)", asJSON(payments)).Exec(f.ctx)
	return err
}

func (f *follower) payin(address string) pay.Payin {
	return pay.Payin{ID: uuid.Must(uuid.NewV7()), MerchantID: f.people.merchants[f.people.of(many, int(f.number))], ReferenceID: "payin-" + strconv.FormatInt(f.number, 10),
		Wallet: address, Token: "USDT", Asset: "USDT", Network: payinNetwork, ProcessBy: pay.ByCrypto, Amount: decimal.NewFromInt(25), FiatCurrency: "USD",
		PercentRate: decimal.NewFromInt(1), NetworkFee: decimal.NewFromInt(1), MinimumPayment: decimal.NewFromInt(100), WebhookURL: "http://127.0.0.1:9/hook",
		Status: pay.PayinPending, ExpiresAt: time.Now().Add(time.Hour)}
}
