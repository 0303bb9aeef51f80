package store

import (
	"causeway/internal/pay"
	"causeway/internal/pg"
)

// PayoutColumns are the columns of a payout record (api-v1 §Payout record), in the order of PayoutTargets. Lists and checks read many
// rows, and bun takes several times as long to find the field of each column.
const PayoutColumns = "id, reference_id, wallet, memo, token, network, process_by, amount, network_fee, fee_from_amount, percent_rate, " +
	"fiat_currency, fiat_amount, webhook_url, status, txid, created_at, updated_at"

// PayoutTargets are the fields of a payout that PayoutColumns are read into.
func PayoutTargets(p *pay.Payout) []any {
	return []any{
		&p.ID, &p.ReferenceID, &p.Wallet, &p.Memo, &p.Token, &p.Network, (*string)(&p.ProcessBy), pg.Amount(&p.Amount), pg.Amount(&p.NetworkFee),
		&p.FeeFromAmount, pg.Amount(&p.PercentRate), &p.FiatCurrency, pg.NullAmount(&p.FiatAmount), &p.WebhookURL, (*string)(&p.Status), &p.Txid,
		&p.CreatedAt, &p.UpdatedAt,
	}
}
