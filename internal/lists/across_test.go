package lists_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/internal/lists"
	"causeway/internal/store"
)

// listed makes rows of three merchants, one a minute from the beginning of a year, with this time in their ids: payins,
// payouts, fixed wallets and deliveries. Every hundredth row names a customer.
const listed = `with n as (select n, timestamptz '2026-01-01 00:00Z' + n * interval '1 minute' as at, lpad((n % 3 + 1)::text, 32, '0')::uuid as merchant,
		case when n % 100 = 0 then 'c' || n end as customer,
		(lpad(to_hex((extract(epoch from timestamptz '2026-01-01 00:00Z' + n * interval '1 minute') * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad(n::text, 12, '0'))::uuid as id
		from generate_series(1, 6000) n),
	m as (insert into merchants (id, name, webhook_secret) select distinct merchant, 'Shop', 's'::bytea from n),
	outs as (insert into payouts (id, merchant_id, key_id, reference_id, wallet, token, asset, network, process_by, amount, debit, rate_fee, network_fee,
			pays_network_fee, fee_from_amount, percent_rate, fiat_currency, webhook_url, status, customer_info, created_at)
		select id, merchant, 'k', 'r' || n, 'w', 'ETH', 'ETH', 'Ethereum', 'crypto_amount', 1, 1, 0, 0, false, false, 0, 'USD', '', 'completed', customer, at from n),
	ins as (insert into payins (id, merchant_id, reference_id, wallet, token, asset, network, process_by, amount, fiat_currency, percent_rate,
			pays_network_fee, network_fee, minimum_payment, webhook_url, status, expires_at, customer_info, created_at)
		select id, merchant, 'r' || n, 'to' || n, 'ETH', 'ETH', 'Ethereum', 'crypto_amount', 3, 'USD', 0, false, 0, 100, '', 'completed', now(), customer, at from n),
	held as (insert into wallets (id, merchant_id, family, customer_info, wallet, status, created_at)
		select id, merchant, 'evm', coalesce(customer, 'x' || n), 'w' || n, 'STATUS_ASSIGNED', at from n)
	insert into deliveries (id, merchant_id, subject, event, url, body, status, created_at)
		select id, merchant, id, 'payment_confirmed', 'https://a.b', '{}', 'delivered', at from n order by n`

func listedMerchant(n int) uuid.UUID { return uuid.MustParse(fmt.Sprintf("%032d", n)) }

// number is the number of a row made by listed.
func number(id uuid.UUID) string { return strings.TrimLeft(id.String()[24:], "0") }

// Every filter of the operator's lists is a range of an index: pages of few rows read few, and one page follows the other with no row
// twice and none left out.
//
// Covers operator §Console: Payins and payouts are filtered
func TestFiltersAcrossMerchantsReadWhatTheyList(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	s.DB.SetMaxOpenConns(1)
	exec(t, s.DB, listed)
	exec(t, s.DB, "vacuum analyze")
	two := []uuid.UUID{listedMerchant(1), listedMerchant(2)} // n % 3 is 0 or 1
	at := func(minute int) time.Time {
		return time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC)
	}
	for name, c := range map[string]struct {
		f     lists.AcrossFilter
		pages [2]string
	}{
		"all":                      {lists.AcrossFilter{}, [2]string{"6000 5999 5998", "5997 5996 5995"}},
		"a time":                   {lists.AcrossFilter{From: at(100), Until: at(104)}, [2]string{"103 102 101", "100"}},
		"merchants":                {lists.AcrossFilter{Merchants: two}, [2]string{"6000 5998 5997", "5995 5994 5992"}},
		"merchants and a time":     {lists.AcrossFilter{Merchants: two, From: at(100), Until: at(106)}, [2]string{"105 103 102", "100"}},
		"a customer":               {lists.AcrossFilter{Customer: "c300"}, [2]string{"300", ""}},
		"a merchant's customer":    {lists.AcrossFilter{Customer: "c300", Merchants: two[:1]}, [2]string{"300", ""}},
		"another's customer":       {lists.AcrossFilter{Customer: "c300", Merchants: two[1:]}, [2]string{"", ""}},
		"a reference":              {lists.AcrossFilter{Reference: "r4711"}, [2]string{"4711", ""}},
		"references":               {lists.AcrossFilter{Reference: "r471"}, [2]string{"471 4710 4711", "4712 4713 4714"}},
		"merchants' references":    {lists.AcrossFilter{Reference: "r471", Merchants: two}, [2]string{"471 4710 4711", "4713 4714 4716"}},
		"references and a time":    {lists.AcrossFilter{Reference: "r471", From: at(4712), Until: at(4716)}, [2]string{"4712 4713 4714", "4715"}},
		"a token that is nobody's": {lists.AcrossFilter{Token: "zz", From: at(100), Until: at(200)}, [2]string{"", ""}},
	} {
		reads := map[string]func(lists.AcrossFilter) ([]uuid.UUID, error){
			"payouts": func(f lists.AcrossFilter) ([]uuid.UUID, error) { return ids(lists.PayoutsAcross(t.Context(), s, f)) },
			"payins":  func(f lists.AcrossFilter) ([]uuid.UUID, error) { return ids(lists.PayinsAcross(t.Context(), s, f)) },
			"wallets": func(f lists.AcrossFilter) ([]uuid.UUID, error) { return ids(lists.WalletsAcross(t.Context(), s, f)) },
			"deliveries": func(f lists.AcrossFilter) ([]uuid.UUID, error) {
				return ids(lists.DeliveriesAcross(t.Context(), s, lists.AcrossDeliveryFilter{Merchants: f.Merchants, From: f.From, Until: f.Until, Before: f.Before, Limit: f.Limit}))
			},
		}
		if c.f.Reference != "" || c.f.Token != "" {
			delete(reads, "wallets")
		}
		if c.f.Reference != "" || c.f.Token != "" || c.f.Customer != "" {
			delete(reads, "deliveries")
		}
		for list, read := range reads {
			f := c.f
			f.Limit = 3
			for page, want := range c.pages {
				rows, _ := testkit.Touched(t, s.DB)
				got, err := read(f)
				require.NoError(t, err)
				after, _ := testkit.Touched(t, s.DB)
				numbers := make([]string, len(got))
				for i, id := range got {
					numbers[i], f.Before = number(id), id
				}
				require.Equal(t, want, strings.Join(numbers, " "), "%s of %s, page %d", list, name, page+1)
				require.Less(t, after-rows, 200, "%s of %s, page %d: 6000 rows are not meant", list, name, page+1)
			}
		}
	}
}

func exec(t *testing.T, db *bun.DB, query string, args ...any) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), query, args...)
	require.NoError(t, err)
}

// ids are those of rows of any kind.
func ids[T any](rows []T, err error) ([]uuid.UUID, error) {
	out := make([]uuid.UUID, len(rows))
	for i := range rows {
		out[i] = reflect.ValueOf(rows[i]).FieldByName("ID").Interface().(uuid.UUID)
	}
	return out, err
}
