package workers_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/migrations"
	"causeway/tasks"
	"causeway/workers"
)

// loner is a signer with a memory and nodes of its own, that believes it is alone.
type loner struct {
	*workers.Workers
	mu        sync.Mutex
	signed    []string // txids
	stopsAt   string   // the point where meanwhile happens, once
	meanwhile func()
}

// The points of a signer at work on a payout.
const (
	atPrepared = "it has asked the node, and signed nothing"
	atSigning  = "it signs, and has committed nothing"
	atSaved    = "it has saved the bytes, and sent nothing"
	atSent     = "it has sent the bytes, and not recorded it"
)

func (s *loner) passes(point string) {
	s.mu.Lock()
	meanwhile := s.meanwhile
	if point != s.stopsAt {
		meanwhile = nil
	}
	if meanwhile != nil {
		s.stopsAt, s.meanwhile = "", nil
	}
	s.mu.Unlock()
	if meanwhile != nil {
		meanwhile()
	}
}

// senderOfLoner tells a signer which point it passes.
type senderOfLoner struct {
	chains.Sender
	of *loner
}

func (s senderOfLoner) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	draft, err := s.Sender.Prepare(ctx, spend)
	s.of.passes(atPrepared)
	if chooser, is := draft.(chains.Chooser); is {
		return chooserOfLoner{chooser, s.of}, err
	}
	return draftOfLoner{draft, s.of}, err
}

func (s senderOfLoner) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	s.of.passes(atSaved)
	outcome, why := s.Sender.Broadcast(ctx, raw)
	s.of.passes(atSent)
	return outcome, why
}

type draftOfLoner struct {
	chains.Draft
	of *loner
}

func (d draftOfLoner) Sign(slot chains.Slot) (chains.Signed, error) { return d.of.sign(d.Draft, slot) }

type chooserOfLoner struct {
	chains.Chooser
	of *loner
}

func (d chooserOfLoner) Sign(slot chains.Slot) (chains.Signed, error) {
	return d.of.sign(d.Chooser, slot)
}

func (s *loner) sign(d chains.Draft, slot chains.Slot) (chains.Signed, error) {
	signed, err := d.Sign(slot)
	s.mu.Lock()
	s.signed = append(s.signed, signed.Txid)
	s.mu.Unlock()
	s.passes(atSigning)
	return signed, err
}

// loner makes a signer like that of the world, with the rights of one.
func (w *world) loner(network string) *loner {
	w.t.Helper()
	n, ok := pay.NetworkNamed(network)
	require.True(w.t, ok)
	registry, err := chains.NewRegistry(sandbox.OpenAll(w.db, []pay.Network{*n}, sandbox.Options{Signs: true})...)
	require.NoError(w.t, err)
	s := &loner{}
	mine, _ := registry.Network(network)
	mine.Sender = senderOfLoner{mine.Sender, s}
	log := logrus.New()
	log.SetOutput(w.t.Output())
	s.Workers = workers.New(workers.Options{Store: store.New(testkit.DBAs(w.t, migrations.SignerRole)), Networks: registry, Bell: silent{}, Seals: seals, Log: log})
	return s
}

// does works on a job, and stops at a point for something else.
func (s *loner) does(j store.DueJob, point string, meanwhile func()) error {
	s.stopsAt, s.meanwhile = point, meanwhile
	return s.Do(context.Background(), tasks.Job{Kind: tasks.Kind(j.Kind), Ref: j.Ref, Attempt: j.Attempt})
}

// blocked reports whether a statement of this database waits for the lock of another.
func (w *world) blocked() bool {
	return w.count("select count(*) from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()") > 0
}

// Two signers work on one payout, and neither knows of the other: by the same task twice, as when Redis doubles it, or by two attempts, as
// when the first one was believed dead. Wherever the first one stops while the second one does all it can, one transaction is signed, and
// it pays once. The rows decide this, and no lease of a process.
func TestTwoSignersThatBelieveTheyAreAlone(t *testing.T) {
	t.Parallel()
	for _, on := range []struct{ network, token, to string }{
		{"Ethereum", "USDT", destination}, {"Tron", "USDT", tronPayee}, {"Bitcoin", "BTC", coinPayees[0]},
	} {
		t.Run(on.network, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, on.network)
			w.fund(on.network, on.token, "100")
			first, second := w.loner(on.network), w.loner(on.network)
			var all []*pay.Payout
			for _, point := range []string{atPrepared, atSigning, atSaved, atSent} {
				for _, attempts := range []int{1, 2} {
					p := w.payout(on.network, on.token, "1", on.to)
					w.bothSign(p, first, second, point, attempts)
					all = append(all, p)
					if on.network == "Bitcoin" { // its coin is free again in a block
						w.mine(on.network, 1)
					}
				}
			}
			w.mine(on.network, 8)
			for _, p := range all {
				require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
				require.Len(t, w.signedFor(p), 1)
			}
		})
	}
}

// bothSign lets a second signer work on a payout while the first one stands at a point, and checks that one transaction was signed and saved.
func (w *world) bothSign(p *pay.Payout, first, second *loner, point string, attempts int) {
	w.t.Helper()
	what := fmt.Sprintf("%d attempts; the first signer stops where %s", attempts, point)
	one := w.takesBroadcast(p)
	first.signed, second.signed = nil, nil
	ended := make(chan error, 1)
	stopped := false
	err := first.does(one, point, func() {
		stopped = true
		other := one
		if attempts > 1 {
			other = w.takesBroadcast(p)
		}
		go func() { ended <- second.does(other, "", nil) }()
		testkit.Eventually(w.t, time.Minute, func() bool { return len(ended) > 0 || w.blocked() }, "the second signer to end, or to wait for the first")
	})
	require.NoError(w.t, err, what)
	require.True(w.t, stopped, what)
	require.NoError(w.t, <-ended, what)
	txids := map[string]bool{}
	for _, txid := range append(first.signed, second.signed...) {
		txids[txid] = true
	}
	require.Len(w.t, txids, 1, what)
	history, err := w.store.SignedOf(w.t.Context(), p.ID)
	require.NoError(w.t, err)
	require.Len(w.t, history, 1, what)
	require.True(w.t, txids[history[0].Txid], what)
}

// takesBroadcast takes the job of a payout as a relay would when it is due.
func (w *world) takesBroadcast(p *pay.Payout) store.DueJob {
	w.t.Helper()
	w.exec("update jobs set run_at = now() where kind = 'payout.broadcast' and ref = ?", p.ID)
	due := w.takeBroadcasts()
	require.Len(w.t, due, 1)
	require.Equal(w.t, p.ID, due[0].Ref)
	return due[0]
}
