package store_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/testkit"
	"causeway/pay"
	"causeway/store"
)

// A turn has the next nonces and what is signed and not sent; none is had while the wallet or an asset is stopped.
func TestATurnToSign(t *testing.T) {
	t.Parallel()
	const row = `insert into payouts (id, merchant_id, key_id, reference_id, wallet, token, asset, network, process_by, amount, debit,
			rate_fee, network_fee, pays_network_fee, fee_from_amount, percent_rate, fiat_currency, webhook_url, status)
			values (?0, gen_random_uuid(), 'k', 'r', 'w', 'ETH', 'ETH', 'ethereum', 'crypto_amount', 3, 3, 0, 0, false, false, 0, 'USD', 'https://a.b', ?1)`
	for name, c := range map[string]struct {
		before string
		want   store.TurnOutcome
	}{
		"ready":             {"select 1", store.TurnReady},
		"no nonces yet":     {"delete from signing_nonces", store.TurnStopped},
		"its asset stopped": {"insert into stopped_assets (asset, reason) values ('ETH', 'drift')", store.TurnStopped},
		"another stopped":   {"insert into stopped_assets (asset, reason) values ('BTC', 'drift')", store.TurnReady},
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
				{row, []any{other, "signed"}}, {row, []any{mine, "queued"}}, {"insert into signing_nonces values ('ethereum', 'hot', 7)", nil},
				{`insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, fee, state)
					values ('ethereum', '0x1', ?0, 'pay', 'hot', 6, 'raw', 0, 'signed')`, []any{other}}, {c.before, nil},
			} {
				if _, err := s.DB.NewRaw(q.text, q.args...).Exec(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			turn, err := s.BeginSigning(t.Context(), "ethereum", "hot", []*pay.Payout{{ID: mine, Status: pay.PayoutQueued, Asset: "ETH"}})
			if err != nil || turn.Outcome != c.want {
				t.Fatalf("%+v, %v", turn, err)
			}
			if c.want == store.TurnReady && (turn.First != 7 || !turn.Unsent["ETH"].Equal(decimal.NewFromInt(3))) {
				t.Errorf("first nonce %d, unsent %v", turn.First, turn.Unsent)
			}
		})
	}
}
