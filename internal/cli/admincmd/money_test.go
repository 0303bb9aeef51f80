package admincmd

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/cli/command"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/tasks"
)

// payout records a payout of 5 USDT on Ethereum of a merchant, after giving the merchant 100.
func (s *site) payout(merchant, reference string) *pay.Payout {
	s.Helper()
	id := uuid.MustParse(merchant)
	p := &pay.Payout{ID: uuid.Must(uuid.NewV7()), MerchantID: id, KeyID: "k", ReferenceID: reference, Wallet: "0xXYZ", Token: "USDT",
		Asset: "USDT", Network: "Ethereum",
		ProcessBy: pay.ByCrypto, Amount: decimal.NewFromInt(5), Debit: decimal.NewFromInt(6), NetworkFee: decimal.NewFromInt(1), PaysNetworkFee: true,
		FiatCurrency: "USD", WebhookURL: "https://shop.test/hook"}
	err := store.New(s.DB).InTx(s.Context(), func(tx *store.Store) error {
		funding := &pay.Transfer{ID: uuid.Must(uuid.NewV7()), Network: "Ethereum", Amount: decimal.NewFromInt(100)}
		if _, err := ledger.Post(s.Context(), tx.Q, ledger.UnclaimedHeld("USDT", funding),
			ledger.UnclaimedAssigned(id, "USDT", funding)); err != nil {
			return err
		}
		out, err := tx.RecordPayouts(s.Context(), []store.PayoutItem{{Payout: p, HoldDigest: ledger.PayoutHeld(p).Digest}})
		if err == nil && out[0].Outcome != "created" {
			s.Fatalf("outcome %+v", out)
		}
		return err
	})
	require.NoError(s.T, err)
	return p
}

// due reports whether a job is due now.
func (s *site) due(kind tasks.Kind, ref uuid.UUID) bool {
	s.Helper()
	var due bool
	require.NoError(s.T, s.DB.NewRaw("select exists (select from jobs where kind = ? and ref = ? and run_at <= now())", kind, ref).
		Scan(s.Context(), &due))
	return due
}

type shownPayout struct {
	ID, Status, State string
	Amount, Debit     string
	Cancelling        bool
	Transactions      []struct{ Txid, State string }
	Job               *struct{ Attempt int }
	Postings          []struct{ From, To, Amount string }
	Deliveries        []struct{ Status string }
}

// Covers operator §Admin: causeway admin payout show
// Covers operator §Admin: payout takes the payout's id
func TestPayoutShow(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	merchant := s.Merchant()
	p := s.payout(merchant, "order-1")
	s.Exec(`insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, state) values ('Ethereum', 'tx1', ?, 'pay', 'hot', 7, 'secret bytes', 'sent')`, p.ID)
	s.delivery(merchant, p.ID, "delivered")
	for _, word := range []string{p.ID.String(), "order-1"} {
		var shown shownPayout
		s.Do(&shown, "admin", "payout", "show", word)
		if shown.ID != p.ID.String() || shown.Status != "pending" || shown.State != "queued" || shown.Amount != "5" || shown.Debit != "6" ||
			shown.Job == nil {
			t.Errorf("shown %+v", shown)
		}
		if len(shown.Transactions) != 1 || shown.Transactions[0].Txid != "tx1" || len(shown.Postings) != 2 || len(shown.Deliveries) != 1 {
			t.Errorf("with %+v", shown)
		}
		if from := shown.Postings[0].From; from != ledger.Available(p.MerchantID) {
			t.Errorf("posting from %s", from)
		}
	}
	s.Refused(command.ExitFailed, "no payout", "admin", "payout", "show", "order-2")
	s.payout(s.Merchant(), "order-1")
	s.Refused(command.ExitFailed, "more than one", "admin", "payout", "show", "order-1")
	if len(s.Audited()) != 2 {
		t.Errorf("looking was audited: %v", s.Audited())
	}
}

