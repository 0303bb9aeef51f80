package tell_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/mailserver"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/migrations"
	"causeway/workers/tell"
)

// paid makes a payment request whose payin was completed, and tells its payer as a worker does.
func (r *room) paid(email string) (payin uuid.UUID) {
	r.Helper()
	request, payin := uuid.New(), uuid.Must(uuid.NewV7())
	_, err := store.New(r.db).AddPayin(r.Context(), &pay.Payin{ID: payin, MerchantID: r.shop, KeyID: "k", ReferenceID: payin.String(), Wallet: "w", Token: "USDT", Asset: "USDT",
		Network: "Tron", ProcessBy: pay.ByCrypto, Amount: decimal.NewFromInt(25), MinimumPayment: decimal.NewFromInt(100), Status: pay.PayinCompleted, ExpiresAt: time.Now()}, nil)
	require.NoError(r, err)
	r.exec("update payins set received = 27.1 where id = ?", payin)
	r.exec(`insert into payment_requests (id, merchant_id, key_id, reference_id, amount, currency, is_fiat, email, webhook_url, expires_at)
		values (?0, ?1, 'k', ?0::text, 25, 'USD', true, ?2, '', now())`, request, r.shop, email)
	r.exec("insert into payment_choices (request_id, payin_id) values (?, ?)", request, payin)
	r.exec("insert into merchant_looks (merchant_id, receipts) values (?, true) on conflict do nothing", r.shop)
	for range 2 { // another step tells of it again
		require.NoError(r, r.worker.Store.TellPaid(r.Context(), []uuid.UUID{payin, payin}, []bool{true, true}))
	}
	return payin
}

// Receipts have the bounds of all messages, and go out apart from those of people.
func TestReceiptsAreBounded(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.member(r.shop, "ann@example.com", "owner")
	r.failed(r.shop, "a")
	r.paid("ann@example.com")
	require.Zero(t, r.work())
	require.Len(t, r.server.Mails(), 2, "a person who pays is told apart")
	for i := 2; i < tell.MostMails; i++ {
		r.paid("ann@example.com")
		require.Zero(t, r.work(), strconv.Itoa(i))
	}
	r.paid("ann@example.com")
	require.Zero(t, r.work())
	r.paid("ann@example.com")
	r.paid("ann@example.com")
	require.Equal(t, 2, r.work())
	require.Len(t, r.server.Mails(), tell.MostMails+1)
	r.failed(r.shop, "b")
	require.Equal(t, 2, r.work(), "a person is told all the same")
	r.exec("update messages set ended_at = ended_at - interval '1 hour' where receiver = 'payer:ann@example.com' and ended_at is not null")
	require.Zero(t, r.work())
	require.Len(t, r.server.Mails(), tell.MostMails+3, "two receipts in one mail")
	require.Contains(t, r.server.Mails()[tell.MostMails+2].Raw, "27.1 USDT")
}

// The address of a payer is in no reason that operators read, and goes with its message. No signer makes receipts.
func TestAddressesOfPayersAreKeptBack(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.server.Set(func(s *mailserver.Server) {
		s.Refuse = map[string]error{"anna@example.com": errors.New("5.7.1 <anna@example.com> is over quota")}
	})
	payin := r.paid("anna@example.com")
	require.Equal(t, 1, r.work())
	require.Equal(t, 1, r.count("select count(*) from jobs where last_error like '%(an address)%' and last_error not like '%anna%'"))
	r.exec("update messages set made_at = made_at - interval '49 hours'")
	require.Zero(t, r.work())
	require.Equal(t, 1, r.count("select count(*) from messages where why like '%(an address)%' and why not like '%anna%'"))
	r.exec("update messages set ended_at = now() - interval '31 days'")
	require.NoError(t, r.worker.Store.DeleteExpired(t.Context()))
	require.Zero(t, r.count("select count(*) from messages"))
	require.Error(t, r.signer.TellPaid(t.Context(), []uuid.UUID{payin}, []bool{true}))
	require.Error(t, store.New(testkit.DBAs(t, migrations.APIRole)).TellRefunded(t.Context(), payin))
	require.Error(t, r.worker.Store.DB.NewRaw("select count(*) from payer_receipts").Scan(t.Context(), new(int)))
}
