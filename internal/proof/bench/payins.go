package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"
	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/internal/pay"
	"causeway/internal/vault"
	"causeway/scheduler"
	"causeway/tasks"
	"causeway/workers"
)

const (
	payinNetwork = "Tron"
	blockSize    = 500 // transfers in a block, each to a payin of its own
	earlyBlocks  = 4   // until every look sees one block, credits another and makes a third one final
	countedLooks = 5
	roleGarbage  = 300 // percent, as in a role (cmd/causeway/roles.go): the follower is in this process
)

// payinNetworks are followed side by side; the first is payinNetwork.
var payinNetworks = []string{payinNetwork, "Ethereum", "BinanceSmartChain", "Polygon"}

// follower is the workers' own following of networks, driven by hand.
type follower struct {
	*arena
	rule     depths
	workers  *workers.Workers
	networks []*chains.Network
	chain    sandbox.Operator
	number   int64 // payins so far
	wal      int64 // bytes of PostgreSQL's log written by looks
}

// depths are a rule: the confirmations at which a transfer is credited and final.
type depths struct {
	name          string
	credit, final int64
}

// The forms of a payin by its network's rule: the steps to see it, to credit it and to make it final.
var (
	threeSteps = depths{"seen, credited and final in three steps", 2, 4}
	twoSteps   = depths{"final when credited, in the step after", 2, 2}
	oneStep    = depths{"seen, credited and final in one step", 1, 1}
)

// ruled is a simulated network with another rule.
type ruled struct {
	chains.Scanner
	depths
}

// Head returns the newest block, with the heights of the rule.
func (r ruled) Head(ctx context.Context, followed int64) (chains.Head, error) {
	h, err := r.Scanner.Head(ctx, followed)
	h.Credit, h.Final = max(h.Height-r.credit+1, 0), max(h.Height-r.final+1, 0)
	return h, err
}

func (a *arena) follower(names []string, rule depths) (*follower, error) {
	networks := make([]pay.Network, len(names))
	for i, name := range names {
		n, _ := pay.NetworkNamed(name)
		networks[i] = *n
	}
	registry, err := chains.NewRegistry(sandbox.OpenAll(a.db, networks, sandbox.Options{})...)
	if err != nil {
		return nil, err
	}
	for _, n := range registry.All() {
		n.Scanner = ruled{n.Scanner, rule}
	}
	log := logrus.New()
	log.SetOutput(io.Discard)
	f := &follower{arena: a, rule: rule, networks: registry.All(), chain: sandbox.Operator{DB: a.db}}
	f.workers = workers.New(workers.Options{Store: a.store, Networks: registry, Secrets: vault.New(a.secrets), Log: log,
		Bell: tasks.NewBell(a.redis)})
	return f, errors.Join(scheduler.Plan(a.ctx, a.store, names), f.look())
}

// measurePayins is transfers from blocks to balances: seen, credited, made final, payins completed, deliveries recorded
// and rung. Only the followers' time counts, with their questions to the simulated networks.
func (b *bench) measurePayins() error {
	return errors.Join(b.measurePayinsOf(payinNetworks[:1], threeSteps), b.measurePayinsOf(payinNetworks, threeSteps),
		b.measurePayinsOf(payinNetworks[:1], twoSteps), b.measurePayinsOf(payinNetworks[:1], oneStep), b.measureBehind())
}

func (b *bench) measurePayinsOf(networks []string, rule depths) error {
	return b.measureFollower(networks, rule, (*follower).measure)
}

// measureFollower measures a follower of networks with a rule, on books of its own.
func (b *bench) measureFollower(networks []string, rule depths, measure func(*follower) (row, error)) (err error) {
	a, err := b.arena("payins")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	defer debug.SetGCPercent(debug.SetGCPercent(roleGarbage))
	f, err := a.follower(networks, rule)
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
	r, err := b.inRounds(func() (float64, error) { return b.yard.now(many) }, func() (row, error) { return measure(f) })
	if err == nil {
		b.table.add(r)
	}
	return err
}

func (f *follower) measure() (row, error) {
	var took time.Duration
	m := f.meter()
	m.stop()
	f.wal = 0
	for range countedLooks {
		one, err := f.block(m)
		if err != nil {
			return row{}, err
		}
		took += one
	}
	credited := float64(countedLooks * blockSize * len(f.networks))
	return row{what: fmt.Sprintf("payins credited, blocks of %d, %s, %s", blockSize, networksNamed(len(f.networks)), f.rule.name),
		measured: credited / took.Seconds(), unit: "payins/s", bar: 0.6,
		cpu: fmt.Sprintf("%s (with what simulated networks answer), %.0f bytes of WAL", m.each(credited), float64(f.wal)/credited)}, nil
}

