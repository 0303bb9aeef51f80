package store_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// threeEther makes a payout of an id and a status, with its hold.
const threeEther = `insert into entries (subject, kind, turn, digest) values (?0, 'payout_held', 0, 'held'); insert into payouts (id, merchant_id, key_id, reference_id, wallet, token, asset, network, process_by, amount, debit,
	rate_fee, network_fee, pays_network_fee, fee_from_amount, percent_rate, fiat_currency, webhook_url, status)
	values (?0, gen_random_uuid(), 'k', 'r', 'w', 'ETH', 'ETH', 'ethereum', 'crypto_amount', 3, 3, 0, 0, false, false, 0, 'USD', 'https://a.b', ?1)`

// holds are the digests of the holds of so many payouts made by threeEther.
func holds(of int) (out [][]byte) {
	for range of {
		out = append(out, []byte("held"))
	}
	return out
}

// ethereumFollowed is a follower with a block: before, nothing is signed.
const ethereumFollowed = "insert into followers (network, followed_from) values ('ethereum', 0)"

// A turn has the next nonces and the transactions signed and not sent. There is none while the wallet or an asset is
// stopped, the network is halted, or before it was followed.
func TestATurnToSign(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before string
		want   store.TurnOutcome
	}{
		"ready":             {"select 1", store.TurnReady},
		"no nonces yet":     {"delete from signing_nonces", store.TurnStopped},
		"its asset stopped": {"insert into stopped_assets (asset, reason) values ('ETH', 'drift')", store.TurnStopped},
		"another stopped":   {"insert into stopped_assets (asset, reason) values ('BTC', 'drift')", store.TurnReady},
		"stopped here":      {"insert into stopped_assets (asset, network, reason) values ('ETH', 'ethereum', 'drift')", store.TurnStopped},
		"stopped elsewhere": {"insert into stopped_assets (asset, network, reason) values ('ETH', 'base', 'drift')", store.TurnReady},
		"network halted":    {"update followers set halted = true", store.TurnStopped},
		"never followed":    {"update followers set followed_from = null", store.TurnStopped},
		"another halted":    {"insert into followers (network, head, halted) values ('tron', 9, true)", store.TurnReady},
		"wallet stopped":    {"insert into stopped_wallets (network, address, ours, chain) values ('ethereum', 'hot', 7, 9)", store.TurnStopped},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := store.New(testkit.DB(t))
			other, mine := uuid.New(), uuid.New()
			for _, q := range []struct {
				text string
				args []any
			}{
				{ethereumFollowed, nil}, {threeEther, []any{other, "signed"}}, {threeEther, []any{mine, "queued"}},
				{"insert into signing_nonces values ('ethereum', 'hot', 7)", nil},
				{`insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, fee, state)
					values ('ethereum', '0x1', ?0, 'pay', 'hot', 6, 'raw', 0, 'signed')`, []any{other}}, {c.before, nil},
			} {
				if _, err := s.DB.NewRaw(q.text, q.args...).Exec(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			turn, err := beginToSign(t.Context(), s, holds(1), store.Deducted{}, &pay.Payout{ID: mine, Status: pay.PayoutQueued, Asset: "ETH"})
			if err != nil || turn.Outcome != c.want {
				t.Fatalf("%+v, %v", turn, err)
			}
			if c.want == store.TurnReady && (turn.First != 7 || !turn.Promised["ETH"].Equal(decimal.NewFromInt(3))) {
				t.Errorf("first nonce %d, unsent %v", turn.First, turn.Promised)
			}
		})
	}
}

