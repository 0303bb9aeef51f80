package workers_test

import (
	"context"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/chains/sandbox"
	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/migrations"
)

// minedOtherwise has a network undo its newest blocks, and a transaction in them do something else when it is mined again, as a
// contract's may.
func (w *world) minedOtherwise(network string, depth int, txid, recipient, amount string) {
	w.t.Helper()
	n, there := w.registry.Network(network)
	require.True(w.t, there)
	_, err := w.db.NewRaw(`with it as (select * from sandbox_transactions where network = ? and txid = ?), new as (select ? as recipient, ? as match, ?::numeric as amount),
		held as (
			insert into sandbox_holdings as h (network, address, token, amount) select network, address, token, sum(moved)
			from it, new, lateral (values (recipient_match, -it.amount), (match, new.amount)) as x(address, moved) group by 1, 2, 3
			on conflict (network, address, token) do update set amount = h.amount + excluded.amount)
		update sandbox_transactions t set recipient = new.recipient, recipient_match = match, amount = new.amount
		from it, new where t.network = it.network and t.txid = it.txid`,
		network, txid, recipient, n.Addresser.Match(recipient), amount).Exec(context.Background())
	require.NoError(w.t, err)
	_, err = w.chain.Reorg(context.Background(), network, depth)
	require.NoError(w.t, err)
	w.work()
	w.mine(network, 8)
}

// The amount moved by a payment mined again is credited, whether the first was seen or credited.
func TestMinedAgainWithLess(t *testing.T) {
	t.Parallel()
	for blocks, reversal := range map[int]string{1: "", 4: `{"LTC": "0.9"}`} {
		w := newWorld(t, "Litecoin")
		p := w.payin("Litecoin", "LTC", "1")
		txid := w.pays("Litecoin", "LTC", p.Wallet, "1")
		w.mine("Litecoin", blocks)
		w.minedOtherwise("Litecoin", blocks+1, txid, p.Wallet, "0.1")
		got := w.payinNow(p.ID)
		w.equal("0.1", got.Received)
		w.equal("0.1", w.balance("LTC").Available)
		require.Equal(t, reversal, string(got.Reversal))
		require.Equal(t, reversal != "", got.Status == pay.PayinReversed)
		var left decimal.Decimal
		require.NoError(t, w.db.NewRaw("select sum(amount) from transfers where txid = ? and status <> 'dropped'", txid).
			Scan(context.Background(), &left))
		w.equal("0.1", left)
	}
}

// A payment to somebody else when it is mined again is credited to them, and to nobody else.
func TestMinedAgainToAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Litecoin")
	first, second := w.payin("Litecoin", "LTC", "1"), w.payin("Litecoin", "LTC", "1")
	txid := w.pays("Litecoin", "LTC", first.Wallet, "1")
	w.mine("Litecoin", 4)
	require.Equal(t, pay.PayinCompleted, w.payinNow(first.ID).Status)
	w.minedOtherwise("Litecoin", 6, txid, second.Wallet, "1")
	require.Equal(t, pay.PayinReversed, w.payinNow(first.ID).Status)
	require.Equal(t, pay.PayinCompleted, w.payinNow(second.ID).Status)
	w.equal("1", w.balance("LTC").Available)
}

// A payment counted as nothing, for want of a price, and mined again leaves its payin as it was.
func TestUnpricedMinedAgain(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, "Ethereum")
	whole, part := w.payin("Ethereum", "USDT", "5"), w.payin("Ethereum", "USDT", "5")
	w.pays("Ethereum", "USDT", whole.Wallet, "5")
	w.mine("Ethereum", 4)
	_, err := w.db.NewRaw("delete from prices").Exec(ctx)
	require.NoError(t, err)
	w.pays("Ethereum", "ETH", whole.Wallet, "5")
	w.pays("Ethereum", "ETH", part.Wallet, "5")
	w.mine("Ethereum", 4)
	_, err = w.chain.Reorg(ctx, "Ethereum", 5)
	require.NoError(t, err)
	w.work()
	w.mine("Ethereum", 8)
	require.Equal(t, pay.PayinCompleted, w.payinNow(whole.ID).Status)
	require.Equal(t, pay.PayinPending, w.payinNow(part.ID).Status)
	for _, p := range []*pay.Payin{whole, part} {
		require.Nil(t, w.payinNow(p.ID).ReversedAt)
		require.Nil(t, w.payinNow(p.ID).Reversal)
	}
}

// A part of a payin with a memo is undone; its merchant gives the memo to another payin meanwhile, and the part is mined again.
func TestMinedAgainAfterItsMemoWasGiven(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, "Ripple")
	first := w.memoPayin("Ripple", "XRP", "12345678")
	pay4 := sandbox.Payment{Network: "Ripple", Token: "XRP", To: first.Wallet, Amount: dec("4"), Memo: "12345678"}
	paid, err := w.chain.Pay(ctx, pay4)
	require.NoError(t, err)
	w.mine("Ripple", 4)
	_, err = w.chain.Reorg(ctx, "Ripple", 5, paid)
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayinReversed, w.payinNow(first.ID).Status)
	second := w.memoPayin("Ripple", "XRP", "12345678")
	for _, p := range []*pay.Payin{first, second} { // as the front records them
		_, err = w.db.NewRaw("update payins set wallet = ? where id = ?", first.Wallet, p.ID).Exec(ctx)
		require.NoError(t, err)
	}
	pay4.Txid = paid
	_, err = w.chain.Pay(ctx, pay4)
	require.NoError(t, err)
	w.mine("Ripple", 4)
	got := w.payinNow(first.ID)
	require.Equal(t, pay.PayinPending, got.Status)
	w.equal("4", got.Received)
	require.Equal(t, pay.PayinPending, w.payinNow(second.ID).Status)
	w.equal("0", w.payinNow(second.ID).Received)
}

// Columns added to every table by a newer version are nothing to processes of this one; they go on until they are replaced.
func TestColumnsOfANewerVersion(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, "Litecoin", "Ethereum")
	w.fund("Ethereum", "USDT", "1000")
	in, out := w.payin("Litecoin", "LTC", "1"), w.payout("Ethereum", "USDT", "5", destination)
	w.pays("Litecoin", "LTC", in.Wallet, "1")
	w.work()
	var tables []string
	require.NoError(t, w.db.NewRaw(`select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
		and not relispartition and relname not like 'sandbox%'`).Scan(ctx, &tables))
	for _, name := range tables {
		_, err := w.db.NewRaw("alter table ? add column of_a_newer_version int not null default 0", bun.Ident(name)).Exec(ctx)
		require.NoError(t, err)
	}
	w.mine("Litecoin", 4)
	db := testkit.DBAs(t, migrations.DevRole) // its next connections see the columns from the beginning
	db.SetMaxIdleConns(0)
	db.SetMaxIdleConns(1)
	_, err := w.chain.Reorg(ctx, "Litecoin", 6)
	require.NoError(t, err)
	w.work()
	w.mine("Litecoin", 8)
	w.mine("Ethereum", 4)
	require.Equal(t, pay.PayinCompleted, w.payinNow(in.ID).Status)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(out.ID).Status)
	desk := &admin.Admin{Store: w.store, Actor: "ann"}
	_, err = desk.Payout(ctx, out.ID.String())
	require.NoError(t, err)
	_, err = desk.Health(ctx)
	require.NoError(t, err)
	report, err := w.workers.Reconcile.Report(ctx)
	require.NoError(t, err)
	require.Empty(t, report.Differences)
}
