package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
	"causeway/internal/ops/onchain"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/webhooks"
	"causeway/ledger"
	"causeway/migrations"
	"causeway/scheduler"
	"causeway/tasks"
	"causeway/workers"
	"causeway/workers/catalogue"
)

// world is one merchant, every network as a sandbox, and workers driven by hand: nothing runs but the work a test asks for.
type world struct {
	t        *testing.T
	db       *bun.DB
	store    *store.Store
	chain    sandbox.Operator
	workers  *workers.Workers
	registry *chains.Registry
	merchant uuid.UUID
	receiver *receiver

	acts, worker, signer *store.Store // with the rights of operators and all others, of a worker, and of a signer
}

// seals are those of the payouts of every world.
var seals = vault.NewSealer("payout", make([]byte, vault.KeySize))

// silent is a bell without a sound: the tests take the due jobs.
type silent struct{}

func (silent) Ring(context.Context, ...tasks.Job) error { return nil }

// newWorld opens a world of some networks; when the test ends, the ledger must equal itself and the networks.
func newWorld(t *testing.T, names ...string) *world {
	t.Helper()
	w := newWorldThatMayDiffer(t, names...)
	t.Cleanup(w.reconciles)
	return w
}

// plenty is the worth of each token of a hot wallet in USD.
var plenty = decimal.New(1, 9)

// newWorldThatMayDiffer is newWorld for a difference booked by a person's hand.
func newWorldThatMayDiffer(t *testing.T, names ...string) *world {
	t.Helper()
	ctx := context.Background()
	db := testkit.DB(t)
	s := store.New(db)
	as := func(r migrations.Role) *store.Store { return store.New(testkit.DBAs(t, r)) }
	networks := make([]pay.Network, len(names))
	for i, name := range names {
		n, ok := pay.NetworkNamed(name)
		require.True(t, ok)
		networks[i] = *n
	}
	require.NoError(t, sandbox.Genesis(ctx, db, plenty, networks...))
	registry, err := chains.NewRegistry(sandbox.OpenAll(db, networks, sandbox.Options{Signs: true})...)
	require.NoError(t, err)
	safe := vault.New(make([]byte, 32))
	log := logrus.New()
	log.SetOutput(t.Output())
	w := &world{t: t, db: db, store: s, registry: registry, chain: sandbox.Operator{DB: db}, merchant: uuid.Must(uuid.NewV7()),
		receiver: newReceiver(t)}
	w.acts, w.worker, w.signer = as(migrations.DevRole), as(migrations.WorkerRole), as(migrations.SignerRole)
	w.workers = workers.New(workers.Options{Store: w.acts, Networks: registry, Bell: silent{}, Secrets: safe, Seals: seals, Log: log,
		Webhooks: webhooks.NewClient(webhooks.Options{AllowedHosts: []string{"127.0.0.1"}})})
	t.Cleanup(w.workers.Deliver.Webhooks.Close)
	secret := safe.Seal([]byte("whsec_test"), vault.Where("merchants", w.merchant.String(), "webhook_secret"))
	_, err = db.NewRaw("insert into merchants (id, name, webhook_secret) values (?, 'Shop', ?)", w.merchant, secret).Exec(ctx)
	require.NoError(t, err)
	require.NoError(t, scheduler.Plan(ctx, s, names))
	for _, blocks := range []int{1, 7} { // the first step begins with the head
		for _, name := range names {
			_, err := w.chain.Mine(ctx, name, blocks)
			require.NoError(t, err)
		}
		w.round()
	}
	w.round()
	return w
}

// by returns the acts of an operator on networks.
func (w *world) by(operator string) *onchain.Operator {
	return (&onchain.Operator{Desk: w.workers.Desk, Catalogue: new(catalogue.Catalogue)}).By(&admin.Admin{Store: w.workers.Store, Actor: operator})
}

// reconciles checks that nothing was lost on the way.
func (w *world) reconciles() {
	report, err := w.workers.Reconcile.Report(context.Background())
	require.NoError(w.t, err)
	require.Empty(w.t, report.Differences)
	require.Empty(w.t, report.Unreached)
}

// work makes every job due, wherever its delay stands, and works until a round changes nothing more than periodic jobs do.
func (w *world) work() {
	w.t.Helper()
	for range 3 {
		w.round()
	}
}

// round works once on every job there is, but for kinds called by tests themselves.
func (w *world) round() {
	w.t.Helper()
	w.roundWithout()
}

// roundWithout is a round without some periodic jobs.
func (w *world) roundWithout(kinds ...tasks.Kind) {
	w.t.Helper()
	ctx := context.Background()
	kinds = append(kinds, tasks.Reconcile, tasks.Cleanup, tasks.RefreshPrices, tasks.WatchConditions)
	_, err := w.db.NewRaw("update jobs set run_at = now() where kind not in (?)", bun.List(kinds)).Exec(ctx)
	require.NoError(w.t, err)
	due, err := w.store.TakeDue(ctx, nil, 10000, tasks.Visibility)
	require.NoError(w.t, err)
	w.doAll(due)
}

// doAll works on jobs, one after the other, each with the rights of its process, unless a test gave the workers a store.
func (w *world) doAll(due []store.DueJob) {
	w.t.Helper()
	begun := w.workers.Store
	defer func() { w.workers.Store = begun }()
	for _, j := range due {
		if begun == w.acts {
			w.workers.Store = w.worker
			if tasks.Specs[tasks.Kind(j.Kind)].Queue == tasks.Signing {
				w.workers.Store = w.signer
			}
		}
		require.NoError(w.t, w.workers.Do(context.Background(), tasks.Job{Kind: tasks.Kind(j.Kind), Ref: j.Ref, Attempt: j.Attempt}))
	}
}

