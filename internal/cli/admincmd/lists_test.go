package admincmd

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// payin records a payin of 10 USDT on Tron.
func (s *site) payin(merchant, reference string, status pay.PayinStatus) string {
	s.Helper()
	p := &pay.Payin{ID: uuid.Must(uuid.NewV7()), MerchantID: uuid.MustParse(merchant), ReferenceID: reference, Wallet: "TXYZ", Token: "USDT",
		Asset: "USDT", Network: "Tron", ProcessBy: pay.ByCrypto, Amount: decimal.NewFromInt(10), MinimumPayment: decimal.NewFromInt(100),
		FiatCurrency: "USD", WebhookURL: "https://shop.test/hook", Status: status, ExpiresAt: time.Now().Add(time.Hour)}
	added, err := store.New(s.DB).AddPayin(s.Context(), p, nil)
	require.NoError(s.T, err)
	require.True(s.T, added)
	return p.ID.String()
}

// ids runs a list command and returns the listed ids.
func (s *site) ids(args ...string) []string {
	s.Helper()
	var rows []struct{ ID string }
	s.Do(&rows, append([]string{"admin"}, args...)...)
	require.NotNil(s.T, rows, "%v answers null", args)
	out := []string{}
	for _, r := range rows {
		out = append(out, r.ID)
	}
	return out
}

// Covers operator §Admin: causeway admin merchant list
// Covers operator §Admin: merchant list is by name
// Covers operator §Admin: A list answers at most
func TestMerchantList(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	require.Empty(t, s.ids("merchant", "list"))
	made := map[string]string{}
	for _, name := range []string{"Cafe", "Bakery", "Airline"} {
		var m struct{ ID string }
		s.Do(&m, "admin", "merchant", "create", "--name", name, "--email", name+"@pay.test")
		made[name] = m.ID
	}
	var key any
	s.Do(&key, "admin", "key", "create", "--merchant", made["Cafe"])
	s.Do(&key, "admin", "limit", "set", made["Cafe"], "USDT", "5")
	var rows []struct {
		ID, Name, Email string
		Verified        bool
		Keys            int `json:"key_count"`
		Limits          int `json:"limit_count"`
		Rates           map[string]any
	}
	s.Do(&rows, "admin", "merchant", "list")
	require.Len(t, rows, 3)
	if cafe := rows[2]; rows[0].Name != "Airline" || cafe.ID != made["Cafe"] || cafe.Email != "Cafe@pay.test" || !cafe.Verified ||
		cafe.Keys != 1 || cafe.Limits != 1 || cafe.Rates["payment_rate"] != "0" {
		t.Errorf("listed %+v", rows)
	}
	require.Equal(t, []string{made["Airline"], made["Bakery"]}, s.ids("merchant", "list", "--limit", "2"))
	require.Equal(t, []string{made["Cafe"]}, s.ids("merchant", "list", "--limit", "2", "--below", made["Bakery"]))
	require.Equal(t, []string{made["Bakery"]}, s.ids("merchant", "list", "--search", "aker"))
	require.Equal(t, []string{made["Bakery"]}, s.ids("merchant", "list", "--search", "bakery@"))
	require.Equal(t, []string{made["Cafe"]}, s.ids("merchant", "list", "--search", made["Cafe"]))
	require.Empty(t, s.ids("merchant", "list", "--search", "%"))
	nobody := uuid.NewString()
	s.Refused(command.ExitFailed, "no merchant "+nobody, "admin", "merchant", "list", "--below", nobody)
	s.Refused(command.ExitFailed, "no merchant "+nobody, "admin", "webhook", "list", "--merchant", nobody)
	s.Refused(command.ExitFailed, "no merchant Bakery", "admin", "merchant", "list", "--below", "Bakery")
}

