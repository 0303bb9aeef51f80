package api

import (
	"net/http"
	"testing"
)

// The reasons why some codes are never answered (Code.Never), where a test can notice one no longer holding.
func TestWhyCodesAreNeverAnswered(t *testing.T) {
	t.Parallel()
	s := newShop(t, holding("1000"))
	t.Run("no account is half set up", func(t *testing.T) {
		for _, change := range []string{
			`insert into keys (id, merchant_id, hash) values ('orphan', gen_random_uuid(), '\x00')`,
			`insert into keys (id, hash) values ('orphan', '\x00')`,
			`delete from merchants`,
		} {
			if _, err := s.db.ExecContext(t.Context(), change); err == nil {
				t.Errorf("taken: %s", change)
			}
		}
	})
	t.Run("networks are compiled in", func(t *testing.T) {
		s.exec(`insert into tokens (symbol, network, balance_key, variant, decimals, precision, min_receipt, min_withdrawal, network_fee, fee_currency)
			values ('USDT', 'Mars', 'USDT', 'native', 6, 6, 1, 1, 1, 'USDT')`)
		if status, got := s.payin("network", `"Mars"`); status != 400 || got.code() != "invalid_network_or_deposits_disabled" {
			t.Errorf("%d %v", status, got)
		}
		_, got := s.call(http.MethodPost, "/v1/payout", item("mars", "network", `"Mars"`))
		got.wants(t, map[string]any{"results.0.error.code": "invalid_network_or_withdrawals_disabled"})
	})
	t.Run("the catalogue is loaded once for all items", func(t *testing.T) {
		other := newShop(t)
		other.fund(other.merchant, "USDT", "100")
		other.exec("alter table fiats rename to gone")
		a := other.payOut(batchOf(item("one"), item("two", "network", `"x"`), item("three")))
		a.is(t, 500, "error_fetching_active_currencies")
		decodeReply(t, a.text).wants(t, map[string]any{"results": nil, "summary": nil})
	})
	t.Run("a failure to record an item is internal_error, whatever its cause", func(t *testing.T) {
		for _, cause := range []string{"check_violation", "foreign_key_violation", "not_null_violation", "unique_violation",
			"numeric_value_out_of_range", "insufficient_privilege"} {
			s.exec(`create or replace function broken() returns trigger language plpgsql as $$ begin raise exception 'broken by the test' using errcode = '` + cause + `'; end $$`)
			s.exec(`create or replace trigger broken before insert on payouts for each row execute function broken()`)
			status, got := s.call(http.MethodPost, "/v1/payout", item("broken-"+cause))
			got.wants(t, map[string]any{"error.code": "internal_error", "results.0.error.code": "internal_error", "results.0.error.details": nil})
			if status != 500 {
				t.Errorf("%s: %d %v", cause, status, got)
			}
		}
	})
}
