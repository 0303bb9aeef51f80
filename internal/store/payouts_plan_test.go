package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/pg"
	"causeway/internal/store"
)

// planMade makes so many payouts in a status, numbered from a first one: id, merchant, nonce, txid and job follow from the number.
const planMade = `with n as (select n, lpad(n::text, 32, '0')::uuid as id from generate_series(?0::int, ?0 + ?1 - 1) n),
	m as (insert into merchants (id, name, webhook_secret) select id, 'Shop', 's' from n),
	b as (insert into balances (merchant_id, asset, available) select id, 'ETH', 100 from n),
	a as (insert into accounts (name, merchant_id, pocket) select 'merchant:' || id || ':available', id, 'available' from n),
	e as (insert into entries (subject, kind, turn, digest) select id, 'payout_held', 0, 'held' from n),
	j as (insert into jobs (kind, ref, run_at, attempt) select 'payout.broadcast', id, now(), 1 from n),
	p as (insert into payouts (id, merchant_id, key_id, reference_id, wallet, token, asset, network, process_by, amount, debit,
		rate_fee, network_fee, pays_network_fee, fee_from_amount, percent_rate, fiat_currency, webhook_url, status)
		select id, id, 'k', 'r', 'w', 'ETH', 'ETH', 'ethereum', 'crypto_amount', 3, 3, 0, 0, false, false, 0, 'USD', 'https://a.b', ?2 from n)
	insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, state)
	select 'ethereum', 'tx' || n, id, 'pay', 'hot', n, 'raw', ?3 from n where ?0::int < 5000 or ?2 <> 'queued'`

// onePayout is the first of them.
var onePayout = strings.NewReplacer("?0", "1", "?1", "1", "?2", "'completed'", "?3", "'final'").Replace(planMade)

// planned is a statement working on a group of payouts, and where these and their transactions stand before it.
type planned struct {
	status, state string
	run           func(context.Context, *store.Store, planGroup) error
}

// planGroup is two payouts as planMade makes them.
type planGroup struct {
	ids     []uuid.UUID
	payouts []*pay.Payout
	jobs    []store.DueJob
	signed  []*pay.SignedTransaction
}

// holds are the digests of the holds made by planMade.
func (g planGroup) holds() [][]byte { return holds(len(g.payouts)) }

func newPlanGroup(first int, status pay.PayoutStatus) (g planGroup) {
	for n := first; n < first+2; n++ {
		id := uuid.MustParse(fmt.Sprintf("%032d", n))
		g.ids = append(g.ids, id)
		g.payouts = append(g.payouts, &pay.Payout{ID: id, MerchantID: id, Status: status, Asset: "ETH"})
		g.jobs = append(g.jobs, store.DueJob{Kind: "payout.broadcast", Ref: id, Attempt: 1})
		g.signed = append(g.signed, &pay.SignedTransaction{Network: "ethereum", Txid: fmt.Sprintf("tx%d", n), PayoutID: id, Address: "hot",
			Nonce: int64(n)})
	}
	return g
}

