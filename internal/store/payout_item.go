package store

import (
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// The columns of payout_item, and their types as lists. Numbers travel as text: a decimal keeps each of its digits.
const (
	payoutColumns = `id, merchant_id, key_id, reference_id, wallet, memo, token, asset, network, process_by, amount, debit, rate_fee,
		network_fee, pays_network_fee, fee_from_amount, percent_rate, fiat_currency, fiat_amount, price, customer_info, webhook_url,
		seal, digest, daily_limit, usd`
	payoutLists = `$2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
		$12::text[]::numeric[], $13::text[]::numeric[], $14::text[]::numeric[], $15::text[]::numeric[], $16::boolean[], $17::boolean[],
		$18::text[]::numeric[], $19::text[], $20::text[]::numeric[], $21::text[]::numeric[], $22::text[], $23::text[],
		$24::bytea[], $25::bytea[], $26::text[]::numeric[], $27::text[]::numeric[]`

	recordPayouts = `select * from record_payouts(array(
		select (` + payoutColumns + `)::payout_item from unnest(` + payoutLists + `) with ordinality as p(` + payoutColumns + `, place)
		order by place), $1)`
)

// payoutArgs are the arguments of recordPayouts: a list for each column.
func payoutArgs(items []PayoutItem, rehearsal bool) []any {
	return []any{
		rehearsal,
		column(items, func(i *PayoutItem) uuid.UUID { return i.Payout.ID }),
		column(items, func(i *PayoutItem) uuid.UUID { return i.Payout.MerchantID }),
		column(items, func(i *PayoutItem) string { return i.Payout.KeyID }),
		column(items, func(i *PayoutItem) string { return i.Payout.ReferenceID }),
		column(items, func(i *PayoutItem) string { return i.Payout.Wallet }),
		column(items, func(i *PayoutItem) *string { return i.Payout.Memo }),
		column(items, func(i *PayoutItem) string { return i.Payout.Token }),
		column(items, func(i *PayoutItem) string { return i.Payout.Asset }),
		column(items, func(i *PayoutItem) string { return i.Payout.Network }),
		column(items, func(i *PayoutItem) string { return string(i.Payout.ProcessBy) }),
		column(items, func(i *PayoutItem) string { return pay.DecimalText(i.Payout.Amount) }),
		column(items, func(i *PayoutItem) string { return pay.DecimalText(i.Payout.Debit) }),
		column(items, func(i *PayoutItem) string { return pay.DecimalText(i.Payout.RateFee) }),
		column(items, func(i *PayoutItem) string { return pay.DecimalText(i.Payout.NetworkFee) }),
		column(items, func(i *PayoutItem) bool { return i.Payout.PaysNetworkFee }),
		column(items, func(i *PayoutItem) bool { return i.Payout.FeeFromAmount }),
		column(items, func(i *PayoutItem) string { return pay.DecimalText(i.Payout.PercentRate) }),
		column(items, func(i *PayoutItem) string { return i.Payout.FiatCurrency }),
		column(items, func(i *PayoutItem) *string { return textOf(orNil(i.Payout.FiatAmount)) }),
		column(items, func(i *PayoutItem) *string { return textOf(orNil(i.Payout.Price)) }),
		column(items, func(i *PayoutItem) *string { return i.Payout.CustomerInfo }),
		column(items, func(i *PayoutItem) string { return i.Payout.WebhookURL }),
		column(items, func(i *PayoutItem) []byte { return i.Payout.Seal }),
		column(items, func(i *PayoutItem) []byte { return i.HoldDigest }),
		column(items, func(i *PayoutItem) *string { return textOf(i.DailyLimit) }),
		column(items, func(i *PayoutItem) *string { return textOf(i.USD) }),
	}
}

func column[T any](items []PayoutItem, of func(*PayoutItem) T) []T {
	out := make([]T, len(items))
	for i := range items {
		out[i] = of(&items[i])
	}
	return out
}

func textOf(value *decimal.Decimal) *string {
	if value == nil {
		return nil
	}
	text := pay.DecimalText(*value)
	return &text
}

func orNil(value decimal.NullDecimal) *decimal.Decimal {
	if !value.Valid {
		return nil
	}
	return &value.Decimal
}
