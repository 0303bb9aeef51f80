package operator_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"causeway/chains"
	"causeway/internal/ops/operator"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	p := open(t, func(d *operator.Deps) {
		d.Live = []string{"Ethereum"}
		d.Networks[1].Nodes = func() []chains.Node {
			return []chains.Node{{Requests: 7, Failures: 2, Left: true}, {Requests: 3, Used: true}}
		}
	})
	merchant, delivery := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	p.exec(t, "insert into merchants (id, name, webhook_secret) values (?, 'm', '')", merchant)
	p.exec(t, "insert into balances (merchant_id, asset) values (?0, 'USDT'), (?0, 'ETH')", merchant)
	p.exec(t, "update balances set available = case asset when 'USDT' then -41.5 else 7 end")
	p.exec(t, "insert into jobs (kind, ref, run_at) values ('payout.broadcast', ?, now() - interval '90 s'), ('payout.broadcast', ?, now() + interval '1 h')", merchant, delivery)
	p.exec(t, "insert into followers (network, head, halted) values ('Ethereum', 50, true)")
	p.exec(t, "insert into chain_blocks values ('Ethereum', 40, 'a', 'b'), ('Ethereum', 41, 'c', 'a'), ('Bitcoin', 99, 'x', 'y')")
	p.exec(t, `insert into payouts (id, merchant_id, key_id, reference_id, wallet, token, asset, network, process_by, amount, debit, rate_fee,
			network_fee, pays_network_fee, fee_from_amount, percent_rate, fiat_currency, webhook_url, status, created_at)
		select gen_random_uuid(), ?, 'k', status, 'w', 'USDT', 'USDT', 'Ethereum', 'crypto_amount', 1, 1, 0, 0, true, true, 0, 'USD', '', status, now() - interval '30 s'
		from unnest(array['queued', 'sent', 'completed']) status`, merchant)
	p.exec(t, `insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, state, signed_at)
		select 'Ethereum', status, id, 'pay', 'a', 1, '', 'signed', now() - interval '6 s' * (status = 'queued')::int from payouts`)
	p.exec(t, "insert into capped_payouts (payout_id, why) select id, 'over' from payouts where status = 'queued'")
	p.exec(t, "insert into jobs (kind, ref, run_at, last_error) select 'payout.broadcast', id, now() + interval '1 h', 'over' from payouts where status = 'queued'")
	p.exec(t, "insert into contrary_transactions (network, txid, payout_id) select 'Ethereum', kind, id from payouts, unnest(array['one', 'two']) kind where status = 'completed'")
	p.exec(t, "insert into contrary_transactions (network, txid, payout_id, seen_at) select 'Ethereum', 'old', id, now() - interval '31 days' from payouts where status = 'sent'")
	p.exec(t, `insert into deliveries (id, merchant_id, subject, event, url, body, created_at) values (?, ?, ?, 'e', 'u', '', now() - interval '2 s')`, delivery, merchant, merchant)
	p.exec(t, `insert into failed_attempts (delivery_id, attempt, status, duration_ms) values (?, 1, 500, 500)`, delivery)
	p.exec(t, `insert into reconcile_reports (differences) values ('[{"check": "c", "where": "w", "asset": "USDT", "want": "1", "got": "2", "network": "Ethereum"}, {"check": "c", "where": "v", "asset": "USDT", "surplus": true}]')`)
	p.exec(t, "insert into reconcile_looks (network, found, unreached, since) values ('Ethereum', '[]', '', now() - interval '401 s')")
	p.exec(t, "insert into stopped_assets (asset, network, reason) values ('USDT', '', 'c'), ('ETH', 'Ethereum', 'c')")
	p.exec(t, "insert into stopped_wallets (network, address, ours, chain, broken_seal) values ('Ethereum', 'a', 3, 5, null), ('Ethereum', 'of a former seed', 3, 5, gen_random_uuid())")
	p.exec(t, "delete from prices where base = 'ETH'") // of a followed network; OKB's is not
	p.exec(t, "delete from prices where base = 'OKB'")
	client := asynq.NewClient(p.redis)
	defer client.Close()
	_, err := client.EnqueueContext(t.Context(), asynq.NewTask("test", nil), asynq.Queue("signing"))
	must(t, err)

	_, body := p.ask(t, "GET", "/metrics", "")
	for _, want := range []string{
		`causeway_source_up{source="database"} 1`, `causeway_source_up{source="redis"} 1`,
		`causeway_jobs{kind="payout.broadcast"} 3`, `causeway_payouts_over_cap{network="Ethereum",token="USDT"} 1`, `causeway_jobs_due{kind="payout.broadcast"} 1`,
		`causeway_job_oldest_due_age_seconds{kind="payout.broadcast"} 9`,
		`causeway_follower_head_block{network="Ethereum"} 50`, `causeway_follower_block{network="Ethereum"} 41`,
		`causeway_follower_lag_blocks{network="Ethereum"} 9`, `causeway_follower_halted{network="Ethereum"} 1`,
		`causeway_follower_held_payins{network="Ethereum"} 0`,
		`causeway_payouts_open{network="Ethereum"} 2`, `causeway_payout_oldest_open_age_seconds{network="Ethereum"} 3`,
		`causeway_payouts_contrary{network="Ethereum",status="completed"} 1`, `causeway_payouts_contrary{network="Ethereum",status="sent"} 1`, // however old
		`causeway_broadcasts_unknown{network="Ethereum"} 1`, `causeway_deliveries_pending 1`, `causeway_delivery_oldest_pending_age_seconds 2`,
		`causeway_webhook_first_attempt_recent 1`, `causeway_webhook_first_attempt_recent_seconds{percentile="50"} 1.`,
		`causeway_reconcile_differences 2`, `causeway_reconcile_surpluses 1`, `causeway_reconcile_network_age_seconds{network="Ethereum"} 40`,
		`causeway_transfers_unclaimed 0`, `causeway_transfers_unpriced 0`,
		`causeway_ledger_drift{asset="USDT",check="c",network="Ethereum"} 1`, `causeway_ledger_drift{asset="USDT",check="c",network=""} 1`, `causeway_asset_stopped{asset="USDT",network=""} 1`, `causeway_asset_stopped{asset="ETH",network="Ethereum"} 1`, `causeway_wallet_stopped{network="Ethereum"} 1`,
		`causeway_seal_broken{network="Ethereum"} 1`, `causeway_node_requests_total{network="Bitcoin",node="1"} 7`, `causeway_node_failures_total{network="Bitcoin",node="1"} 2`,
		`causeway_node_requests_total{network="Bitcoin",node="2"} 3`, `causeway_node_used{network="Bitcoin",node="1"} 0`, `causeway_node_left{network="Bitcoin",node="1"} 1`, `causeway_node_left{network="Bitcoin",node="2"} 0`, `causeway_node_used{network="Bitcoin",node="2"} 1`,
		`causeway_prices_fixed{network="Ethereum"} 1`, `causeway_tokens_without_price 1`,
		`causeway_accounts_owing{asset="USDT"} 1`, `causeway_account_debt{asset="USDT"} 41.5`,
		`causeway_queue_tasks{queue="signing",state="pending"} 1`, `causeway_queue_tasks{queue="webhooks",state="pending"} 0`,
		`go_goroutines `,
	} {
		if !strings.Contains(body, "\n"+want) {
			t.Errorf("lacks %s", want)
		}
	}
	problems, err := promlint.New(strings.NewReader(body)).Lint()
	must(t, err)
	for _, problem := range problems {
		if problem.Metric != "causeway_wallet_lasts_days" { // people speak of days here, and an alert compares with one
			t.Error(problem)
		}
	}
	if t.Failed() {
		t.Log(body)
	}
}

// The process's own figures are served also while nothing else answers.
func TestMetricsWithoutTheirSources(t *testing.T) {
	t.Parallel()
	p := open(t, func(d *operator.Deps) { d.Redis = asynq.RedisClientOpt{Addr: "127.0.0.1:1"} })
	must(t, p.db.Close())
	response, body := p.ask(t, "GET", "/metrics", "")
	for _, want := range []string{`causeway_source_up{source="database"} 0`, `causeway_source_up{source="redis"} 0`, "go_goroutines "} {
		if response.StatusCode != 200 || !strings.Contains(body, "\n"+want) {
			t.Errorf("%d, lacks %s", response.StatusCode, want)
		}
	}
}