// Covers operator §Admin: causeway admin key list
// Covers operator §Admin: merchant list is by name
// Covers operator §Admin: A list answers at most
func TestKeyList(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	one, other := s.Merchant(), s.Merchant()
	require.Empty(t, s.ids("key", "list"))
	var made []string // oldest first
	for i, merchant := range []string{one, one, other, one} {
		var key struct{ ID string }
		s.Do(&key, "admin", "key", "create", "--merchant", merchant, "--sign", "--expires", "2127-01-01T00:00:00Z")
		s.Exec("update keys set created_at = now() + ? * interval '1 minute' where id = ?", i, key.ID)
		made = append(made, key.ID)
	}
	var shown any
	s.Do(&shown, "admin", "key", "revoke", made[0])
	s.Exec("update keys set expires_at = now() - interval '1 second' where id = ?", made[1])
	require.Equal(t, []string{made[3], made[2], made[1], made[0]}, s.ids("key", "list"))
	require.Equal(t, []string{made[3], made[2]}, s.ids("key", "list", "--active"))
	require.Equal(t, []string{made[3], made[1]}, s.ids("key", "list", "--merchant", one, "--limit", "2"))
	require.Equal(t, []string{made[0]}, s.ids("key", "list", "--merchant", one, "--limit", "2", "--below", made[1]))
	var rows []map[string]any
	s.Do(&rows, "admin", "key", "list", "--merchant", other)
	if row := rows[0]; row["merchant_id"] != other || row["signs"] != true || row["signing_secret"] != nil || row["api_key"] != nil || row["hash"] != nil {
		t.Errorf("listed %v", row)
	}
	s.Refused(command.ExitFailed, "no merchant", "admin", "key", "list", "--merchant", uuid.NewString())
	s.Refused(command.ExitFailed, `no key "nonsense"`, "admin", "key", "list", "--below", "nonsense")
}

// Covers operator §Admin: causeway admin payout list
// Covers operator §Admin: --status of payout list
// Covers operator §Admin: A list answers at most
func TestPayoutList(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	one, other := s.Merchant(), s.Merchant()
	require.Empty(t, s.ids("payout", "list"))
	a, b, c := s.payout(one, "order-1").ID.String(), s.payout(other, "order-2").ID.String(), s.payout(one, "order-3").ID.String()
	s.Exec("update payouts set status = 'sent' where id = ?", a)
	s.Exec("update payouts set status = 'completed', customer_info = 'c-7' where id = ?", b)
	require.Equal(t, []string{c, b, a}, s.ids("payout", "list"))
	for args, want := range map[[2]string][]string{
		{"--status", "pending"}: {c, a}, {"--status", "sent"}: {a}, {"--status", "completed"}: {b}, {"--status", "refunded"}: {},
		{"--merchant", one}: {c, a}, {"--network", "ethereum"}: {c, b, a}, {"--network", "Tron"}: {}, {"--token", "usdt"}: {c, b, a},
		{"--token", "ETH"}: {}, {"--limit", "2"}: {c, b}, {"--below", b}: {a}, {"--reference", "order-"}: {a, b, c}, {"--reference", "order-2"}: {b},
		{"--customer", "c-7"}: {b}, {"--customer", "c"}: {}, {"--from", "2020-01-01"}: {c, b, a}, {"--from", "9998-01-01"}: {}, {"--until", "2020-01-01"}: {},
	} {
		require.Equal(t, want, s.ids("payout", "list", args[0], args[1]), args)
	}
	require.Equal(t, []string{a}, s.ids("payout", "list", "--merchant", one, "--below", c))
	var rows []struct {
		Status, State, Amount, Debit string
		Reference                    string `json:"reference_id"`
		Waits                        bool   `json:"waits_for_approval"`
	}
	s.Exec("update merchants set suspended = true where id = ?", one)
	s.Do(&rows, "admin", "payout", "list")
	if first, last := rows[0], rows[2]; !first.Waits || first.State != "queued" || first.Status != "pending" || first.Amount != "5" ||
		first.Debit != "6" || first.Reference != "order-3" || last.Waits || last.State != "sent" || last.Status != "pending" {
		t.Errorf("listed %+v", rows)
	}
	s.refusesFilters("payout", b)
}

// refusesFilters tries a list by unknown and unreadable values.
func (s *site) refusesFilters(kind, known string) {
	s.Helper()
	nobody := uuid.NewString()
	for _, c := range []struct {
		code             int
		says, flag, word string
	}{
		{command.ExitFailed, "no merchant " + nobody, "--merchant", nobody}, {command.ExitFailed, "no merchant Shop", "--merchant", "Shop"},
		{command.ExitFailed, `no network "Tronn"`, "--network", "Tronn"}, {command.ExitFailed, `no token "USDX"`, "--token", "USDX"},
		{command.ExitFailed, "no " + kind + " " + nobody, "--below", nobody}, {command.ExitFailed, "no " + kind + " x", "--below", "x"},
		{command.ExitUsage, `no status "lost": pending, `, "--status", "lost"}, {command.ExitUsage, "--limit", "--limit", "0"},
		{command.ExitUsage, `"yesterday" is no day`, "--from", "yesterday"}, {command.ExitUsage, `"2026-2-1" is no day`, "--until", "2026-2-1"},
	} {
		s.Refused(c.code, c.says, "admin", kind, "list", "--below", known, c.flag, c.word)
	}
}