// Covers operator §Admin: causeway admin payout cancel
// Covers operator §Admin: causeway admin payout retry
// Covers operator §Admin: payout takes the payout's id
func TestPayoutCancelAndRetry(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.payout(s.Merchant(), "order-1")
	s.Exec("update jobs set run_at = now() + interval '1 hour'")
	var shown shownPayout
	s.Do(&shown, "admin", "payout", "retry", "order-1")
	if shown.Cancelling || !s.due(tasks.BroadcastPayout, p.ID) {
		t.Errorf("retry: %+v", shown)
	}
	s.Exec("delete from jobs") // as after the network took it
	s.Do(&shown, "admin", "payout", "cancel", "order-1")
	if !shown.Cancelling || !s.due(tasks.BroadcastPayout, p.ID) {
		t.Errorf("cancel: %+v", shown)
	}
	if audit := s.LastAudit(); !strings.Contains(string(audit.Before), `"cancelling": false`) ||
		!strings.Contains(string(audit.After), `"cancelling": true`) {
		t.Errorf("audit %s %s", audit.Before, audit.After)
	}
	s.Exec("update payouts set status = 'completed'")
	s.Exec("delete from jobs")
	s.Refused(command.ExitFailed, "completed", "admin", "payout", "cancel", "order-1")
	s.Refused(command.ExitFailed, "completed", "admin", "payout", "retry", "order-1")
	if s.due(tasks.BroadcastPayout, p.ID) {
		t.Error("a refused command made a job")
	}
}

// Covers operator §Admin: causeway admin payout dismiss
func TestPayoutDismiss(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.payout(s.Merchant(), "order-1")
	s.Refused(command.ExitFailed, "nothing is final against", "admin", "payout", "dismiss", "order-1")
	s.Exec("update payouts set status = 'refunded'")
	s.Exec("insert into contrary_transactions (network, txid, payout_id) select 'Ethereum', 'tx', id from payouts")
	var shown shownPayout
	s.Do(&shown, "admin", "payout", "dismiss", p.ID.String())
	if audit := s.LastAudit(); !strings.Contains(string(audit.Before), `"tx"`) {
		t.Errorf("audit %s", audit.Before)
	}
	s.Refused(command.ExitFailed, "nothing is final against", "admin", "payout", "dismiss", "order-1")
}

// delivery records a delivery of a subject with one failed try.
func (s *site) delivery(merchant string, subject uuid.UUID, status string) uuid.UUID {
	s.Helper()
	d := pay.Delivery{ID: uuid.Must(uuid.NewV7()), MerchantID: uuid.MustParse(merchant), Subject: subject, Event: pay.PaymentProcessed,
		URL:  "https://shop.test/hook",
		Body: []byte(`{"data":{"reference_id":"1","is_duplicated":false},"event":"payment_processed"}`)}
	db := store.New(s.DB)
	require.NoError(s.T, db.AddDeliveries(s.Context(), []pay.Delivery{d}))
	require.NoError(s.T, db.AddAttempt(s.Context(), &d, pay.Attempt{Attempt: 1, Status: 500, Error: "no"}, status))
	return d.ID
}

