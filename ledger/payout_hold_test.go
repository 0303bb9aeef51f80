package ledger_test

import (
	"errors"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
)

// worldOfItems makes a world with items of its merchant: with each of the fees and without, and with texts of special characters.
func worldOfItems(t *testing.T) (*world, []store.PayoutItem) {
	t.Helper()
	w := oneWorld(t, 1)
	m, asset := w.merchants[0], w.assets[0]
	w.fund(t, m, asset, "1000")
	var items []store.PayoutItem
	for i, c := range []struct {
		rate, fee string
		pays      bool
	}{{"1.5", "2", true}, {"0", "2", false}, {"0.01", "0", true}, {"0", "0.000001", true}} {
		p := newPayout(w, m, asset)
		p.ReferenceID = `quoted "\` + string(rune('a'+i)) + `", {(` + "\n\té'"
		memo, note := "", `back\slash "and" quote`
		p.Memo, p.CustomerInfo, p.WebhookURL = &memo, &note, "https://hooks.test/?a=,{}()\\\""
		p.PercentRate, p.NetworkFee, p.PaysNetworkFee = decimal.RequireFromString(c.rate), decimal.RequireFromString(c.fee), c.pays
		require.NoError(t, ledger.PayoutFees(p, decimal.RequireFromString("12.50"), 6))
		items = append(items, store.PayoutItem{Payout: p, HoldDigest: ledger.PayoutHeld(p).Digest})
	}
	return w, items
}

// TestRecordedHoldsAreThoseOfTheLedger: record_payouts writes the hold by itself, to the letter as Post would have
// written it. Posting it again finds the same digest and, by reconciliation, the same postings.
func TestRecordedHoldsAreThoseOfTheLedger(t *testing.T) {
	t.Parallel()
	w, items := worldOfItems(t)
	_, err := w.store.RecordPayouts(t.Context(), items)
	require.NoError(t, err)
	for _, item := range items {
		want := ledger.PayoutHeld(item.Payout)
		requireWritten(t, w, want)
		fresh, err := ledger.Post(t.Context(), w.db, want)
		require.NoError(t, err)
		require.Zero(t, fresh)

		got, err := w.store.Payout(t.Context(), item.Payout.ID)
		require.NoError(t, err)
		require.Equal(t, item.Payout.ReferenceID, got.ReferenceID)
		require.Equal(t, item.Payout.WebhookURL, got.WebhookURL)
		require.Equal(t, item.Payout.Memo, got.Memo)
		require.Equal(t, item.Payout.CustomerInfo, got.CustomerInfo)
	}
	w.requireSound(t, t)
}

// TestRecordedRowsAreThoseOfPost compares everything record_payouts and Post write of a hold: entries, postings and
// balances, without their ids and times. Each of the two begins with the same books. Ids differ in their place as well:
// without a rate fee, the network fee is third in an entry of record_payouts and second in one of Post.
func TestRecordedRowsAreThoseOfPost(t *testing.T) {
	t.Parallel()
	w, items := worldOfItems(t)
	entries := make([]ledger.Entry, len(items))
	for i := range items {
		entries[i] = ledger.PayoutHeld(items[i].Payout)
	}
	undo := errors.New("undo")
	written := func(write func(tx *store.Store) error) (rows []string) {
		require.ErrorIs(t, w.store.InTx(t.Context(), func(tx *store.Store) error {
			require.NoError(t, write(tx))
			require.NoError(t, tx.Q.NewRaw(heldRows, w.assets[0]).Scan(t.Context(), &rows))
			return undo
		}), undo)
		return rows
	}
	posted := written(func(tx *store.Store) error {
		_, err := ledger.Post(t.Context(), tx.Q, entries...)
		return err
	})
	recorded := written(func(tx *store.Store) error {
		_, err := tx.RecordPayouts(t.Context(), items)
		return err
	})
	require.Len(t, posted, 4+8+1, "entries, postings, the balance")
	require.Equal(t, posted, recorded)
}

// heldRows are all columns of holds, as texts. Accounts are named, since a new one has another id.
const heldRows = `with held as (
		select p.*, f.name as "from", a.name as "to" from postings p join accounts f on f.id = p.from_account join accounts a on a.id = p.to_account
		where a.name = 'payouts:held' and p.asset = ?0)
	(select to_jsonb(e) - 'id' from entries e where e.id in (select id / 16 from held) order by e.id)
	union all
	(select to_jsonb(h) - 'id' - 'created_at' - 'from_account' - 'to_account' from held h order by h.id)
	union all
	select to_jsonb(b) from balances b where b.asset = ?0`

// requireWritten asserts the postings of an entry in order, as texts: the digest is made of those.
func requireWritten(t *testing.T, w *world, want ledger.Entry) {
	t.Helper()
	var got []ledger.Posting
	require.NoError(t, w.db.NewRaw(`select f.name as "from", a.name as "to", p.asset, p.amount, p.movement, p.network,
			coalesce(p.subject, case when p.movement is not null then e.subject end) as subject
		from postings p join entries e on e.id = p.id / 16 join accounts f on f.id = p.from_account join accounts a on a.id = p.to_account
		where e.subject = ? and e.kind = ? and e.turn = 0 and e.digest = ? order by p.id`, want.Subject, want.Kind, want.Digest).Scan(t.Context(), &got))
	require.Len(t, got, len(want.Postings))
	for i := range want.Postings {
		require.Equal(t, want.Postings[i].Amount.String(), got[i].Amount.String())
		got[i].Amount = want.Postings[i].Amount
	}
	require.Equal(t, want.Postings, got)
}

// A debit other than the sum of its movements would be taken from the balance and not posted.
func TestADebitThatIsNotItsMovementsIsRefused(t *testing.T) {
	t.Parallel()
	w := oneWorld(t, 1)
	m, asset := w.merchants[0], w.assets[0]
	w.fund(t, m, asset, "1000")
	item := itemOf(w, m, asset, "r", decimal.NewFromInt(10))
	item.Payout.Debit = decimal.NewFromInt(11)
	_, err := w.store.RecordPayouts(t.Context(), []store.PayoutItem{item})
	require.True(t, store.IsRolledBack(err), "%v", err)
	require.Equal(t, "1000", w.balance(t, t, m, asset).Available.String())
	require.Zero(t, w.count(t, "select count(*) from payouts where status = ?", string(pay.PayoutQueued)))
}