// Covers operator §Admin: causeway admin payin list
// Covers operator §Admin: merchant list is by name
// Covers operator §Admin: A list answers at most
func TestPayinList(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	one, other := s.Merchant(), s.Merchant()
	require.Empty(t, s.ids("payin", "list"))
	a, b, c := s.payin(one, "cart-1", pay.PayinPending), s.payin(other, "cart-2", pay.PayinReversed), s.payin(one, "cart-3", pay.PayinPending)
	s.Exec("update payins set customer_info = 'c-7' where id = ?", b)
	require.Equal(t, []string{c, b, a}, s.ids("payin", "list"))
	for args, want := range map[[2]string][]string{
		{"--status", "pending"}: {c, a}, {"--status", "reversed"}: {b}, {"--status", "failed"}: {}, {"--merchant", one}: {c, a},
		{"--network", "Tron"}: {c, b, a}, {"--network", "Ethereum"}: {}, {"--token", "USDT"}: {c, b, a}, {"--limit", "2"}: {c, b},
		{"--below", b}: {a}, {"--reference", "cart-"}: {a, b, c}, {"--customer", "c-7"}: {b}, {"--from", "9998-01-01"}: {}, {"--until", "9998-01-01"}: {c, b, a},
	} {
		require.Equal(t, want, s.ids("payin", "list", args[0], args[1]), args)
	}
	require.Equal(t, []string{a}, s.ids("payin", "list", "--merchant", one, "--below", c))
	s.refusesFilters("payin", b)
}

// Covers operator §Admin: causeway admin payin show
// Covers operator §Admin: payin show takes
func TestPayinShow(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	merchant := s.Merchant()
	id := s.payin(merchant, "cart-1", pay.PayinCompleted)
	var bare map[string]any
	s.Do(&bare, "admin", "payin", "show", id)
	for _, list := range []string{"transfers", "postings", "deliveries"} {
		require.Equal(t, []any{}, bare[list], list)
	}
	require.Nil(t, bare["payment_status"])
	s.Exec(`insert into transfers (id, network, txid, token, position, sender, address, amount, payin_id, status, height, credits, credited, counted)
		values (?, 'Tron', 'tx1', 'USDT', 0, 'TABC', 'TXYZ', 12, ?, 'credited', 9, 1, 12, 12)`, uuid.NewString(), id)
	s.Exec("update payins set received = 12 where id = ?", id)
	s.delivery(merchant, uuid.MustParse(id), "delivered")
	for _, word := range []string{id, "cart-1"} {
		var shown struct {
			ID, Status, Amount, Received string
			Paid                         string `json:"payment_status"`
			Omitted                      int    `json:"transfers_omitted"`
			Transfers                    []struct{ Txid, From, Status, Amount, Counted string }
			Deliveries                   []struct{ Status string }
		}
		s.Do(&shown, "admin", "payin", "show", word)
		if shown.ID != id || shown.Status != "completed" || shown.Amount != "10" || shown.Received != "12" || shown.Paid != "overpaid" ||
			shown.Omitted != 0 || len(shown.Deliveries) != 1 || shown.Deliveries[0].Status != "delivered" {
			t.Errorf("shown %+v", shown)
		}
		require.Len(t, shown.Transfers, 1)
		if got := shown.Transfers[0]; got.Txid != "tx1" || got.From != "TABC" || got.Status != "credited" || got.Counted != "12" {
			t.Errorf("transfer %+v", got)
		}
	}
	s.Refused(command.ExitFailed, `no payin "cart-2"`, "admin", "payin", "show", "cart-2")
	s.payin(s.Merchant(), "cart-1", pay.PayinPending)
	s.Refused(command.ExitFailed, "more than one payin", "admin", "payin", "show", "cart-1")
	if !slices.Equal(s.Audited(), []string{"merchant.create", "merchant.create"}) {
		t.Errorf("looking was audited: %v", s.Audited())
	}
}