// mine adds blocks to a network and lets the workers see each. Periodic work comes after the last of them.
func (w *world) mine(network string, blocks int) {
	w.t.Helper()
	for range blocks {
		_, err := w.chain.Mine(context.Background(), network, 1)
		require.NoError(w.t, err)
		w.roundWithout(tasks.ExpirePayins, tasks.RevokeWallets, tasks.CheckWallets)
	}
	w.work()
}

// payin records a payin of the merchant at a fresh address.
func (w *world) payin(network, token, amount string, change ...func(*pay.Payin)) *pay.Payin {
	w.t.Helper()
	ctx := context.Background()
	n, _ := w.registry.Network(network)
	index, err := w.store.NextAddressIndex(ctx)
	require.NoError(w.t, err)
	address, err := n.Addresser.Derive(ctx, uint32(index))
	require.NoError(w.t, err)
	p := &pay.Payin{ID: uuid.Must(uuid.NewV7()), MerchantID: w.merchant, ReferenceID: uuid.NewString(), Wallet: address, Token: token, Asset: token,
		Network: network, ProcessBy: pay.ByCrypto, Amount: dec(amount), FiatCurrency: "USD", MinimumPayment: dec("100"), WebhookURL: w.receiver.URL,
		Status: pay.PayinPending, ExpiresAt: time.Now().Add(time.Hour)}
	for _, c := range change {
		c(p)
	}
	added, err := w.store.AddPayin(ctx, p, &pay.Address{Family: n.Family, Match: n.Addresser.Match(address), Address: address,
		Position: index, PayinID: &p.ID})
	require.NoError(w.t, err)
	require.True(w.t, added)
	return p
}

// pays sends a transfer on a network.
func (w *world) pays(network, token, to, amount string) string {
	w.t.Helper()
	txid, err := w.chain.Pay(context.Background(), sandbox.Payment{Network: network, Token: token, To: to, Amount: dec(amount)})
	require.NoError(w.t, err)
	return txid
}

// payout records a payout of the merchant, fees on top: a rate of 1 % and a network fee of 1.
func (w *world) payout(network, token, amount, to string) *pay.Payout {
	w.t.Helper()
	p := &pay.Payout{ID: uuid.Must(uuid.NewV7()), MerchantID: w.merchant, KeyID: "key", ReferenceID: uuid.NewString(), Wallet: to,
		Token: token, Asset: token,
		Network: network, ProcessBy: pay.ByCrypto, NetworkFee: dec("1"), PaysNetworkFee: true, PercentRate: dec("1"), FiatCurrency: "USD", WebhookURL: w.receiver.URL}
	require.NoError(w.t, ledger.PayoutFees(p, dec(amount), 6))
	p.Seal = seals.Make(p.Sealed()...)
	out, err := w.store.RecordPayouts(context.Background(), []store.PayoutItem{{Payout: p, HoldDigest: ledger.PayoutHeld(p).Digest}})
	require.NoError(w.t, err)
	require.Equal(w.t, "created", out[0].Outcome)
	return p
}

// fund gives the merchant a balance the only way there is: by a payin.
func (w *world) fund(network, token, amount string) {
	w.t.Helper()
	p := w.payin(network, token, amount)
	w.pays(network, token, p.Wallet, amount)
	w.mine(network, 4)
	w.receiver.clear()
}

func (w *world) balance(asset string) ledger.Balance {
	w.t.Helper()
	all, err := ledger.Balances(context.Background(), w.db, w.merchant)
	require.NoError(w.t, err)
	return all[asset]
}

func (w *world) payinNow(id uuid.UUID) *pay.Payin {
	w.t.Helper()
	p, err := w.store.Payin(context.Background(), id)
	require.NoError(w.t, err)
	return p
}

func (w *world) payoutNow(id uuid.UUID) *pay.Payout {
	w.t.Helper()
	p, err := w.store.Payout(context.Background(), id)
	require.NoError(w.t, err)
	return p
}

func (w *world) equal(want string, got decimal.Decimal) {
	w.t.Helper()
	require.Equal(w.t, dec(want).String(), got.String())
}

func dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }

// faults sets one fault of a sandbox network, or clears all with an empty value.
func (w *world) faults(network, name, value string) {
	w.t.Helper()
	var err error
	if value == "" {
		_, err = w.chain.ClearFaults(context.Background(), network)
	} else {
		_, err = w.chain.SetFaults(context.Background(), network, map[string]string{name: value})
	}
	require.NoError(w.t, err)
}

// paidTo sums the USDT of an address on a network at its head.
func (w *world) paidTo(network, address string) decimal.Decimal {
	w.t.Helper()
	n, _ := w.registry.Network(network)
	head, err := n.Scanner.Head(context.Background(), -1)
	require.NoError(w.t, err)
	held, err := n.Holder.Holdings(context.Background(), "USDT", []string{address}, head.Height)
	require.NoError(w.t, err)
	return held[0]
}

func broadcastOf(p *pay.Payout) tasks.Job {
	return tasks.Job{Kind: tasks.BroadcastPayout, Ref: p.ID}
}
