package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/migrations"
)

// asked is a payment request of an age with the customer's address, and a payin that was chosen for it.
type asked struct {
	t  *testing.T
	db *bun.DB
	of uuid.UUID // the merchant
}

func (a *asked) request(days int, status pay.PayinStatus) (request, payin uuid.UUID) {
	a.t.Helper()
	request, payin = uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	_, err := store.New(a.db).AddPayin(a.t.Context(), &pay.Payin{ID: payin, MerchantID: a.of, KeyID: "k", ReferenceID: payin.String(), Wallet: "w", Token: "USDT", Asset: "USDT",
		Network: "Tron", ProcessBy: pay.ByCrypto, Amount: decimal.NewFromInt(25), MinimumPayment: decimal.NewFromInt(100), Status: status, ExpiresAt: time.Now()}, nil)
	require.NoError(a.t, err)
	a.exec(`insert into payment_requests (id, merchant_id, key_id, reference_id, amount, currency, is_fiat, email, webhook_url, created_at, expires_at)
		values (?0, ?1, 'k', ?0::text, 25, 'USD', true, 'anna@example.com', '', now() - make_interval(days => ?2 + 30), now() - make_interval(days => ?2))`, request, a.of, days)
	a.exec("insert into payment_choices (request_id, payin_id) values (?, ?)", request, payin)
	return request, payin
}

func (a *asked) exec(statement string, args ...any) {
	a.t.Helper()
	_, err := a.db.NewRaw(statement, args...).Exec(a.t.Context())
	require.NoError(a.t, err)
}

// left are the requests with an address.
func (a *asked) left() (ids []uuid.UUID) {
	a.t.Helper()
	require.NoError(a.t, a.db.NewRaw("select id from payment_requests where email <> ''").Scan(a.t.Context(), &ids))
	return ids
}

func askedFor(t *testing.T) *asked {
	t.Helper()
	a := &asked{t, testkit.DB(t), uuid.New()}
	a.exec("insert into merchants (id, name, webhook_secret) values (?, 'Shop', '')", a.of)
	a.exec("insert into merchant_looks (merchant_id, receipts) values (?, true)", a.of)
	return a
}

