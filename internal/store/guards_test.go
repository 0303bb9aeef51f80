package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
)

var guardedID = uuid.MustParse("01900000-0000-7000-8000-000000000001")

// guarded is a statement meant to have no effect after a change of its row while it waited for it.
type guarded struct {
	name, row, meanwhile string
	moved                func(context.Context, *store.Store) (bool, error)
}

func guardedStatements() []guarded {
	const (
		payout = `insert into payouts (id, merchant_id, key_id, reference_id, wallet, token, asset, network, process_by, amount, debit,
			rate_fee, network_fee, pays_network_fee, fee_from_amount, percent_rate, fiat_currency, webhook_url, status)
			values (?0, gen_random_uuid(), 'k', 'r', 'w', 'ETH', 'ETH', 'ethereum', 'crypto_amount', 1, 1, 0, 0, false, false, 0, 'USD', 'https://a.b', 'queued')`
		signed = payout + `; insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, fee, state)
			values ('ethereum', '0x1', ?0, 'pay', 'hot', 1, 'raw', 0, 'sent')`
		job = payout + "; insert into jobs (kind, ref, run_at, attempt) values ('" + delivering + "', ?0, now(), 1)"
		all = `insert into merchants (id, name, webhook_secret) values (?0, 'Shop', 's');
			insert into deliveries (id, merchant_id, subject, event, url, body) values (?0, ?0, ?0, 'payout.processed', 'https://a.b', '{}'); ` + job
		sending = payout + `; update payouts set status = 'signed'; insert into jobs (kind, ref, run_at, attempt) values ('payout.broadcast', ?0, now(), 1);
			insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, fee, state) values ('ethereum', '0x1', ?0, 'pay', 'hot', 1, 'raw', 0, 'signed')`
		take = "update jobs set attempt = 2 where ref = ?0"
	)
	id, mine := guardedID, store.DueJob{Kind: delivering, Ref: guardedID, Attempt: 1}
	sent := store.SentPayout{Job: store.DueJob{Kind: "payout.broadcast", Ref: guardedID, Attempt: 1}, Mark: true, Move: true,
		Payout: &pay.Payout{ID: id, Status: pay.PayoutSigned}, Signed: &pay.SignedTransaction{Network: "ethereum", Txid: "0x1"}}
	move := store.SignedMove{Txid: "0x1", From: pay.TxSent, To: pay.TxMined, Height: new(int64)}
	return []guarded{
		{"a payout that another has moved", payout, "update payouts set status = 'failed' where id = ?0",
			func(ctx context.Context, s *store.Store) (bool, error) {
				n, _, err := s.MovePayouts(ctx, []*pay.Payout{{ID: id, Status: pay.PayoutQueued}}, pay.PayoutSigned, nil)
				return n > 0, err
			}},
		{"a payout to sign that another has moved", payout, "update payouts set status = 'failed' where id = ?0",
			func(ctx context.Context, s *store.Store) (bool, error) {
				turn, err := beginToSign(ctx, s, holds(1), store.Deducted{}, &pay.Payout{ID: id, Status: pay.PayoutQueued})
				return err == nil && turn.Outcome != store.TurnMoved, err
			}},
		{"a transaction that another has moved", signed, "update signed_transactions set state = 'replaced' where payout_id = ?0",
			func(ctx context.Context, s *store.Store) (bool, error) {
				moved, err := s.MarkAllSigned(ctx, "ethereum", []store.SignedMove{move})
				return moved["0x1"], err
			}},
		{"a transaction that is final meanwhile", signed, "update signed_transactions set state = 'final' where payout_id = ?0",
			func(ctx context.Context, s *store.Store) (bool, error) {
				err := s.MarkAllReplaced(ctx, "ethereum", []*pay.SignedTransaction{{PayoutID: id, Address: "hot", Nonce: 1, Txid: "0x2"}})
				var state string
				err = errors.Join(err, s.DB.NewRaw("select state from signed_transactions").Scan(ctx, &state))
				return state != "final", err
			}},
		{"a payout to start", job, take, func(ctx context.Context, s *store.Store) (bool, error) {
			started, err := s.StartPayouts(ctx, []store.DueJob{mine}, time.Minute)
			return len(started) > 0, err
		}},
		{"a payout to record as sent", sending, take, func(ctx context.Context, s *store.Store) (bool, error) {
			err := s.RecordSent(ctx, []store.SentPayout{sent})
			var untouched bool
			err = errors.Join(unless(err, store.ErrNotAll), s.DB.NewRaw(`select (select status from payouts) = 'signed' and (select state from signed_transactions) = 'signed'
				and (select count(*) from jobs) = 1`).Scan(ctx, &untouched))
			return !untouched, err
		}},
		{"a follower to note", job, take, func(ctx context.Context, s *store.Store) (bool, error) {
			return s.NoteFollower(ctx, mine, "ethereum", "deeper than is remembered", true)
		}},
		{"a delivery to start", all, take, func(ctx context.Context, s *store.Store) (bool, error) {
			started, err := s.StartDeliveries(ctx, []store.DueJob{mine}, time.Minute)
			return len(started) > 0, err
		}},
		{"a delivery to end", all, take, func(ctx context.Context, s *store.Store) (bool, error) {
			err := s.EndDeliveries(ctx, []store.DeliveryEnd{{Job: mine, Status: "delivered"}})
			var ended bool
			err = errors.Join(unless(err, store.ErrNotAll),
				s.DB.NewRaw("select status = 'delivered' and not exists (select from jobs) from deliveries").Scan(ctx, &ended))
			return ended, err
		}},
	}
}

// A guarded statement looks at a row as it is after the wait for it, not as it was when the statement began: its holder
// may have moved it, or taken its job.
func TestGuardsLookAgainAfterTheyHaveWaited(t *testing.T) {
	t.Parallel()
	for _, c := range guardedStatements() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if moved, err := c.waiting(t, c.meanwhile); err != nil || moved {
				t.Errorf("it took effect: %v, %v", moved, err)
			}
		})
	}
}

// A statement takes effect after waiting for a row if the row still fits its guard, wherever the row is then.
func TestGuardsFindARowThatWasOnlyTouched(t *testing.T) {
	t.Parallel()
	const touch = "update payouts set memo = 'm' where id = ?0; update signed_transactions set fee = 1; update jobs set failures = 1"
	for _, c := range guardedStatements() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if moved, err := c.waiting(t, touch); err != nil || !moved {
				t.Errorf("it took no effect: %v, %v", moved, err)
			}
		})
	}
}

// waiting runs the statement while another transaction with changes to the rows is open, and commits the other once the
// statement waits for it.
func (c guarded) waiting(t *testing.T, meanwhile string) (moved bool, err error) {
	s := store.New(testkit.DB(t))
	exec(t, s.DB, c.row, guardedID)
	other, err := s.DB.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.NewRaw(meanwhile, guardedID).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		moved, err = c.moved(t.Context(), s)
	}()
	testkit.Eventually(t, time.Minute, func() bool {
		waiting := 0
		err := s.DB.NewRaw("select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'").
			Scan(t.Context(), &waiting)
		return err == nil && waiting > 0
	}, "it waits")
	if err := other.Commit(); err != nil {
		t.Fatal(err)
	}
	<-done
	return moved, err
}

func unless(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}
