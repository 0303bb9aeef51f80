package workers_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/follow"
)

// statements counts the unprepared ones.
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

// A step takes no further block once it has its fill of transfers to us; the next takes up there, and the mempool waits for the step
// with the last block.
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
	w.workers.Follow.Pace = follow.Pace{Busy: time.Hour, Idle: time.Hour}
	w.workers.Follow.Pace.Arrivals = 2
	begun, err := w.store.Now(t.Context())
	require.NoError(t, err)
	for _, step := range []struct{ blocks, transfers, waiting int }{{2, 5, 1}, {4, 7, 2}, {6, 8, 2}} {
		w.follow(t.Context())
		require.Equal(t, followed+step.blocks, w.count("select max(height) from chain_blocks"))
		require.Equal(t, step.transfers, w.count("select count(*) from transfers where payin_id = ?", p.ID))
		require.Equal(t, step.waiting, w.count("select count(*) from transfers where status = 'seen' and height is null"))
		require.Equal(t, step.blocks < 6, w.count("select count(*) from jobs where kind = 'network.follow' and run_at <= now()") == 1)
		require.Equal(t, step.blocks == 6, w.count("select count(*) from followers where passed_until > ?", begun) == 1, "blocks are missing until then")
	}
	w.workers.Follow.Pace.Arrivals = 0
	w.mine("Tron", 5)
	w.equal("58", w.payinNow(p.ID).Received)
}

// Anybody knowing the address of a payin may send any number of transfers there: its webhooks name the largest, in the order they
// were seen, and the sum of the others. All of them count.
//
// Covers addendum §8: Of a payin with more than 500 transfers
func TestWebhooksNameTheLargestTransfers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.payin("Tron", "USDT", "250")
	tron, _ := w.registry.Network("Tron")
	w.exec(`insert into sandbox_transactions (network, txid, sender, sender_match, recipient, recipient_match, token, amount, state)
		select 'Tron', 'dust-' || i, 'faucet', 'faucet', ?0, ?1, 'USDT', 0.000001, 'pending' from generate_series(1, 600) i`,
		p.Wallet, tron.Addresser.Match(p.Wallet))
	paid := w.pays("Tron", "USDT", p.Wallet, "250")
	w.mine("Tron", 1)
	w.mine("Tron", 1)
	require.Equal(t, []string{"payment_detected:pending", "payment_confirmed:success"}, w.receiver.got())
	notes := w.receiver.at("")
	require.Nil(t, notes[0].Data["payments_omitted"], "nothing is credited")
	require.Equal(t, 500, strings.Count(notes[0].Data["txid"].(string), `"`)/2)
	require.Contains(t, notes[0].Data["txid"], paid)
	data := notes[1].Data
	require.Len(t, data["payments"], 500)
	require.Equal(t, map[string]any{"count": 101.0, "amount": "0.000101"}, data["payments_omitted"])
	require.Contains(t, data["txid"], paid)
	require.Equal(t, "250.0006", data["received_amount"])
	require.Equal(t, "overpaid", data["payment_status"])
	require.Equal(t, false, data["funds_available"])
	w.mine("Tron", 3)
	w.equal("250.0006", w.balance("USDT").Available)
}

// Somebody sends any number of uncredited transfers of a token with larger figures. This hides no payment: the webhook of the moment
// of its credit names it.
//
// Covers addendum §8: The 500 are the largest of each kind in turn
func TestWebhooksNameThePaymentAmongWhatIsNotCredited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.payin("Tron", "USDT", "0.3")
	tron, _ := w.registry.Network("Tron")
	paid := w.pays("Tron", "USDT", p.Wallet, "0.3")
	w.mine("Tron", 1)
	w.exec(`insert into sandbox_transactions (network, txid, sender, sender_match, recipient, recipient_match, token, amount, state)
		select 'Tron', 'dust-' || i, 'faucet', 'faucet', ?0, ?1, 'TRX', 0.31, 'pending' from generate_series(1, 500) i`,
		p.Wallet, tron.Addresser.Match(p.Wallet))
	w.mine("Tron", 1)
	require.Equal(t, []string{"payment_detected:pending", "payment_confirmed:success"}, w.receiver.got())
	require.Equal(t, 500, w.count("select count(*) from transfers where payin_id = ? and status = 'seen'", p.ID))
	data := w.receiver.at("")[1].Data
	require.Len(t, data["payments"], 1)
	require.Equal(t, `["`+paid+`"]`, data["txid"])
	require.Nil(t, data["payments_omitted"])
}
