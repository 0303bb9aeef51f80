package store

import (
	"causeway/internal/pay"
	"causeway/internal/pg"
)

// PayinColumns are the columns of payins, in the order of PayinTargets.
const PayinColumns = "id, merchant_id, key_id, reference_id, wallet, memo, token, asset, network, process_by, amount, fiat_currency, " +
	"fiat_amount, price, percent_rate, pays_network_fee, network_fee, minimum_payment, credit_after, customer_info, webhook_url, return_url, wallet_id, status, received, reversed_at, " +
	"reversal, created_at, updated_at, expires_at, given_back"

// PayinTargets are the fields of a payin that PayinColumns are read into.
func PayinTargets(p *pay.Payin) []any {
	return []any{
		&p.ID, &p.MerchantID, &p.KeyID, &p.ReferenceID, &p.Wallet, &p.Memo, &p.Token, &p.Asset, &p.Network, (*string)(&p.ProcessBy),
		pg.Amount(&p.Amount), &p.FiatCurrency, pg.NullAmount(&p.FiatAmount), pg.NullAmount(&p.Price), pg.Amount(&p.PercentRate),
		&p.PaysNetworkFee, pg.Amount(&p.NetworkFee), pg.Amount(&p.MinimumPayment), (*int)(&p.CreditAfter), &p.CustomerInfo, &p.WebhookURL, &p.ReturnURL, &p.WalletID, (*string)(&p.Status),
		pg.Amount(&p.Received), &p.ReversedAt, (*[]byte)(&p.Reversal), &p.CreatedAt, &p.UpdatedAt, &p.ExpiresAt, &p.GivenBack,
	}
}
