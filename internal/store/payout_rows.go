package store

import (
	"causeway/internal/pay"
	"causeway/internal/pg"
)

// shownPayout are the columns of payouts that a payout record shows (api-v1 §Payout record), and payoutTargets are where
// they go. Lists and checks read many rows: bun takes several times as long to find out where each column goes.
const shownPayout = "id, reference_id, wallet, memo, token, network, process_by, amount, network_fee, fee_from_amount, percent_rate, " +
	"fiat_currency, fiat_amount, webhook_url, status, txid, created_at, updated_at"

func payoutTargets(p *pay.Payout) []any {
	return []any{
		&p.ID, &p.ReferenceID, &p.Wallet, &p.Memo, &p.Token, &p.Network, (*string)(&p.ProcessBy), pg.Amount(&p.Amount), pg.Amount(&p.NetworkFee),
		&p.FeeFromAmount, pg.Amount(&p.PercentRate), &p.FiatCurrency, pg.NullAmount(&p.FiatAmount), &p.WebhookURL, (*string)(&p.Status), &p.Txid,
		&p.CreatedAt, &p.UpdatedAt,
	}
}
