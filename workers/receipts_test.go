package workers_test

import (
	"io"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/chains/sandbox"
	"causeway/internal/dev/mailserver"
	"causeway/internal/message"
	"causeway/internal/pay"
)

// mails gives the workers a mail server.
func (w *world) mails() *mailserver.Server {
	w.t.Helper()
	s := mailserver.Start(w.t, nil)
	w.workers.Tell.Base = "https://pay.example.com"
	w.workers.Tell.Mail = message.NewMailer(&message.Server{Host: s.Host(), Port: s.Port(), Loopback: true}, &mail.Address{Address: "pay@example.com"})
	return s
}

// requested makes payins the choices of one payment request of a payer, made on a German page.
func (w *world) requested(email string, payins ...*pay.Payin) uuid.UUID {
	w.t.Helper()
	id := uuid.New()
	w.exec(`insert into payment_requests (id, merchant_id, key_id, reference_id, label, amount, currency, is_fiat, email, webhook_url, expires_at)
		values (?, ?, 'key', ?, 'Order 7', 25, 'USD', true, ?, '', now() + interval '1 hour')`, id, w.merchant, id.String(), email)
	for _, p := range payins {
		w.exec("insert into payment_choices (request_id, payin_id, lang) values (?, ?, 'de')", id, p.ID)
	}
	return id
}

// plain is the plain text of the last mail.
func plain(t *testing.T, s *mailserver.Server) string {
	t.Helper()
	all := s.Mails()
	require.NotEmpty(t, all)
	_, body, _ := strings.Cut(all[len(all)-1].Raw, "text/plain")
	_, body, _ = strings.Cut(body, "\r\n\r\n")
	body, _, _ = strings.Cut(body, "\r\n--")
	text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(body)))
	require.NoError(t, err)
	return string(text)
}

// A payer is told once by e-mail of the payment, and once of each refund, if the merchant wants that.
//
// Covers api-v1 §Payment requests: An account that sends receipts
func TestPayersAreSentReceipts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Litecoin")
	s := w.mails()
	p, other, silent := w.payin("Litecoin", "LTC", "1"), w.payin("Litecoin", "LTC", "1"), w.payin("Litecoin", "LTC", "1")
	w.requested("anna@example.com", p, other)
	w.requested("", silent)
	w.exec("insert into merchant_looks (merchant_id, receipts) values (?, true)", w.merchant)

	w.pays("Litecoin", "LTC", p.Wallet, "0.4")
	lost := w.pays("Litecoin", "LTC", p.Wallet, "0.6")
	w.pays("Litecoin", "LTC", silent.Wallet, "1")
	w.mine("Litecoin", 2)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	require.Len(t, s.Mails(), 1)
	require.Equal(t, "anna@example.com", s.Mails()[0].To)
	text := plain(t, s)
	for _, want := range []string{"Zahlung erhalten", "hat Ihre Zahlung von 1 LTC für Order 7 erhalten", "noch nicht endgültig",
		"https://pay.example.com/pay/" + p.ID.String() + "?lang=de"} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "panel")

	w.mine("Litecoin", 4)
	_, err := w.chain.Reorg(t.Context(), "Litecoin", 8, lost)
	require.NoError(t, err)
	w.work()
	w.mine("Litecoin", 4)
	require.Equal(t, pay.PayinReversed, w.payinNow(p.ID).Status)
	_, err = w.chain.Pay(t.Context(), sandbox.Payment{Network: "Litecoin", Token: "LTC", To: p.Wallet, Amount: dec("0.6"), Txid: lost})
	require.NoError(t, err)
	w.pays("Litecoin", "LTC", other.Wallet, "1")
	w.mine("Litecoin", 4)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	require.Equal(t, pay.PayinCompleted, w.payinNow(other.ID).Status)
	require.Len(t, s.Mails(), 1, "a request makes one receipt of a payment")

	w.fund("Litecoin", "LTC", "5")
	back := w.payout("Litecoin", "LTC", "0.5", "LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9")
	w.exec(`insert into refunds (id, merchant_id, payin_id, key_id, reference_id, network, token, amount, fee_from_amount, webhook_url, payout_id)
		values (?, ?, ?, 'key', 'back', 'Litecoin', 'LTC', 0.5, false, '', ?)`, uuid.New(), w.merchant, p.ID, back.ID)
	w.work()
	require.Len(t, s.Mails(), 1, "nothing is certain yet")
	w.mine("Litecoin", 8)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(back.ID).Status)
	require.Len(t, s.Mails(), 2)
	text = plain(t, s)
	require.Contains(t, text, "Rückerstattung gesendet")
	require.Contains(t, text, "eine Rückerstattung von 0.5 LTC für Order 7 gesendet")
	require.Zero(t, w.count("select count(*) from jobs where kind = 'message.send'"))
}

// A merchant sends receipts only once an owner has said so. A payin that an operator completes has one as well.
func TestReceiptsAreSwitchedOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	s := w.mails()
	off := w.payin("Tron", "USDT", "25")
	w.requested("anna@example.com", off)
	w.pays("Tron", "USDT", off.Wallet, "25")
	w.mine("Tron", 4)
	require.Equal(t, pay.PayinCompleted, w.payinNow(off.ID).Status)
	require.Zero(t, w.count("select count(*) from payer_receipts")+w.count("select count(*) from messages"))

	w.exec("insert into merchant_looks (merchant_id, receipts) values (?, true)", w.merchant)
	p := w.payin("Tron", "TRX", "25")
	w.requested("bob@example.com", p)
	w.exec("update tokens set active = false where symbol = 'TRX'")
	w.pays("Tron", "TRX", p.Wallet, "25")
	w.mine("Tron", 2)
	w.expires(p)
	w.assignsTheOne()
	w.work()
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	require.Len(t, s.Mails(), 1)
	require.Equal(t, "bob@example.com", s.Mails()[0].To)
}
