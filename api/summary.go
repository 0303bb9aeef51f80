package api

import (
	"encoding/json"
	"net/http"

	"causeway/internal/pay"
)

// SummaryAnswer is the answer to GET /v1/summary (api-v1 §Account summary).
type SummaryAnswer struct {
	Message string  `json:"message"`
	Data    Summary `json:"data"`
}

// Summary lists the tokens and fiats to be moved here, and the merchant's terms.
type Summary struct {
	AcceptedTokens []AcceptedToken `json:"accepted_tokens"`
	AcceptedFiats  []AcceptedFiat  `json:"accepted_fiats"`
	UserInfo       UserInfo        `json:"user_info"`
	NetworkRates   NetworkRates    `json:"network_rates"`
	SummaryStats   SummaryStats    `json:"summary_stats"`
}

// UserInfo is the merchant's terms; minimum_payment is a percentage.
type UserInfo struct {
	MinimumPayment string `json:"minimum_payment"`
	Rates
	PaysPayment    bool `json:"user_pays_payment_network_fee"`
	PaysReceipt    bool `json:"user_pays_receipt_network_fee"`
	PaysDeposit    bool `json:"user_pays_deposit_network_fee"`
	PaysWithdrawal bool `json:"user_pays_withdrawal_network_fee"`
}

// Rates are percentages.
type Rates struct {
	ReceiptRate    string `json:"receipt_rate"`
	PaymentRate    string `json:"payment_rate"`
	DepositRate    string `json:"deposit_rate"`
	WithdrawalRate string `json:"withdrawal_rate"`
}

// NetworkTerms are the terms on a network with an override: the rates in force, and the flags, null where the network
// inherits the account's.
type NetworkTerms struct {
	Rates
	PaysPayment    *bool `json:"user_pays_payment_network_fee"`
	PaysReceipt    *bool `json:"user_pays_receipt_network_fee"`
	PaysDeposit    *bool `json:"user_pays_deposit_network_fee"`
	PaysWithdrawal *bool `json:"user_pays_withdrawal_network_fee"`
}

// NetworkRates are terms by network name. Without any override they are an empty list on the wire, not an object.
type NetworkRates map[string]NetworkTerms

// MarshalJSON implements json.Marshaler.
func (r NetworkRates) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte("[]"), nil
	}
	return json.Marshal(map[string]NetworkTerms(r))
}

// JSONSchemaOneOf names both forms for the OpenAPI document.
func (NetworkRates) JSONSchemaOneOf() []any {
	return []any{map[string]NetworkTerms{}, []NetworkTerms{}}
}

// SummaryStats counts the entries of the summary.
type SummaryStats struct {
	TotalTokens           int    `json:"total_tokens"`
	TotalFiats            int    `json:"total_fiats"`
	TotalNetworkOverrides int    `json:"total_network_overrides"`
	GeneratedAt           string `json:"generated_at"`
}

// summary answers GET /v1/summary.
func (q *Queries) summary(c *Call) error {
	cat, err := q.catalogue(c)
	if err != nil {
		return err
	}
	m := &c.Caller.Merchant
	out := Summary{
		AcceptedTokens: acceptedTokens(cat), AcceptedFiats: acceptedFiats(cat),
		UserInfo: UserInfo{m.Minimum().String(), ratesOf(m.Terms),
			m.PaysPaymentNetworkFee, m.PaysReceiptNetworkFee, m.PaysDepositNetworkFee, m.PaysWithdrawalNetworkFee},
		NetworkRates: NetworkRates{},
	}
	for i := range c.Caller.Overrides {
		o := &c.Caller.Overrides[i]
		if !o.Empty() {
			out.NetworkRates[o.Network] = NetworkTerms{ratesOf(c.Caller.Terms(o.Network)),
				o.PaysPaymentNetworkFee, o.PaysReceiptNetworkFee, o.PaysDepositNetworkFee, o.PaysWithdrawalNetworkFee}
		}
	}
	out.SummaryStats = SummaryStats{len(out.AcceptedTokens), len(out.AcceptedFiats), len(out.NetworkRates), wireTime(c.Now)}
	return c.JSON(http.StatusOK, SummaryAnswer{"summary_retrieved_success", out})
}

func ratesOf(t pay.Terms) Rates {
	return Rates{t.ReceiptRate.String(), t.PaymentRate.String(), t.DepositRate.String(), t.WithdrawalRate.String()}
}