// A worker takes the addresses off old requests, the oldest first and no more than asked for. While a receipt may still be due, the address
// stays: a payin is open, money is on its way, or a refund is promised or under way. A receipt that is recorded is sent all the same.
//
// Covers operator §Settings: An e-mail address of a customer is forgotten
func TestOldEmailsAreForgotten(t *testing.T) {
	t.Parallel()
	a := askedFor(t)
	worker := store.New(testkit.DBAs(t, migrations.WorkerRole))
	young, _ := a.request(29, pay.PayinCompleted)
	old, paid := a.request(31, pay.PayinCompleted)
	older, _ := a.request(60, pay.PayinFailed)
	open, _ := a.request(90, pay.PayinPending)
	coming, late := a.request(90, pay.PayinFailed)
	a.exec(`insert into transfers (id, network, txid, token, position, sender, address, memo, amount, status, payin_id)
		values (gen_random_uuid(), 'Tron', 'tx', 'USDT', 0, 'x', 'w', '', 1, 'seen', ?)`, late)
	promised, given := a.request(90, pay.PayinCompleted)
	a.exec(`insert into refunds (id, merchant_id, payin_id, key_id, reference_id, network, token, amount, fee_from_amount, webhook_url, expires_at)
		values (gen_random_uuid(), ?, ?, 'k', 'promised', 'Tron', 'USDT', 1, false, '', now() + interval '1 day')`, a.of, given)
	under, refunded := a.request(90, pay.PayinCompleted)
	payout := uuid.New()
	a.exec(`insert into refunds (id, merchant_id, payin_id, key_id, reference_id, network, token, amount, fee_from_amount, webhook_url, payout_id)
		values (gen_random_uuid(), ?, ?, 'k', 'under way', 'Tron', 'USDT', 1, false, '', ?)`, a.of, refunded, payout)
	a.exec(`insert into payouts (id, merchant_id, key_id, reference_id, wallet, memo, token, network, asset, amount, debit, rate_fee, network_fee, pays_network_fee,
			fee_from_amount, percent_rate, fiat_currency, process_by, webhook_url, status, seal)
		values (?, ?, 'k', 'refund', 'w', '', 'USDT', 'Tron', 'USDT', 1, 1, 0, 0, false, false, 0, '', 'crypto_amount', '', 'queued', '')`, payout, a.of)
	require.NoError(t, worker.TellPaid(t.Context(), []uuid.UUID{paid}, []bool{true}))

	forget := func(most int) int {
		gone, err := worker.ForgetEmails(t.Context(), 30, most)
		require.NoError(t, err)
		return gone
	}
	require.Equal(t, 1, forget(1))
	require.ElementsMatch(t, []uuid.UUID{young, old, open, coming, promised, under}, a.left(), "the oldest goes first: %s", older)
	require.Equal(t, 1, forget(10))
	require.ElementsMatch(t, []uuid.UUID{young, open, coming, promised, under}, a.left())
	require.Zero(t, forget(10))
	var receipts int
	require.NoError(t, a.db.NewRaw("select count(*) from messages m join jobs j on j.ref = m.id where m.receiver = 'payer:anna@example.com'").Scan(t.Context(), &receipts))
	require.Equal(t, 1, receipts, "what was recorded is still sent")

	a.exec("update payins set status = 'failed' where status = 'pending'")
	a.exec("update transfers set status = 'dropped'")
	a.exec("update refunds set expires_at = now() - interval '1 hour' where payout_id is null")
	a.exec("update payouts set status = 'completed'")
	require.Equal(t, 4, forget(10))
	require.Equal(t, []uuid.UUID{young}, a.left())
	_, err := worker.ForgetEmails(t.Context(), 29, 10)
	require.ErrorContains(t, err, "30 days at least")
	_, err = worker.Q.NewRaw("update payment_requests set email = ''").Exec(t.Context())
	require.ErrorContains(t, err, "permission denied")
}

// A step reads the requests that it changes, those that it must leave, and no newer or emptied one.
func TestForgettingEmailsReadsNoOtherRequests(t *testing.T) {
	t.Parallel()
	a := askedFor(t)
	a.db.SetMaxOpenConns(1)
	s := store.New(a.db)
	_, err := s.ForgetEmails(t.Context(), 30, 5) // its plan is that of empty tables
	require.NoError(t, err)
	a.exec(`insert into payins (id, merchant_id, key_id, reference_id, wallet, token, asset, network, process_by, amount, fiat_currency,
			percent_rate, pays_network_fee, network_fee, minimum_payment, webhook_url, status, expires_at)
		select gen_random_uuid(), ?, 'k', n::text, 'w', 'USDT', 'USDT', 'Tron', 'crypto_amount', 1, '', 0, false, 0, 100, '', 'completed', now() from generate_series(1, 1500) n`, a.of)
	a.exec(`insert into payment_requests (id, merchant_id, key_id, reference_id, amount, currency, is_fiat, email, webhook_url, expires_at)
		select p.id, ?, 'k', p.reference_id, 1, 'USD', true, case when p.reference_id::int % 3 > 0 then 'anna@example.com' else '' end, '',
		now() - make_interval(days => case when p.reference_id::int % 3 = 1 then 3 else 40 end) from payins p`, a.of)
	a.exec("insert into payment_choices (request_id, payin_id) select id, id from payins")
	a.exec("begin")
	gone, err := s.ForgetEmails(t.Context(), 30, 5)
	require.NoError(t, err)
	require.Equal(t, 5, gone)
	var read int
	require.NoError(t, a.db.NewRaw(`select sum(seq_tup_read + idx_tup_fetch) from pg_stat_xact_user_tables
		where relname in ('payment_requests', 'payment_choices', 'payins', 'transfers', 'refunds', 'payouts')`).Scan(t.Context(), &read))
	a.exec("rollback")
	require.LessOrEqual(t, read, 30)
}
