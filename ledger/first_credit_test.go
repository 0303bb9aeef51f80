package ledger_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// TestAFirstCreditDuringAGroupStays: if a balance has no row when a group locks its balances, it has nothing for this
// group, and a credit to it stays while the group waits for something else.
func TestAFirstCreditDuringAGroupStays(t *testing.T) {
	t.Parallel()
	for name, held := range map[string]string{
		"before it decides": `insert into daily_spend (key_id, day, usd) values ('k', (now() at time zone 'UTC')::date, 0)`,
		"before it writes": `insert into payouts (id, merchant_id, key_id, reference_id, wallet, token, asset, network, process_by, amount, debit,
			rate_fee, network_fee, pays_network_fee, fee_from_amount, percent_rate, fiat_currency, webhook_url, status)
			select gen_random_uuid(), merchant_id, 'k', 'rich', 'w', asset, asset, 'ethereum', 'crypto_amount', 3, 3, 0, 0, false, false, 0, 'USD',
			'https://a.b', 'queued' from balances`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := oneWorld(t, 2)
			poor, rich, asset, ten := w.merchants[0], w.merchants[1], w.assets[0], decimal.NewFromInt(10)
			w.fund(t, rich, asset, "50")
			holder, err := w.db.BeginTx(t.Context(), nil)
			require.NoError(t, err)
			_, err = holder.ExecContext(t.Context(), held)
			require.NoError(t, err)
			done := make(chan error, 1)
			var got []store.PayoutOutcome
			go func() {
				var err error
				got, err = w.store.RecordPayouts(t.Context(), []store.PayoutItem{itemOf(w, poor, asset, "poor", ten),
					limited(itemOf(w, rich, asset, "rich", ten), "k", decimal.NewFromInt(100), ten)})
				done <- err
			}()
			testkit.Eventually(t, time.Minute, func() bool {
				return w.count(t, "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") > 0
			}, "the group waits")
			w.fund(t, poor, asset, "100")
			require.NoError(t, holder.Rollback())
			require.NoError(t, <-done)
			require.Equal(t, "insufficient_balance", got[0].Outcome)
			require.Contains(t, []string{"created", "daily_payout_limit_unavailable"}, got[1].Outcome,
				"the second on a machine that needs seconds for a credit")
			require.Equal(t, "100", w.balance(t, t, poor, asset).Available.String())
			w.requireSound(t, t)
		})
	}
}