var plannedStatements = map[string]planned{
	"record what was sent": {"signed", "signed", func(ctx context.Context, s *store.Store, g planGroup) error {
		var sent []store.SentPayout
		for i := range g.ids {
			sent = append(sent, store.SentPayout{Job: g.jobs[i], Payout: g.payouts[i], Signed: g.signed[i], Mark: true, Move: true})
		}
		return s.RecordSent(ctx, sent)
	}},
	"begin to sign": {"queued", "signed", func(ctx context.Context, s *store.Store, g planGroup) error {
		turn, err := beginToSign(ctx, s, g.holds(), store.Deducted{}, g.payouts...)
		if err == nil && turn.Outcome != store.TurnReady {
			err = fmt.Errorf("%+v", turn)
		}
		return err
	}},
	"begin to sign what was not taken": {"queued", "sent", func(ctx context.Context, s *store.Store, g planGroup) error {
		untaken := uint64(g.signed[0].Nonce)
		turn, err := beginToSign(ctx, s, g.holds(), store.Deducted{Untaken: &untaken}, g.payouts...)
		if err == nil && (turn.Outcome != store.TurnReady || !turn.Promised["ETH"].Equal(decimal.NewFromInt(6))) {
			err = fmt.Errorf("%+v", turn)
		}
		return err
	}},
	"begin to sign what a block leaves": {"queued", "signed", func(ctx context.Context, s *store.Store, g planGroup) error {
		counted := uint64(g.signed[0].Nonce)
		turn, err := beginToSign(ctx, s, g.holds(), store.Deducted{From: &counted}, g.payouts...)
		if err == nil && (turn.Outcome != store.TurnAgain || !turn.Promised["ETH"].Equal(decimal.NewFromInt(6))) {
			err = fmt.Errorf("%+v", turn)
		}
		return err
	}},
	"start": {"queued", "signed", func(ctx context.Context, s *store.Store, g planGroup) error {
		got, err := s.StartPayouts(ctx, g.jobs, time.Minute)
		return unlessTwo(len(got), err)
	}},
	"add jobs": {"queued", "signed", func(ctx context.Context, s *store.Store, g planGroup) error {
		return s.AddJobs(ctx, "payout.broadcast", g.ids, 0)
	}},
	"plan jobs": {"queued", "signed", func(ctx context.Context, s *store.Store, g planGroup) error {
		return s.PlanJobs(ctx, "payout.broadcast", g.ids, 0)
	}},
	"read": {"queued", "signed", func(ctx context.Context, s *store.Store, g planGroup) error {
		got, err := s.PayoutsOf(ctx, g.ids)
		return unlessTwo(len(got), err)
	}},
	"move": {"signed", "signed", func(ctx context.Context, s *store.Store, g planGroup) error {
		n, _, err := s.MovePayouts(ctx, g.payouts, pay.PayoutSent, nil)
		return unlessTwo(n, err)
	}},
	"complete": {"sent", "final", func(ctx context.Context, s *store.Store, g planGroup) error {
		n, not, err := s.MovePayouts(ctx, g.payouts, pay.PayoutCompleted, g.holds())
		return unlessTwo(n-len(not), err)
	}},
	"which are not held": {"queued", "signed", func(ctx context.Context, s *store.Store, g planGroup) error {
		not, err := s.Unheld(ctx, g.payouts, [][]byte{[]byte("another"), []byte("another")}, "")
		return unlessTwo(len(not), err)
	}},
	"mark signed": {"signed", "signed", func(ctx context.Context, s *store.Store, g planGroup) error {
		moved, err := s.MarkAllSigned(ctx, "ethereum", []store.SignedMove{
			{Txid: g.signed[0].Txid, From: "signed", To: "sent"}, {Txid: g.signed[1].Txid, From: "signed", To: "sent"}})
		return unlessTwo(len(moved), err)
	}},
	"mark replaced": {"signed", "signed", func(ctx context.Context, s *store.Store, g planGroup) error {
		for _, t := range g.signed {
			t.Txid = "another"
		}
		return s.MarkAllReplaced(ctx, "ethereum", g.signed)
	}},
	"keep signed": {"queued", "signed", func(ctx context.Context, s *store.Store, g planGroup) error {
		for _, t := range g.signed {
			t.Txid, t.Purpose, t.Address, t.Raw, t.State = "new "+t.Txid, "pay", "hot", []byte("raw"), pay.TxSigned
		}
		return s.AddAllSigned(ctx, g.signed)
	}},
	"which are ours": {"signed", "signed", func(ctx context.Context, s *store.Store, g planGroup) error {
		got, err := s.SignedAmong(ctx, "ethereum", []string{g.signed[0].Txid, g.signed[1].Txid})
		return unlessTwo(len(got), err)
	}},
	"which are open": {"signed", "signed", func(ctx context.Context, s *store.Store, g planGroup) error {
		_, err := s.OpenSigned(ctx, "ethereum", 0, 2)
		return err
	}},
	"which are in no block": {"signed", "signed", func(ctx context.Context, s *store.Store, g planGroup) error {
		got, err := s.Unmined(ctx, g.ids)
		return unlessTwo(len(got), err)
	}},
	"post": {"signed", "signed", func(ctx context.Context, s *store.Store, g planGroup) error {
		_, err := s.DB.DB.ExecContext(ctx, `select post($1, array['payout_settled', 'payout_settled']::entry_kind[], array[0, 0], array['d', 'd']::bytea[],
			array[1, 2], array[1, 1], array(select 'merchant:' || id || ':available' from unnest($1::uuid[]) id), array['out', 'out'],
			array['ETH', 'ETH'], array[1.0, 1.0]::numeric[], array['', ''], array[null, null]::uuid[], array['ethereum', 'ethereum'], array['', ''])`, pgIDs(g.ids))
		return err
	}},
	"record payouts":            {"signed", "signed", recordTwo("null, null")},
	"record payouts one by one": {"signed", "signed", recordTwo("10, 1")},
}

