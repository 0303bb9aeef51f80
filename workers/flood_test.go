package workers_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/pay"
	"causeway/store"
	"causeway/workers"
)

// statements counts those that are not prepared.
type statements struct{ n atomic.Int32 }

func (s *statements) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context {
	s.n.Add(1)
	return ctx
}

func (s *statements) AfterQuery(context.Context, *bun.QueryEvent) {}

// Anybody may send any number of transfers to a fixed wallet: a step asks for all of them as often as for one of each kind.
func TestAStepReadsOwnersOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.exec("update merchants set wallets_webhook_url = ?", w.receiver.URL)
	first, second := w.wallet("Tron", "first"), w.wallet("Tron", "second")
	p := w.payin("Tron", "USDT", "250")
	w.exec("update tokens set deposits = false where symbol = 'TRX' and network = 'Tron'")
	asked := &statements{}
	w.workers.Store = store.New(w.db.WithQueryHook(asked))
	took := func(transfers int) int32 {
		for range transfers {
			for _, wallet := range []*pay.Wallet{first, second} {
				w.pays("Tron", "USDT", wallet.Wallet, "0.02")
				w.pays("Tron", "USDT", wallet.Wallet, "0.000001")
				w.pays("Tron", "TRX", wallet.Wallet, "1")
			}
			w.pays("Tron", "USDT", p.Wallet, "0.02")
			w.pays("Tron", "TRX", p.Wallet, "1")
		}
		_, err := w.chain.Mine(t.Context(), "Tron", 1)
		require.NoError(t, err)
		before := asked.n.Load()
		w.follow(t.Context())
		return asked.n.Load() - before
	}
	took(1)
	one := took(1)
	require.Equal(t, one, took(20))
	w.mine("Tron", 4)
	require.Len(t, w.payinsOf(first), 22)
	require.Equal(t, 44, w.count("select count(*) from transfers where status = 'ignored'"))
	require.Equal(t, 66, w.count("select count(*) from transfers where status = 'unclaimed'"))
	require.Equal(t, 22, w.count("select count(*) from transfers where payin_id = ? and status = 'final'", p.ID))
	require.Equal(t, 2, w.count("select count(*) from wallets where last_transaction_at is not null"))
}

// A step takes no further block once it has as many transfers to us as it takes; the next takes up there, and the mempool waits for
// the step that has the last block.
func TestAStepTakesSoManyArrivals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.payin("Tron", "USDT", "250")
	w.pays("Tron", "USDT", p.Wallet, "50")
	w.follow(t.Context()) // it is in the mempool, and stays there
	require.Equal(t, 1, w.count("select count(*) from transfers where status = 'seen' and height is null"))
	followed := w.count("select max(height) from chain_blocks")
	w.exec("update sandbox_transactions set state = 'dropped' where state = 'pending'")
	for _, arrivals := range []int{1, 3, 0, 1, 1, 0} {
		for range arrivals {
			w.pays("Tron", "USDT", p.Wallet, "1")
		}
		_, err := w.chain.Mine(t.Context(), "Tron", 1)
		require.NoError(t, err)
	}
	w.exec("update sandbox_transactions set state = 'pending' where state = 'dropped'")
	w.pays("Tron", "USDT", p.Wallet, "2")
	w.workers.Follow = workers.Pace{Busy: time.Hour, Idle: time.Hour}
	w.workers.TakeArrivals(2)
	begun, err := w.store.Now(t.Context())
	require.NoError(t, err)
	for _, step := range []struct{ blocks, transfers, waiting int }{{2, 5, 1}, {5, 7, 1}, {6, 8, 2}} {
		w.follow(t.Context())
		require.Equal(t, followed+step.blocks, w.count("select max(height) from chain_blocks"))
		require.Equal(t, step.transfers, w.count("select count(*) from transfers where payin_id = ?", p.ID))
		require.Equal(t, step.waiting, w.count("select count(*) from transfers where status = 'seen' and height is null"))
		require.Equal(t, step.blocks < 6, w.count("select count(*) from jobs where kind = 'network.follow' and run_at <= now()") == 1)
		require.Equal(t, step.blocks == 6, w.count("select count(*) from followers where passed_until > ?", begun) == 1, "blocks are missing until then")
	}
	w.workers.TakeArrivals(0)
	w.mine("Tron", 5)
	w.equal("58", w.payinNow(p.ID).Received)
}
