package simulation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/internal/batch/gather"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/webhooks"
	"causeway/scheduler"
	"causeway/tasks"
	"causeway/workers"
	"causeway/workers/follow"
)

// networks are those of a simulation: three sharing an asset, two of them also addresses, one with memos to tell payins
// apart. Their transactions exclude each other by time, by number, and on Bitcoin by coins.
var networks = []string{"Tron", "Ethereum", "BinanceSmartChain", "Ripple", "Bitcoin"}

// world is everything under one seed.
type world struct {
	t      *testing.T
	seed   uint64
	random *rand.Rand
	clock  clock
	past   []string // everything so far, for the report of a failure
	replay string   // the flags to play it again

	db       *bun.DB
	store    *store.Store
	registry *chains.Registry
	chain    sandbox.Operator
	webhooks *webhooks.Client
	safe     *vault.Vault
	log      *logrus.Logger
	relays   []*scheduler.Relay // they take turns
	bell     *bell
	receiver *receiver

	stopped []*fiber        // in the middle of something
	most    crowd           // of them at once
	points  sync.Mutex      // guards the fibers' counts and draws, and whether one is dead
	passed  map[string]int  // points by name
	fatal   map[string]bool // the next fiber to come to one of these points dies there

	merchants []uuid.UUID
	wallets   []place // where transfers can be sent to, beside the payins
	payins    []place
	payouts   []*pay.Payout   // as requested; each has a destination of its own
	payments  []payment       // from outside, in the order they were made
	answered  []uuid.UUID     // payouts answered to a client as created
	serial    int             // of references, memos and destinations
	rejects   bool            // networks may reject payouts for good; then no reorganisation drops a payout
	shallow   bool            // no reorganisation undoes a final block
	ruled     bool            // the treasury has rules
	undone    bool            // one has
	crowded   bool            // most processes stop in the middle of their work
	cuts      bool            // connections to the database are lost under living processes
	lost      int             // so many were
	asked     map[string]int  // statements by name, of living processes
	severed   map[string]loss // the loss of the next statement of a name
	ill       *rand.Rand      // draws the losses, so a seed without losses keeps its story
	along     *rand.Rand      // draws the coin that comes beside payments
}

// place is an address of ours on a network.
type place struct{ network, address, memo string }

// payment is a transfer from outside.
type payment struct{ network, txid string }

// newWorld makes the world of a seed, before its first step.
func newWorld(t *testing.T, seed uint64) *world {
	t.Helper()
	plain := testkit.DB(t)
	_, err := plain.ExecContext(t.Context(), clockSQL)
	require.NoError(t, err)
	db := openWire(t, testkit.DSN(t))
	w := &world{t: t, seed: seed, random: rand.New(rand.NewPCG(seed, 0)), db: db, store: store.New(db), clock: clock{db},
		chain: sandbox.Operator{DB: db},
		bell:  &bell{}, receiver: newReceiver(t), passed: map[string]int{}, asked: map[string]int{}}
	w.rejects, w.shallow, w.ruled = seed%3 == 0, seed%4 == 1, seed%5 != 0
	w.ill, w.along = rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))
	w.openNetworks()
	log := logrus.New()
	log.SetOutput(io.Discard) // the report has the important lines
	log.AddHook(alarm{w})
	safe := vault.New(make([]byte, 32))
	w.log, w.safe, w.webhooks = log, safe, webhooks.NewClient(webhooks.Options{AllowedHosts: []string{"127.0.0.1"}})
	t.Cleanup(w.webhooks.Close)
	for range 3 {
		w.relays = append(w.relays, w.newRelay())
	}
	for range 3 {
		w.newMerchant(safe)
	}
	w.setRules()
	w.setCoinRule()
	require.NoError(t, scheduler.Plan(t.Context(), w.store, networks))
	return w
}

// plenty is the worth of each token of a hot wallet in USD: no play comes to its end.
var plenty = decimal.New(1, 15)

func (w *world) openNetworks() {
	all := make([]pay.Network, len(networks))
	for i, name := range networks {
		n, _ := pay.NetworkNamed(name)
		all[i] = *n
	}
	require.NoError(w.t, sandbox.Genesis(w.t.Context(), w.db, plenty, all...))
	opened := sandbox.OpenAll(w.db, all, sandbox.Options{Signs: true, Seed: w.seed})
	for _, n := range opened {
		n.BumpAfter = 1000 * time.Hour // only transactions aged by the step "age" are stuck
		n.Scanner = &nodes{Scanner: n.Scanner}
	}
	var err error
	w.registry, err = chains.NewRegistry(opened...)
	require.NoError(w.t, err)
	for _, n := range w.registry.All() {
		_, err := w.db.NewRaw("insert into sim.own values (?0, ?1, false), (?0, nullif(?2, ''), true)", n.Name, n.Hot, n.Cold).Exec(w.t.Context())
		require.NoError(w.t, err)
	}
	for _, name := range networks {
		_, err := w.chain.Mine(w.t.Context(), name, 60)
		require.NoError(w.t, err)
	}
}

func (w *world) newRelay() *scheduler.Relay {
	return &scheduler.Relay{Store: w.store, Bell: w.bell, Log: w.log, Full: 1000} // all: the seed does not choose the first ones
}

