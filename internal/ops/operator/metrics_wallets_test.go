package operator_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/ops/operator"
)

// The balances are those of the last look. The missing amount is that of the queued payouts and of the signed ones in no block of the
// look. Nothing is said to last without a payout.
//
// Covers operator §Holdings: causeway_wallet_missing
func TestMetricsOfWallets(t *testing.T) {
	t.Parallel()
	p := open(t, func(*operator.Deps) {})
	merchant := uuid.Must(uuid.NewV7())
	p.exec(t, "insert into merchants (id, name, webhook_secret) values (?, 'm', '')", merchant)
	p.exec(t, "insert into reconcile_looks (network, found, unreached) values ('Tron', '[]', '')")
	p.exec(t, `insert into wallet_holdings (network, asset, kind, amount, address, height, seen_at)
		values ('Tron', 'USDT', 'hot', 1.75, 'TFill', 41, now()), ('Tron', 'USDT', 'deposits', 12.5, '', 41, now()),
			('Tron', 'TRX', 'hot', 40, 'TFill', 41, now()), ('Tron', 'TRX', 'deposits', 0, '', 41, now())`)
	p.exec(t, `insert into wallet_paid (network, asset, hour, amount)
		values ('Tron', 'TRX', now() - interval '6 days', 40), ('Tron', 'TRX', now() - interval '8 days', 90), ('Tron', 'TRX', now(), 100)`)
	p.exec(t, `insert into payouts (id, merchant_id, key_id, reference_id, wallet, token, asset, network, process_by, amount, debit, rate_fee,
			network_fee, pays_network_fee, fee_from_amount, percent_rate, fiat_currency, webhook_url, status)
		select gen_random_uuid(), ?, 'k', name, 'w', token, token, network, 'crypto_amount', 1, 1, 0, 0, true, true, 0, 'USD', '', status
		from (values ('a', 'queued', 'USDT', 'Tron'), ('b', 'sent', 'USDT', 'Tron'), ('c', 'sent', 'USDT', 'Tron'), ('d', 'completed', 'USDT', 'Tron'),
			('e', 'queued', 'BTC', 'Bitcoin')) p(name, status, token, network)`, merchant)
	p.exec(t, `insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, state, height)
		select 'Tron', reference_id, id, 'pay', 'a', 1, '', case reference_id when 'b' then 'sent' else 'mined' end, case reference_id when 'c' then 41 end
		from payouts where status = 'sent'`)
	_, body := p.ask(t, "GET", "/metrics", "")
	for _, want := range []string{
		`balance{asset="USDT",kind="hot",network="Tron"} 1.75`, `balance{asset="USDT",kind="deposits",network="Tron"} 12.5`,
		`balance{asset="TRX",kind="hot",network="Tron"} 40`, `balance{asset="TRX",kind="deposits",network="Tron"} 0`,
		`awaited{asset="USDT",network="Tron"} 1`, `awaited{asset="TRX",network="Tron"} 0`, `awaited{asset="BTC",network="Bitcoin"} 1`,
		`missing{asset="USDT",network="Tron"} 0.25`, `missing{asset="TRX",network="Tron"} 0`, `lasts_days{asset="TRX",network="Tron"} 2`,
	} {
		if !strings.Contains(body, "\ncauseway_wallet_"+want+"\n") {
			t.Errorf("lacks %s", want)
		}
	}
	for _, unknown := range []string{`lasts_days{asset="USDT"`, `missing{asset="BTC"`, `balance{asset="BTC"`} {
		if strings.Contains(body, "causeway_wallet_"+unknown) {
			t.Errorf("tells of %s", unknown)
		}
	}
	p.exec(t, "update signed_transactions set height = 42 where state = 'mined'") // above the look: it has still to leave the balance
	if _, body := p.ask(t, "GET", "/metrics", ""); !strings.Contains(body, `causeway_wallet_missing{asset="USDT",network="Tron"} 1.25`) {
		t.Error("what was mined after the look is still in its figure")
	}
}
