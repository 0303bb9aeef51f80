package workers_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/tasks"
)

// meanwhile is a sender with an interruption during its next question to the network.
type meanwhile struct {
	chains.Sender
	mu      sync.Mutex
	happens func()
}

func (m *meanwhile) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	draft, err := m.Sender.Prepare(ctx, spend)
	m.mu.Lock()
	happens := m.happens
	m.happens = nil
	m.mu.Unlock()
	if happens != nil {
		happens()
	}
	return draft, err
}

// meanwhile has something happen after the next payout of a network was prepared and before it is signed.
func (w *world) meanwhile(network string, happens func()) {
	n, _ := w.registry.Network(network)
	n.Sender = &meanwhile{Sender: n.Sender, happens: happens}
}

// stops are an operator's acts to stop an unsigned payout.
var stops = map[string]func(*admin.Admin, context.Context, string) (*admin.Payout, error){
	"declined": (*admin.Admin).DeclinePayout, "cancelled": (*admin.Admin).CancelPayout,
}

// TestAPayoutThatIsStoppedMeanwhileIsNotSigned: the network was asked about it already when the operator says no.
//
// Covers operator §Console: A payout above a limit
func TestAPayoutThatIsStoppedMeanwhileIsNotSigned(t *testing.T) {
	t.Parallel()
	for name, stop := range stops {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.fund("Ethereum", "USDT", "100")
			p := w.payout("Ethereum", "USDT", "50", destination)
			w.meanwhile("Ethereum", func() {
				_, err := stop(&admin.Admin{Store: w.store, Actor: "ann"}, t.Context(), p.ID.String())
				require.NoError(t, err)
			})
			w.round()
			w.mine("Ethereum", 6)
			require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
			signed, err := w.store.SignedOf(t.Context(), p.ID)
			require.NoError(t, err)
			require.Empty(t, signed)
			w.equal("100", w.balance("USDT").Available)
			w.equal("0", w.paidTo("Ethereum", destination))
		})
	}
}

// TestAStoppedPayoutIsNotDecidedAgain: the next to decide is told of the earlier decision.
func TestAStoppedPayoutIsNotDecidedAgain(t *testing.T) {
	t.Parallel()
	for name, stop := range stops {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			a := &admin.Admin{Store: w.store, Actor: "ann"}
			w.fund("Ethereum", "USDT", "100")
			p := w.payout("Ethereum", "USDT", "50", destination)
			_, err := stop(a, t.Context(), p.ID.String())
			require.NoError(t, err)
			for _, decide := range []func(context.Context, string) (*admin.Payout, error){a.DeclinePayout, a.ApprovePayout} {
				_, err = decide(t.Context(), p.ID.String())
				require.ErrorAs(t, err, new(admin.Refusal))
				require.ErrorContains(t, err, name)
			}
		})
	}
}

// TestAPayoutThatIsStoppedAsItIsPutOffIsRefundedAtOnce: an attempt has found it above a limit, and is about to put it off.
func TestAPayoutThatIsStoppedAsItIsPutOffIsRefundedAtOnce(t *testing.T) {
	t.Parallel()
	for name, stop := range stops {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.fund("Ethereum", "USDT", "100")
			w.limit("USDT", "10")
			p := w.payout("Ethereum", "USDT", "50", destination)
			merchant, err := w.db.BeginTx(t.Context(), nil)
			require.NoError(t, err)
			defer func() { _ = merchant.Rollback() }()
			_, err = merchant.ExecContext(t.Context(), "select from merchants for update")
			require.NoError(t, err)
			done := make(chan struct{})
			go func() {
				defer close(done)
				w.broadcast(p.ID)
			}()
			testkit.Eventually(t, time.Minute, func() bool {
				return w.count("select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") > 0
			}, "the attempt waits for the merchant")
			_, err = stop(&admin.Admin{Store: w.store, Actor: "ann"}, t.Context(), p.ID.String())
			require.NoError(t, err)
			require.NoError(t, merchant.Rollback())
			<-done
			require.Equal(t, 1, w.count("select count(*) from jobs where kind = 'payout.broadcast' and run_at <= now()"))
			w.broadcast(p.ID)
			require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
		})
	}
}

// broadcast works on a payout's job, whenever it is due.
func (w *world) broadcast(id uuid.UUID) {
	j, err := w.store.TakeJob(context.Background(), string(tasks.BroadcastPayout), id, tasks.Visibility, "")
	if err == nil {
		err = w.workers.Do(context.Background(), tasks.Job{Kind: tasks.BroadcastPayout, Ref: j.Ref, Attempt: j.Attempt})
	}
	if err != nil {
		w.t.Error(err)
	}
}

// cancelledWhileSent is a sender with an interruption after its bytes are with the network, before it answers.
type cancelledWhileSent struct {
	chains.Sender
	happens func()
}

func (c *cancelledWhileSent) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	outcome, why := c.Sender.Broadcast(ctx, raw)
	if happens := c.happens; happens != nil {
		c.happens = nil
		happens()
	}
	return outcome, why
}

// TestAPayoutThatIsCancelledWhileItIsSentIsCancelled: the attempt sending it does not know, and must not end its job.
func TestAPayoutThatIsCancelledWhileItIsSentIsCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	n, _ := w.registry.Network("Ethereum")
	p := w.payout("Ethereum", "USDT", "50", destination)
	n.Sender = &cancelledWhileSent{n.Sender, func() { w.cancels(p) }}
	w.work()
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.equal("100", w.balance("USDT").Available)
	w.equal("0", w.paidTo("Ethereum", destination))
}