// TestAPayoutHasOneNonceInATurn: a task coming twice may bring its payout twice into one group; two nonces would pay it
// twice.
func TestAPayoutHasOneNonceInATurn(t *testing.T) {
	t.Parallel()
	s, id := store.New(testkit.DB(t)), uuid.New()
	exec(t, s.DB, threeEther, id, "queued")
	if err := s.OpenNonces(t.Context(), "ethereum", "hot", 4); err != nil {
		t.Fatal(err)
	}
	p := &pay.Payout{ID: id, Status: pay.PayoutQueued, Asset: "ETH"}
	err := s.InTx(t.Context(), func(tx *store.Store) error {
		turn, err := beginToSign(t.Context(), tx, holds(2), store.Deducted{}, p, p)
		if err == nil && turn.Outcome != store.TurnMoved {
			t.Errorf("%+v", turn)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Transactions signed and not sent are known in each turn, in any order of sending, and also when they replace sent
// ones.
func TestWhatIsNotSentIsKnown(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	exec(t, s.DB, ethereumFollowed)
	if err := s.OpenNonces(t.Context(), "ethereum", "hot", 4); err != nil {
		t.Fatal(err)
	}
	var all []*pay.SignedTransaction
	sign := func(unsent int64) {
		t.Helper()
		id := uuid.New()
		if _, err := s.DB.NewRaw(threeEther, id, "queued").Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := s.InTx(t.Context(), func(tx *store.Store) error {
			turn, err := beginToSign(t.Context(), tx, holds(1), store.Deducted{}, &pay.Payout{ID: id, Status: pay.PayoutQueued, Asset: "ETH"})
			if err != nil {
				return err
			}
			if want := decimal.NewFromInt(3 * unsent); !turn.Promised["ETH"].Equal(want) || turn.First != int64(4+len(all)) {
				t.Errorf("nonce %d: %s are not sent, and not %s", turn.First, turn.Promised["ETH"], want)
			}
			all = append(all, &pay.SignedTransaction{Network: "ethereum", Txid: id.String(), PayoutID: id, Purpose: "pay", Address: "hot",
				Nonce: turn.First, Raw: []byte("raw"), State: pay.TxSigned})
			return tx.AddAllSigned(t.Context(), all[len(all)-1:])
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	send := func(which int) {
		t.Helper()
		if ok, err := s.MarkSigned(t.Context(), "ethereum", all[which].Txid, pay.TxSigned, pay.TxSent, nil); err != nil || !ok {
			t.Fatal(ok, err)
		}
	}
	sign(0)
	sign(1)
	send(1)
	sign(1) // the first one still is not
	send(0)
	send(2)
	sign(0)
	send(3)
	sign(0)
	again := *all[1]
	again.Txid = "0x2"
	if err := s.AddSigned(t.Context(), []*pay.SignedTransaction{&again}); err != nil {
		t.Fatal(err)
	}
	sign(2) // the fifth, and the replacement of the second
	sign(3)
}

// Another wallet's nonce is another nonce, whatever its number: the other wallet's transactions for the same payout may
// still be mined.
func TestOnlyTheNonceOfTheSameWalletIsReplaced(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	for _, address := range []string{"hot", "former"} {
		for _, state := range []string{"final", "sent"} {
			exec(t, s.DB, `insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, fee, state)
				values ('ethereum', ?0, ?1, 'pay', ?2, 1, 'raw', 0, ?3)`, address+" "+state, guardedID, address, state)
		}
	}
	if err := s.MarkAllReplaced(t.Context(), "ethereum",
		[]*pay.SignedTransaction{{PayoutID: guardedID, Address: "hot", Nonce: 1, Txid: "hot final"}}); err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := s.DB.NewRaw("select txid from signed_transactions where state = 'replaced'").Scan(t.Context(), &got); err != nil ||
		!slices.Equal(got, []string{"hot sent"}) {
		t.Errorf("replaced: %v, %v", got, err)
	}
}

// places are n places for limits of one address, of payouts of merchants without any.
func places(n int) []string { return make([]string, n) }

// beginToSign begins to sign payouts with the hot wallet of Ethereum, a slot for each.
func beginToSign(ctx context.Context, s *store.Store, held [][]byte, deducted store.Deducted, payouts ...*pay.Payout) (*store.SigningTurn, error) {
	return s.BeginSigning(ctx, store.Signing{Network: "ethereum", Address: "hot", Kind: store.SignsByNumber, Payouts: payouts, Slots: len(payouts),
		Holds: held, Places: places(len(payouts)), Deducted: deducted})
}
