package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/pg"
	"causeway/internal/store"
)

// planPaid makes so many payins of one merchant, numbered from a first one: id, address, transfer and the merchant's
// notice follow from the number. A seen transfer with an odd number is in no block yet.
const planPaid = `with n as (select n, lpad(n::text, 32, '0')::uuid as id from generate_series(?0::int, ?0 + ?1 - 1) n),
	m as (insert into merchants (id, name, webhook_secret) values (lpad('', 32, '0')::uuid, 'Shop', 's')
		on conflict (id) do update set name = 'Shop' returning id as merchant),
	o as (insert into merchants (id, name, webhook_secret) select id, 'Other', 's' from n),
	a as (insert into addresses (family, match, address, position, payin_id) select 'evm', 'to' || n, 'to' || n, n, id from n),
	p as (insert into payins (id, merchant_id, reference_id, wallet, token, asset, network, process_by, amount, fiat_currency, percent_rate,
		pays_network_fee, network_fee, minimum_payment, webhook_url, status, expires_at)
		select id, merchant, 'r' || n, 'to' || n, 'ETH', 'ETH', 'ethereum', 'crypto_amount', 3, 'USD', 0, false, 0, 100, 'https://a.b', ?3, now() from n, m),
	t as (insert into transfers (id, network, txid, token, position, address, amount, payin_id, status, height)
		select id, 'ethereum', 'tx' || n, 'ETH', 0, 'to' || n, 3, id, ?2, case when ?2 = 'final' or n % 2 = 0 then 7 end from n),
	l as (insert into merchant_looks (merchant_id, receipts) select merchant, true from m on conflict do nothing),
	q as (insert into payment_requests (id, merchant_id, key_id, reference_id, amount, currency, is_fiat, email, webhook_url, expires_at)
		select id, merchant, 'k', 'q' || n, 3, 'ETH', false, 'a@b.c', '', now() from n, m),
	c as (insert into payment_choices (request_id, payin_id) select id, id from n),
	b as (insert into refunds (id, merchant_id, payin_id, key_id, reference_id, network, token, amount, fee_from_amount, webhook_url, payout_id)
		select id, merchant, id, 'k', 'b' || n, 'ethereum', 'ETH', 1, false, '', id from n, m)
	insert into deliveries (id, merchant_id, subject, event, url, body) select gen_random_uuid(), merchant, id, 'payment_detected', 'https://a.b', '{}' from n, m`

// paidBefore are the rows there when a statement was planned.
var paidBefore = map[string]string{
	"empty":              "select 1",
	"one that is done":   strings.NewReplacer("?0", "1", "?1", "1", "?2", "'final'", "?3", "'completed'").Replace(planPaid),
	"two that are there": strings.NewReplacer("?0", "1", "?1", "2", "?2", "'seen'", "?3", "'pending'").Replace(planPaid),
}

// paidGroup is two payins as planPaid makes them.
type paidGroup struct {
	ids   []uuid.UUID
	first int
}

func newPaidGroup(first int) paidGroup {
	id := func(n int) uuid.UUID { return uuid.MustParse(fmt.Sprintf("%032d", n)) }
	return paidGroup{ids: []uuid.UUID{id(first), id(first + 1)}, first: first}
}

// named returns the things called by a word and the number.
func (g paidGroup) named(word string) []string {
	return []string{fmt.Sprint(word, g.first), fmt.Sprint(word, g.first+1)}
}

// transfers returns one to each payin, in transactions called so.
func (g paidGroup) transfers(word string, status pay.TransferStatus) []pay.Transfer {
	out := make([]pay.Transfer, len(g.ids))
	for i, txid := range g.named(word) {
		out[i] = pay.Transfer{ID: g.ids[i], Network: "ethereum", Txid: txid, Token: "ETH", Address: g.named("to")[i],
			Amount: decimal.NewFromInt(3), PayinID: &g.ids[i], Status: status}
		if word == "new" {
			out[i].ID = uuid.New()
		}
	}
	return out
}

