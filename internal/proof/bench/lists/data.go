package main

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"causeway/internal/lists"
	"causeway/internal/store"
	"causeway/migrations"
)

// chunk is how many rows are inserted by one statement.
const chunk = 100_000

// fill makes a merchant with payouts spread over 2025, every fifth of them on one day in October, and returns it. Of
// five million rows 1,000,000 are the day's and 4,000,000 lie on the other 364 days. Ids rise with time, as UUIDv7 do.
//
// Four in ten are USDT on Tron; BNB on BSC is one in a thousand. 95 % are completed, 3 % failed, 1 % refunded, 1 %
// pending.
func fill(ctx context.Context, db *bun.DB, rows int) (uuid.UUID, error) {
	if err := migrations.Up(ctx, db); err != nil {
		return uuid.Nil, err
	}
	merchant := uuid.MustParse("00000000-0000-4000-8000-000000000001")
	var there int
	err := db.NewRaw("select coalesce(sum(n), 0) from list_counts where merchant_id = ? and span = 'month'", merchant).Scan(ctx, &there)
	if err != nil || there == rows {
		return merchant, err
	}
	if there > 0 {
		return merchant, fmt.Errorf("there are %d rows already, and %d are wanted", there, rows)
	}
	if _, err := db.NewRaw("insert into merchants (id, name, webhook_secret) values (?, 'Shop', 'x')", merchant).Exec(ctx); err != nil {
		return merchant, err
	}
	for from := 0; from < rows; from += chunk {
		if _, err := db.NewRaw(fillQuery, merchant, from, min(from+chunk, rows), rows).Exec(ctx); err != nil {
			return merchant, fmt.Errorf("fill: %w", err)
		}
		if err := lists.FoldCounts(ctx, store.New(db)); err != nil {
			return merchant, err
		}
		if from%(10*chunk) == 0 {
			say("%d of %d rows", from, rows)
			if _, err := db.ExecContext(ctx, "vacuum list_changes"); err != nil {
				return merchant, err
			}
		}
	}
	_, err = db.ExecContext(ctx, "vacuum analyze")
	return merchant, err
}

// fillQuery makes rows ?1 to ?2 of ?3. The part of the year is bent to have a fifth of the rows fall on one day.
const fillQuery = `
	insert into payouts (id, merchant_id, key_id, reference_id, wallet, token, asset, network, process_by, amount, debit, rate_fee, network_fee,
		pays_network_fee, fee_from_amount, percent_rate, fiat_currency, price, webhook_url, status, txid, created_at, updated_at)
	select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(i % 4096), 3, '0') || 'a' || substr(md5(i::text), 1, 15))::uuid,
		?0, 'key', 'order-' || i, 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE',
		kind.token, kind.token, kind.network, 'crypto_amount', 10.5, 11.5, 0.5, 0.5, true, false, 1, 'USD', 1, 'https://shop.example/hook',
		case when h % 1000 < 950 then 'completed' when h % 1000 < 980 then 'failed' when h % 1000 < 990 then 'refunded'
			when h % 1000 < 993 then 'queued' when h % 1000 < 996 then 'signed' else 'sent' end,
		md5(i::text) || md5(i::text), at, at
	from (select i, (hashint4(i) & 1048575) as h, i::float8 / ?3 as part from generate_series(?1, ?2 - 1) as i) numbers,
	lateral (select timestamptz '2025-01-01 03:00+00' + case
		when part < 0.6 then part / 0.6 * interval '288 days'
		when part < 0.8 then interval '288 days' + (part - 0.6) / 0.2 * interval '1 day'
		else interval '289 days' + (part - 0.8) / 0.2 * interval '76 days' end as at) moment,
	lateral (select * from (values (0, 400, 'USDT', 'Tron'), (400, 600, 'USDC', 'Ethereum'), (600, 700, 'USDT', 'BSC'), (700, 760, 'TRX', 'Tron'),
		(760, 820, 'ETH', 'Ethereum'), (820, 880, 'USDT', 'Ethereum'), (880, 920, 'USDC', 'Base'), (920, 950, 'USDC', 'Solana'), (950, 970, 'SOL', 'Solana'),
		(970, 985, 'BTC', 'Bitcoin'), (985, 999, 'USDT', 'Polygon'), (999, 1000, 'BNB', 'BSC')) as k(low, high, token, network)
		where h / 1000 % 1000 >= low and h / 1000 % 1000 < high) kind`
