package store_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

func exec(t *testing.T, db *bun.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatal(err)
	}
}

func merchantWithKey(t *testing.T, db *bun.DB, keyID string) uuid.UUID {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	exec(t, db, `insert into merchants (id, name, webhook_secret, payment_rate) values (?, 'Shop', 'x', 1.25)`, id)
	exec(t, db, `insert into keys (id, merchant_id, hash) values (?, ?, 'h')`, keyID, id)
	return id
}

func caller(t *testing.T, s *store.Store, keyID, idempotencyKey string) *store.Caller {
	t.Helper()
	found, err := s.Callers(t.Context(), []store.Ask{{KeyID: keyID, IdempotencyKey: idempotencyKey}})
	if err != nil {
		t.Fatal(err)
	}
	return found[0]
}

func TestCallerOfAPlainKey(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	s, id := store.New(db), merchantWithKey(t, db, "k1")
	c := caller(t, s, "k1", "")
	if c.Key.ID != "k1" || c.Merchant.ID != id || c.Merchant.Name != "Shop" || string(c.Key.Hash) != "h" {
		t.Errorf("caller = %+v", c)
	}
	if c.Key.Scopes != nil || c.Key.IPs != nil || c.Remembered != nil || c.Overrides != nil {
		t.Error("something is there that was not written")
	}
	if got := c.Terms("Tron").PaymentRate.String(); got != "1.25" {
		t.Errorf("payment rate %s", got)
	}
	if c := caller(t, s, "k2", ""); c != nil {
		t.Errorf("behind an unknown key is %+v", c)
	}
}

func TestCallerTellsNoListFromAnEmptyOne(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	s := store.New(db)
	merchantWithKey(t, db, "k1")
	exec(t, db, `update keys set scopes = '{}', ips = '{}'`)
	if c := caller(t, s, "k1", ""); c.Key.Scopes == nil || c.Key.IPs == nil {
		t.Error("an empty list was read as none, which allows more")
	}
	exec(t, db, `update keys set scopes = '{payout:write,payin:read}', ips = '{10.0.0.0/8,::1}', rate_limit = 5, rate_window = 9, expires_at = '2030-01-01'`)
	k := caller(t, s, "k1", "").Key
	if !slices.Equal(k.Scopes, []string{"payout:write", "payin:read"}) || !slices.Equal(k.IPs, []string{"10.0.0.0/8", "::1"}) {
		t.Errorf("lists = %v %v", k.Scopes, k.IPs)
	}
	if *k.RateLimit != 5 || *k.RateWindow != 9 || !k.ExpiresAt.Equal(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("key = %+v", k)
	}
}

func TestCallerCarriesOverridesAndRevision(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	s, id := store.New(db), merchantWithKey(t, db, "k1")
	exec(t, db, `insert into merchant_networks (merchant_id, network, payment_rate, user_pays_payment_network_fee) values (?, 'Tron', 0.123456, false)`, id)
	before := caller(t, s, "k1", "")
	if got := before.Terms("Tron"); got.PaymentRate.String() != "0.123456" || got.PaysPaymentNetworkFee {
		t.Errorf("terms on Tron = %+v", got)
	}
	if got := before.Terms("Base"); got.PaymentRate.String() != "1.25" || !got.PaysPaymentNetworkFee {
		t.Errorf("terms on Base = %+v", got)
	}
	exec(t, db, `update fiats set accepted = accepted`)
	if after := caller(t, s, "k1", ""); after.Catalogue <= before.Catalogue {
		t.Errorf("revision %d, then %d", before.Catalogue, after.Catalogue)
	}
}

// A database may fall back behind a process, as a replica taking over without the last commits does. It does not come
// to a revision seen by the process with another content.
func TestARevisionIsNotRepeated(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	s := store.New(db)
	merchantWithKey(t, db, "k1")
	for name, change := range map[string]string{"catalogue": "update fiats set accepted = accepted", "access": "update keys set scopes = scopes"} {
		of := func() (v int64) {
			now := caller(t, s, "k1", "").Revisions
			return map[string]int64{"catalogue": now.Catalogue, "access": now.Access}[name]
		}
		before := of()
		exec(t, db, change)
		lost := of()
		exec(t, db, `update revisions set version = ? where name = ?`, before, name)
		exec(t, db, change)
		if again := of(); lost <= before || again <= lost {
			t.Errorf("%s: %d, %d, lost, %d", name, before, lost, again)
		}
	}
}

func TestCallerCarriesTheRememberedAnswer(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	s, id := store.New(db), merchantWithKey(t, db, "k1")
	other := merchantWithKey(t, db, "k2")
	exec(t, db, `insert into idempotency_keys (merchant_id, key, claimed_at, status, body) values (?, 'done', now() - interval '1 hour', 207, 'answer'), (?, 'runs', now(), null, null)`, id, id)
	exec(t, db, `insert into idempotency_keys (merchant_id, key, status) values (?, 'theirs', 200)`, other)
	done := caller(t, s, "k1", "done").Remembered
	if done == nil || *done.Status != 207 || string(done.Body) != "answer" || done.Age < time.Hour || done.Age > 2*time.Hour {
		t.Fatalf("done = %+v", done)
	}
	if runs := caller(t, s, "k1", "runs").Remembered; runs == nil || runs.Status != nil || runs.Age > time.Minute {
		t.Errorf("runs = %+v", runs)
	}
	if caller(t, s, "k1", "theirs").Remembered != nil {
		t.Error("another merchant's answer")
	}
}

func TestNonceIsSpentOnce(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	s := store.New(db)
	merchantWithKey(t, db, "k1")
	merchantWithKey(t, db, "k2")
	var fresh atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if ok, err := s.SpendNonce(context.Background(), "k1", "nonce"); err != nil {
				t.Error(err)
			} else if ok {
				fresh.Add(1)
			}
		})
	}
	all.Wait()
	if fresh.Load() != 1 {
		t.Errorf("fresh %d times", fresh.Load())
	}
	if ok, err := s.SpendNonce(t.Context(), "k2", "nonce"); !ok || err != nil {
		t.Errorf("another key's nonce: %v, %v", ok, err)
	}
}