var paidStatements = map[string]func(context.Context, *store.Store, paidGroup) error{
	"match addresses": func(ctx context.Context, s *store.Store, g paidGroup) error {
		got, err := s.AddressesAt(ctx, "evm", []store.Place{{Match: g.named("to")[0]}, {Match: g.named("to")[1]}})
		return unlessTwo(len(got), err)
	},
	"read transfers by txid": func(ctx context.Context, s *store.Store, g paidGroup) error {
		got, err := s.TransfersByTxid(ctx, "ethereum", g.named("tx"))
		return unlessTwo(len(got), err)
	},
	"add transfers": func(ctx context.Context, s *store.Store, g paidGroup) error {
		return s.SaveTransfers(ctx, g.transfers("new", pay.TransferSeen))
	},
	"save transfers": func(ctx context.Context, s *store.Store, g paidGroup) error {
		return s.SaveTransfers(ctx, g.transfers("tx", pay.TransferSeen))
	},
	"read due transfers": func(ctx context.Context, s *store.Store, g paidGroup) error {
		got, err := s.DueTransfers(ctx, "ethereum", 9, 0, store.EarlyHeights{}, 1)
		return unlessTwo(1+len(got), err)
	},
	"read merchants' terms": func(ctx context.Context, s *store.Store, g paidGroup) error {
		got, _, err := s.CreditTerms(ctx, g.ids)
		return unlessTwo(len(got), err)
	},
	"credit transfers": func(ctx context.Context, s *store.Store, g paidGroup) error {
		return s.CreditTransfers(ctx, g.transfers("tx", pay.TransferCredited))
	},
	"read transfers of the mempool": func(ctx context.Context, s *store.Store, g paidGroup) error {
		got, err := s.MempoolTransfers(ctx, "ethereum")
		if err == nil && len(got) == 0 {
			err = fmt.Errorf("none")
		}
		return err
	},
	"read payins": func(ctx context.Context, s *store.Store, g paidGroup) error {
		got, err := s.PayinsForUpdate(ctx, g.ids)
		return unlessTwo(len(got), err)
	},
	"read transfers of payins": func(ctx context.Context, s *store.Store, g paidGroup) error {
		got, err := s.TransfersOf(ctx, g.ids...)
		return unlessTwo(len(got), err)
	},
	"look for other transfers": func(ctx context.Context, s *store.Store, g paidGroup) error {
		more, _, err := s.PaidBesides(ctx, g.ids, []int{0, 0})
		return unlessTwo(len(more), err)
	},
	"save payins": func(ctx context.Context, s *store.Store, g paidGroup) error {
		return s.SavePayins(ctx, []*pay.Payin{{ID: g.ids[0], Status: pay.PayinCompleted}, {ID: g.ids[1], Status: pay.PayinCompleted}})
	},
	"tell payers of payments": func(ctx context.Context, s *store.Store, g paidGroup) error {
		return s.TellPaid(ctx, g.ids, []bool{true, false})
	},
	"tell payers of refunds": func(ctx context.Context, s *store.Store, g paidGroup) error {
		return s.TellRefunded(ctx, g.ids...)
	},
	"what was told": func(ctx context.Context, s *store.Store, g paidGroup) error {
		got, err := s.Told(ctx, g.ids, pay.PaymentDetected, pay.PaymentFailed)
		return unlessTwo(len(got[pay.PaymentDetected]), err)
	},
}

// As with payouts, a plan made by a connection while there was little reads only its own rows.
func TestPayinsByPlansOfQuietHours(t *testing.T) {
	t.Parallel()
	for name, run := range paidStatements {
		for before, quiet := range paidBefore {
			t.Run(name+", "+before, func(t *testing.T) {
				t.Parallel()
				s := store.New(testkit.DB(t))
				s.DB.SetMaxOpenConns(1)
				other, err := pg.Open(testkit.DSN(t), 1) // keeps the first without a plan for looking up references
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, other.Close()) })
				for _, table := range []string{"addresses", "deliveries", "merchants", "payins", "transfers", "payment_choices", "payment_requests", "refunds", "payer_receipts"} {
					exec(t, other, "alter table "+table+" set (autovacuum_enabled = off)")
				}
				exec(t, other, quiet)
				exec(t, other, "analyze")
				exec(t, other, planPaid, 5000, 2, "seen", "pending")
				require.NoError(t, run(t.Context(), s, newPaidGroup(5000)))
				exec(t, other, planPaid, 1000, 500, "final", "completed")
				exec(t, other, planPaid, 5010, 2, "seen", "pending")

				rows, blocks := testkit.Touched(t, s.DB)
				require.NoError(t, run(t.Context(), s, newPaidGroup(5010)))
				rowsAfter, blocksAfter := testkit.Touched(t, s.DB)
				require.Less(t, rowsAfter-rows, 40, "500 are not meant")
				require.Less(t, blocksAfter-blocks, 150, "500 rows are not meant")
			})
		}
	}
}