func networksNamed(n int) string {
	if n == 1 {
		return "one network"
	}
	return fmt.Sprintf("%d networks side by side", n)
}

// block has payins made and paid in one block of each network, and returns how long following these took. m sees
// nothing else.
func (f *follower) block(m *meter) (time.Duration, error) {
	for _, n := range f.networks {
		if err := f.pay(n); err != nil {
			return 0, err
		}
		if _, err := f.chain.Mine(f.ctx, n.Name, 1); err != nil {
			return 0, err
		}
	}
	before, err := f.logged()
	if err != nil {
		return 0, err
	}
	m.start()
	start := time.Now()
	err = f.look()
	took := time.Since(start)
	m.stop()
	after, other := f.logged()
	f.wal += after - before
	return took, errors.Join(err, other)
}

// logged returns how far PostgreSQL's log has come, in bytes.
func (f *follower) logged() (at int64, err error) {
	return at, f.db.NewRaw("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn").Scan(f.ctx, &at)
}

// look runs the follow job of each network once, side by side.
func (f *follower) look() error {
	kind := string(tasks.FollowNetwork)
	if _, err := f.db.NewRaw("update jobs set run_at = now() where kind = ?", kind).Exec(f.ctx); err != nil {
		return err
	}
	due, err := f.store.TakeDue(f.ctx, []string{kind}, len(f.networks), tasks.Visibility)
	if err != nil || len(due) < len(f.networks) {
		return errors.Join(err, fmt.Errorf("%d follow jobs", len(due)))
	}
	var all errgroup.Group
	for _, j := range due {
		all.Go(func() error {
			return f.workers.Do(f.ctx, tasks.Job{Kind: tasks.FollowNetwork, Ref: j.Ref, Attempt: j.Attempt})
		})
	}
	if err := all.Wait(); err != nil {
		return err
	}
	var problems []string
	err = f.db.NewRaw("select last_error from jobs where kind = ? and last_error is not null", kind).Scan(f.ctx, &problems)
	if err == nil && len(problems) > 0 {
		err = errors.New(strings.Join(problems, "; "))
	}
	return err
}

// pay makes payins with an address each, and puts a payment to each into a network's mempool.
func (f *follower) pay(n *chains.Network) error {
	payins, addresses, payments := make([]pay.Payin, blockSize), make([]pay.Address, blockSize), make([]map[string]any, blockSize)
	for i := range payins {
		f.number++
		address, err := n.Addresser.Derive(f.ctx, uint32(f.number)) //nolint:gosec // a few thousand
		if err != nil {
			return err
		}
		p := f.payin(n, address)
		match := n.Addresser.Match(address)
		payins[i], addresses[i] = p, pay.Address{Family: n.Family, Match: match, Address: address, Position: f.number, PayinID: &p.ID}
		payments[i] = map[string]any{"network": n.Name, "txid": "payment-" + strconv.FormatInt(f.number, 10), "sender": "faucet",
			"sender_match": "faucet",
			"recipient":    address, "recipient_match": match, "memo": "", "token": "USDT", "amount": "25", "fee": "0"}
	}
	_, err := f.db.NewInsert().Model(&payins).ExcludeColumn("received", "reversed_at", "reversal", "created_at", "updated_at").
		Returning("NULL").Exec(f.ctx)
	if err != nil {
		return err
	}
	if _, err := f.db.NewInsert().Model(&addresses).ExcludeColumn("id").Returning("NULL").Exec(f.ctx); err != nil {
		return err
	}
	_, err = f.db.NewRaw("select sandbox_submit_all(?::jsonb)", asJSON(payments)).Exec(f.ctx)
	return err
}

func (f *follower) payin(n *chains.Network, address string) pay.Payin {
	return f.people.payin(f.people.of(many, int(f.number)), f.number, pay.Payin{Wallet: address, Token: "USDT", Asset: "USDT", Network: n.Name, Amount: decimal.NewFromInt(25)})
}

// payin completes a payin of a merchant.
func (p *people) payin(merchant int, number int64, of pay.Payin) pay.Payin {
	of.ID, of.MerchantID, of.ReferenceID = uuid.Must(uuid.NewV7()), p.merchants[merchant], "payin-"+strconv.FormatInt(number, 10)
	of.ProcessBy, of.FiatCurrency, of.PercentRate = pay.ByCrypto, "USD", decimal.NewFromInt(1)
	of.NetworkFee, of.PaysNetworkFee, of.MinimumPayment = decimal.NewFromInt(1), true, decimal.NewFromInt(100)
	of.WebhookURL, of.Status, of.ExpiresAt = "http://127.0.0.1:9/hook", pay.PayinPending, time.Now().Add(time.Hour)
	return of
}