// Covers addendum §11: POST of JSON
// Covers operator §Admin: causeway admin webhook list
// Covers operator §Admin: causeway admin webhook redeliver
// Covers operator §Admin: webhook list is newest first
func TestWebhookCommands(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	one, two := s.Merchant(), s.Merchant()
	subject := uuid.New()
	first, open := s.delivery(one, subject, "delivered"), s.delivery(one, subject, "pending")
	s.delivery(two, uuid.New(), "exhausted")
	type shown struct {
		ID, Status  string
		Attempts    int
		LastAttempt struct{ Status int } `json:"last_attempt"`
		LastError   *string              `json:"last_error"`
		Of          *string              `json:"redelivery_of"`
	}
	for _, c := range []struct {
		args string
		want int
	}{{"", 3}, {"--merchant " + one, 2}, {"--status exhausted", 1}, {"--merchant " + one + " --status delivered", 1}, {"--limit 1", 1}} {
		var list []shown
		s.Do(&list, append([]string{"admin", "webhook", "list"}, strings.Fields(c.args)...)...)
		if len(list) != c.want || list[0].LastAttempt.Status != 500 {
			t.Errorf("list %s: %+v", c.args, list)
		}
	}
	var again shown
	s.Do(&again, "admin", "webhook", "redeliver", first.String())
	copied, err := store.New(s.DB).Delivery(t.Context(), uuid.MustParse(again.ID))
	require.NoError(t, err)
	if again.Of == nil || *again.Of != first.String() || again.Attempts != 0 || copied.Subject != subject ||
		string(copied.Body) != `{"data":{"reference_id":"1","is_duplicated":true},"event":"payment_processed"}` {
		t.Errorf("again %+v with body %s", again, copied.Body)
	}
	if !s.due(tasks.DeliverWebhook, copied.ID) || !s.due(tasks.DeliverWebhook, open) {
		t.Error("the delivery, or the one before it, is not due")
	}
	var list []shown
	s.Do(&list, "admin", "webhook", "list", "--limit", "2")
	if len(list) != 2 || list[0].ID != again.ID || list[0].Of == nil || *list[0].Of != first.String() || list[1].Of != nil {
		t.Errorf("listed after it: %+v", list)
	}
	s.Exec("update jobs set last_error = 'sealed under a key' where kind = ? and ref = ?", tasks.DeliverWebhook, copied.ID)
	s.Do(&list, "admin", "webhook", "list")
	for _, d := range list {
		if why := d.LastError; (d.ID == again.ID) != (why != nil) || why != nil && *why != "sealed under a key" {
			t.Errorf("what keeps it: %+v", d)
		}
	}
	s.Refused(command.ExitUsage, "limit", "admin", "webhook", "list", "--limit", "0")
	s.Refused(command.ExitFailed, "no delivery", "admin", "webhook", "redeliver", uuid.NewString())
	s.Refused(command.ExitFailed, "no delivery", "admin", "webhook", "redeliver", "x")
	s.Refused(command.ExitUsage, "lost", "admin", "webhook", "list", "--status", "lost")
	s.Refused(command.ExitFailed, "no merchant", "admin", "webhook", "list", "--merchant", "x")
}

// Waiting rows are listed to the last, however many they are.
//
// Covers operator §Admin: causeway admin unclaimed list
// Covers operator §Admin: causeway admin payout waiting
func TestListsOfWhatWaitsEndWithTheLastRow(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const many = 1001
	s.Exec(`insert into transfers (id, network, txid, token, position, address, amount, status, seen_at)
		select gen_random_uuid(), 'Ethereum', n, 'USDT', 0, 'a', 1, 'unclaimed', now() - n / 3 * interval '1 second' from generate_series(1, ?) n`, many)
	s.Exec(`with made as (insert into payouts (id, merchant_id, key_id, reference_id, wallet, token, asset, network, process_by, amount, debit,
			rate_fee, network_fee, pays_network_fee, fee_from_amount, percent_rate, fiat_currency, webhook_url, status)
		select gen_random_uuid(), ?, 'k', n, 'w', 'USDT', 'USDT', 'Ethereum', 'crypto_amount', 1, 1, 0, 0, false, false, 0, 'USD', '', 'queued'
		from generate_series(1, ?) n returning id)
		insert into payout_approvals (payout_id, why) select id, 'above 0 USDT' from made`, s.Merchant(), many)
	for _, list := range [][]string{{"admin", "unclaimed", "list"}, {"admin", "payout", "waiting"}} {
		var rows []struct{ ID uuid.UUID }
		s.Do(&rows, list...)
		different := map[uuid.UUID]bool{}
		for _, row := range rows {
			different[row.ID] = true
		}
		if len(rows) != many || len(different) != many {
			t.Errorf("%v: %d rows, %d different", list, len(rows), len(different))
		}
	}
}