// nextRelay is the relay whose turn it is.
func (w *world) nextRelay() *scheduler.Relay {
	r := w.relays[0]
	w.relays = append(w.relays[1:], r)
	return r
}

// newWorkers is a worker process just started: a process's memory would depend on the machine's speed.
func (w *world) newWorkers() *workers.Workers {
	return workers.New(workers.Options{Store: w.store, Networks: w.registry, Bell: w.bell, Secrets: w.safe, Seals: seals, Log: w.log, Webhooks: w.webhooks,
		Follow: follow.Pace{Busy: time.Second, Idle: 5 * time.Second}, LookFor: 24 * time.Hour}) // how fast this machine is must not be in the story
}

// newMerchant makes a merchant paying fees, with a fixed wallet on each family.
func (w *world) newMerchant(safe *vault.Vault) {
	id := uuid.Must(uuid.NewV7())
	secret := safe.Seal([]byte("whsec_sim"), vault.Where("merchants", id.String(), "webhook_secret"))
	_, err := w.db.NewRaw(`insert into merchants (id, name, webhook_secret, wallets_webhook_url, receipt_rate, user_pays_receipt_network_fee)
		values (?, 'Shop', ?, ?, ?, ?)`, id, secret, w.receiver.url, w.random.IntN(3), w.random.IntN(2) == 0).Exec(w.t.Context())
	require.NoError(w.t, err)
	w.merchants = append(w.merchants, id)
	for _, name := range []string{"Tron", "Ethereum", "Bitcoin"} {
		w.newWallet(id, name)
	}
}

func (w *world) newWallet(merchant uuid.UUID, name string) {
	n, _ := w.registry.Network(name)
	a, id := w.derive(n), uuid.Must(uuid.NewV7())
	a.WalletID = &id
	require.NoError(w.t, w.store.AddWallet(w.t.Context(), &pay.Wallet{ID: id, MerchantID: merchant, Family: n.Family, CustomerInfo: "customer",
		Wallet: a.Address, Origin: "external_api", Status: pay.WalletAssigned}, a))
	w.wallets = append(w.wallets, place{name, a.Address, ""})
}

// derive returns a fresh address of ours.
func (w *world) derive(n *chains.Network) *pay.Address {
	index, err := w.store.NextAddressIndex(w.t.Context())
	require.NoError(w.t, err)
	address := w.address(n, uint32(index))
	return &pay.Address{Family: n.Family, Match: n.Addresser.Match(address), Address: address, Position: index}
}

// address returns the address of an index, however often its network loses the answer.
func (w *world) address(n *chains.Network, index uint32) string {
	for {
		address, err := n.Addresser.Derive(w.t.Context(), index)
		if err == nil {
			return address
		}
		require.ErrorIs(w.t, err, chains.ErrDown)
	}
}

// trace remembers the events.
func (w *world) trace(format string, args ...any) {
	w.past = append(w.past, fmt.Sprintf(format, args...))
}

// broken reports a broken rule, with how to see it again.
func (w *world) broken(format string, args ...any) {
	w.t.Helper()
	last := w.past[max(0, len(w.past)-60):]
	w.t.Errorf("%s\nafter\n  %s\nsee it again: go test ./internal/proof/simulation %s", fmt.Sprintf(format, args...),
		strings.Join(last, "\n  "), w.replay)
}

// chance is true so many times of a hundred.
func (w *world) chance(percent int) bool { return w.random.IntN(100) < percent }

func pick[T any](w *world, from []T) T { return from[w.random.IntN(len(from))] }

func (w *world) network() string { return pick(w, networks) }

// amount draws an amount of up to so many whole units, with so many places.
func (w *world) amount(units int64, places int32) decimal.Decimal {
	scale := decimal.New(1, places)
	return decimal.NewFromInt(1 + w.random.Int64N(units*scale.IntPart())).Div(scale)
}

// now is the moment of the simulation.
func (w *world) now() time.Time {
	at, err := w.clock.now()
	require.NoError(w.t, err)
	return at
}

// ended notes how a fiber ended.
func (w *world) ended(f *fiber) {
	switch {
	case f.dead:
		w.trace("%s is dead", f.name)
	case f.err != nil:
		w.trace("%s fails", f.name)
	default:
		w.trace("%s ends", f.name)
	}
}

// nameOf names a job for the trace, by the number of its ref instead of the ref.
func (w *world) nameOf(j tasks.Job) string { return fmt.Sprintf("%s#%d", j.Kind, j.Attempt) }

// requireNothing runs a query and fails if it finds anything.
func (w *world) requireNothing(what, query string, args ...any) {
	var found []string
	if err := w.db.NewRaw(query, args...).Scan(context.Background(), &found); err != nil {
		w.t.Fatalf("%s: %v", what, err)
	}
	if len(found) > 0 {
		w.broken("%s: %s", what, strings.Join(found, "; "))
	}
}

// alarm reports errors no failure excuses. Workers make a panic the failure of a job, and only log it.
type alarm struct{ w *world }

// Levels implements logrus.Hook.
func (alarm) Levels() []logrus.Level { return logrus.AllLevels }

// Fire implements logrus.Hook.
func (a alarm) Fire(entry *logrus.Entry) error {
	if err, is := entry.Data[logrus.ErrorKey].(error); is && errors.Is(err, gather.ErrPanic) {
		a.w.broken("%v", err)
	}
	return nil
}
