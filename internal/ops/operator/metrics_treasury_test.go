package operator_test

import (
	"strings"
	"testing"

	"causeway/internal/ops/operator"
)

// Open moves count by kind, and their age is that of the oldest. A failure counts until a later move of the same money goes on, and
// costs of cold moves are no costs of sweeps.
//
// Covers operator §Treasury: causeway_treasury_moves_open
// Covers operator §Treasury: causeway_treasury_moves_failed
// Covers operator §Treasury: causeway_treasury_sweep_cost_total
// Covers operator §Treasury: causeway_treasury_hot_floor
func TestMetricsOfTheTreasury(t *testing.T) {
	t.Parallel()
	p := open(t, func(*operator.Deps) {})
	p.exec(t, `insert into treasury_moves (id, network, kind, token, from_address, to_address, index, amount, status, cost, by, created_at, updated_at)
		select lpad(n::text, 32, '0')::uuid, 'Tron', kind, token, start, 'to', case when kind in ('cold', 'withdraw') then null else 1 end, 5, status, cost::numeric, 'rules',
			now() - age::interval, now() - age::interval
		from (values (1, 'sweep', 'USDT', 'A', 'done', '14.5', '2 days'), (2, 'sweep', 'USDT', 'B', 'sent', '1.5', '1 hour'),
			(3, 'sweep', 'USDT', 'C', 'planned', null, '1 minute'), (4, 'topup', 'TRX', 'Hot', 'done', '0.5', '2 hours'),
			(5, 'cold', 'USDT', 'Hot', 'done', '7', '3 hours'), (6, 'sweep', 'USDT', 'D', 'failed', '1', '4 hours'),
			(7, 'sweep', 'USDT', 'E', 'failed', null, '3 hours'), (8, 'sweep', 'USDT', 'E', 'done', '2', '2 hours'),
			(9, 'sweep', 'USDT', 'F', 'failed', null, '2 days'), (10, 'undelegate', 'TRX', 'Hot', 'cancelled', null, '2 hours'),
			(11, 'undelegate', 'TRX', 'Hot', 'planned', null, '1 minute'), (12, 'withdraw', 'TRX', 'Cold', 'cancelled', null, '2 hours'),
			(13, 'withdraw', 'TRX', 'Cold', 'done', null, '1 hour'), (14, 'sweep', 'USDT', 'G', 'cancelled', null, '1 hour')) m(n, kind, token, start, status, cost, age)`)
	p.exec(t, "insert into treasury_rules (network, token, sweep_min, hot_floor, hot_target, hot_ceiling) values ('Tron', 'USDT', 1, 100, 200, 500), ('Tron', 'TRX', 1, 0, 0, null)")
	_, body := p.ask(t, "GET", "/metrics", "")
	for _, want := range []string{
		`moves_open{kind="sweep",network="Tron"} 2`, `moves_open{kind="topup",network="Tron"} 0`, `moves_failed{kind="sweep",network="Tron"} 1`,
		`moves_failed{kind="undelegate",network="Tron"} 1`, `moves_failed{kind="withdraw",network="Tron"} 0`,
		`moves_failed{kind="cold",network="Tron"} 0`, `move_age_seconds{network="Tron"} 3600`, `sweep_cost_total{network="Tron"} 19.5`,
		`hot_floor{asset="USDT",network="Tron",token="USDT"} 100`, `hot_ceiling{asset="USDT",network="Tron",token="USDT"} 500`,
	} {
		if !strings.Contains(body, "\ncauseway_treasury_"+want) {
			t.Errorf("lacks %s", want)
		}
	}
	for _, not := range []string{`hot_floor{asset="TRX"`, `hot_ceiling{asset="TRX"`} {
		if strings.Contains(body, not) {
			t.Errorf("tells of %s", not)
		}
	}
	if t.Failed() {
		t.Log(body)
	}
}

// Where coins are spent whole, payouts are paid from all coins in blocks that nobody has spent, those under way among them. Those not worth
// their fee are counted, and those with tokens of others apart. A former wallet's do not count, and a consolidation moves nothing to anywhere.
//
// Covers operator §Holdings: causeway_wallet_payable
// Covers operator §Treasury: causeway_treasury_coins_left
// Covers operator §Treasury: causeway_treasury_coins_mixed
func TestMetricsOfCoins(t *testing.T) {
	t.Parallel()
	p := open(t, func(*operator.Deps) {})
	p.exec(t, `insert into followers (network, head, chain, wallet, final, followed_from) values ('Bitcoin', 100, 'test', 'hot', 95, 1)
		on conflict (network) do update set wallet = 'hot'`)
	p.exec(t, `insert into coins (network, id, address, token, amount, own, height, slot, place, spent_by, spent_height, mixed)
		select 'Bitcoin', n || ':0', case n when 1 then 'former' else 'hot' end, 'BTC', amount::numeric, false, height, slot, slot * 0, spent, 90 + length(spent) * 0, n > 7
		from (values (1, '7', 50, null, null), (2, '2', 50, 3, null), (3, '0.5', 99, null, null), (4, '4', 50, 3, 'x'), (5, '8', null, null, null),
			(6, '0.000003', 50, null, null), (7, '0.000002', 50, null, null), (8, '3', 50, null, null), (9, '0.000001', 50, null, null)) c(n, amount, height, slot, spent)`)
	p.exec(t, "insert into move_costs (network, at, cost, coin) values ('Bitcoin', now() - interval '1 hour', 1, 1), ('Bitcoin', now(), 0.0001, 0.000001)")
	p.exec(t, "insert into reconcile_looks (network, found, corrected, unreached, looked_at) values ('Bitcoin', '[]', '{}', '', now())")
	p.exec(t, `insert into wallet_holdings (network, asset, kind, amount, address, height, seen_at) values ('Bitcoin', 'BTC', 'hot', 1, 'hot', 100, now()),
		('Bitcoin', 'BTC', 'deposits', 1.5, '', 100, now()), ('Bitcoin', 'BTC', 'cold', 0, '', 100, now())`)
	p.exec(t, `insert into treasury_moves (id, network, kind, token, from_address, to_address, amount, status, by)
		values (gen_random_uuid(), 'Bitcoin', 'consolidate', 'BTC', 'hot', 'hot', 5, 'sent', 'rules')`)
	_, body := p.ask(t, "GET", "/metrics", "")
	for _, want := range []string{
		`wallet_payable{asset="BTC",network="Bitcoin"} 2.500005`, `wallet_balance{asset="BTC",kind="hot",network="Bitcoin"} 1`,
		`wallet_moving{asset="BTC",network="Bitcoin"} 0`, `treasury_coins_left{asset="BTC",network="Bitcoin"} 2`,
		`treasury_coins_left_amount{asset="BTC",network="Bitcoin"} 5e-06`, `treasury_coins_mixed{asset="BTC",network="Bitcoin"} 2`,
		`treasury_coins_mixed_amount{asset="BTC",network="Bitcoin"} 3.000001`, `treasury_moves_open{kind="consolidate",network="Bitcoin"} 1`,
	} {
		if !strings.Contains(body, "\ncauseway_"+want+"\n") {
			t.Errorf("lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(body)
	}
}
