package api

import "causeway/internal/pay"

// PayoutRecord is a payout as check and list show it (api-v1 §Payout record).
type PayoutRecord struct {
	InternalReference  string  `json:"internal_reference"`
	ReferenceID        string  `json:"reference_id"`
	Wallet             string  `json:"wallet"`
	Memo               *string `json:"memo"`
	CryptoCurrency     string  `json:"crypto_currency"`
	FiatCurrency       string  `json:"fiat_currency"`
	CryptoAmount       string  `json:"crypto_amount"`
	FiatAmount         *string `json:"fiat_amount"`
	ProcessBy          string  `json:"process_by"`
	PercentRate        string  `json:"percent_rate"`
	NetworkFee         string  `json:"network_fee"`
	Network            string  `json:"network"`
	Status             string  `json:"status"`
	Txid               *string `json:"txid"`
	WebhookURL         string  `json:"webhook_url"`
	FeeTakenFromAmount string  `json:"feetakenfromamount"`
	CreatedAt          string  `json:"created_at"`
	UpdatedAt          string  `json:"updated_at"`
}

func payoutRecord(p *pay.Payout) PayoutRecord {
	from := "0"
	if p.FeeFromAmount {
		from = "1"
	}
	return PayoutRecord{
		InternalReference: p.ID.String(), ReferenceID: p.ReferenceID, Wallet: p.Wallet, Memo: p.Memo,
		CryptoCurrency: p.Token, FiatCurrency: p.FiatCurrency, CryptoAmount: p.Amount.String(), FiatAmount: fiatText(p.FiatAmount),
		ProcessBy: string(p.ProcessBy), PercentRate: p.PercentRate.String(), NetworkFee: p.NetworkFee.String(),
		Network: p.Network, Status: p.Status.Public(), Txid: p.Txid, WebhookURL: p.WebhookURL, FeeTakenFromAmount: from,
		CreatedAt: wireTime(p.CreatedAt), UpdatedAt: wireTime(p.UpdatedAt),
	}
}