// recordTwo records another payout of each merchant of the group; limit is its daily limit and its worth in USD, in SQL.
func recordTwo(limit string) func(context.Context, *store.Store, planGroup) error {
	return func(ctx context.Context, s *store.Store, g planGroup) error {
		rows, err := s.DB.DB.QueryContext(ctx, `select outcome from record_payouts(array(select (gen_random_uuid(), id, 'k' || id, 'another', 'w', null,
			'ETH', 'ETH', 'ethereum', 'crypto_amount', 1, 1, 0, 0, false, false, 0, 'USD', null, null, null, 'https://a.b', 's', 'd', `+limit+`)::payout_item
			from unnest($1::uuid[]) as id))`, pgIDs(g.ids))
		if err != nil {
			return err
		}
		created := 0
		for rows.Next() {
			var outcome string
			if err := rows.Scan(&outcome); err != nil || outcome != "created" {
				return fmt.Errorf("%s, %w", outcome, err)
			}
			created++
		}
		return unlessTwo(created, rows.Close())
	}
}

func unlessTwo(n int, err error) error {
	if err == nil && n != 2 {
		err = fmt.Errorf("%d, and not two", n)
	}
	return err
}

// A plan made by a connection before there was anything like its rows reads only its own rows.
func TestPayoutsByPlansOfQuietHours(t *testing.T) {
	t.Parallel()
	for name, p := range plannedStatements {
		for before, quiet := range map[string]string{
			"empty":        "select 1",
			"little there": onePayout + "; insert into jobs (kind, ref, run_at) select 'network.follow', gen_random_uuid(), now() from generate_series(1, 30)",
		} {
			t.Run(name+", "+before, func(t *testing.T) {
				t.Parallel()
				s := store.New(testkit.DB(t))
				s.DB.SetMaxOpenConns(1)
				other, err := pg.Open(testkit.DSN(t), 1) // keeps the first without a plan for looking up references
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, other.Close()) })
				made := func(query string, args ...any) { exec(t, other, query, args...) }
				pair := func(first int) { // nothing was signed for queued ones: two others have the transactions
					made(planMade, first, 2, p.status, p.state)
					if p.status == "queued" {
						made(planMade, first+2, 2, "signed", p.state)
					}
				}
				for _, table := range []string{"jobs", "payouts", "signed_transactions", "balances", "accounts", "merchants"} {
					made("alter table " + table + " set (autovacuum_enabled = off)")
				}
				made(ethereumFollowed)
				made("insert into signing_nonces (network, address, next, unsent_from) values ('ethereum', 'hot', 6000, 5000)")
				made(quiet)
				made("analyze")
				pair(5000)
				require.NoError(t, p.run(t.Context(), s, newPlanGroup(5000, pay.PayoutStatus(p.status))))
				made(planMade, 1000, 500, "sent", "sent")
				pair(5010)

				rows, blocks := testkit.Touched(t, s.DB)
				require.NoError(t, p.run(t.Context(), s, newPlanGroup(5010, pay.PayoutStatus(p.status))))
				rowsAfter, blocksAfter := testkit.Touched(t, s.DB)
				require.Less(t, rowsAfter-rows, 40, "500 are not meant")
				require.Less(t, blocksAfter-blocks, 150, "500 rows are not meant")
			})
		}
	}
}

// pgIDs writes ids as an array.
func pgIDs(ids []uuid.UUID) string {
	out := ""
	for _, id := range ids {
		out += "," + id.String()
	}
	return "{" + out[1:] + "}"
}
