package client

import (
	"bytes"
	"context"
	"encoding/json"
)

// Summary is the catalogue and the account's terms (api-v1 §Account summary).
type Summary struct {
	AcceptedTokens []Token      `json:"accepted_tokens"`
	AcceptedFiats  []Fiat       `json:"accepted_fiats"`
	UserInfo       Terms        `json:"user_info"`
	NetworkRates   NetworkRates `json:"network_rates"`
	SummaryStats   struct {
		TotalTokens           int    `json:"total_tokens"`
		TotalFiats            int    `json:"total_fiats"`
		TotalNetworkOverrides int    `json:"total_network_overrides"`
		GeneratedAt           Moment `json:"generated_at"`
	} `json:"summary_stats"`
}

// Token is an active token on one network.
type Token struct {
	Symbol          string  `json:"symbol"`
	ContractAddress string  `json:"contract_address"`
	Network         string  `json:"network"`
	Variant         string  `json:"variant"`
	BalanceKey      string  `json:"balance_key"`
	MinReceipt      string  `json:"min_receipt"`
	MaxReceipt      string  `json:"max_receipt"` // may be the word unlimited
	MinWithdrawal   string  `json:"min_withdrawal"`
	MaxWithdrawal   string  `json:"max_withdrawal"` // may be the word unlimited
	NetworkFee      *string `json:"network_fee"`    // in the token; nil where no price tells how much
}

// Fiat is a fiat currency to state amounts in.
type Fiat struct {
	Code   string `json:"code"`
	Name   string `json:"name"`
	Symbol string `json:"symbol"`
}

// Rates are percentages.
type Rates struct {
	ReceiptRate    string `json:"receipt_rate"`
	PaymentRate    string `json:"payment_rate"`
	DepositRate    string `json:"deposit_rate"`
	WithdrawalRate string `json:"withdrawal_rate"`
}

// Terms are the account's own.
type Terms struct {
	Rates
	MinimumPayment           string `json:"minimum_payment"` // percentage needed to complete a payin
	PaysPaymentNetworkFee    bool   `json:"user_pays_payment_network_fee"`
	PaysReceiptNetworkFee    bool   `json:"user_pays_receipt_network_fee"`
	PaysDepositNetworkFee    bool   `json:"user_pays_deposit_network_fee"`
	PaysWithdrawalNetworkFee bool   `json:"user_pays_withdrawal_network_fee"`
}

// NetworkTerms hold on one network; a nil flag is the account's.
type NetworkTerms struct {
	Rates
	PaysPaymentNetworkFee    *bool `json:"user_pays_payment_network_fee"`
	PaysReceiptNetworkFee    *bool `json:"user_pays_receipt_network_fee"`
	PaysDepositNetworkFee    *bool `json:"user_pays_deposit_network_fee"`
	PaysWithdrawalNetworkFee *bool `json:"user_pays_withdrawal_network_fee"`
}

// NetworkRates are terms by network. On the wire they are an empty list when there are none.
type NetworkRates map[string]NetworkTerms

// UnmarshalJSON implements json.Unmarshaler.
func (r *NetworkRates) UnmarshalJSON(text []byte) error {
	*r = NetworkRates{}
	if bytes.HasPrefix(text, []byte("[")) {
		return nil
	}
	return json.Unmarshal(text, (*map[string]NetworkTerms)(r))
}

type summaryFound struct {
	Message string  `json:"message"`
	Data    Summary `json:"data"`
}

// GetSummary returns the catalogue and the account's terms.
func (c *Client) GetSummary(ctx context.Context) (*Summary, error) {
	found, err := get[summaryFound](ctx, c, "/v1/summary", nil)
	if err != nil {
		return nil, err
	}
	return &found.Data, nil
}

type tokensFound struct {
	Message string  `json:"message"`
	Tokens  []Token `json:"tokens"`
}

// GetTokens returns the active tokens.
func (c *Client) GetTokens(ctx context.Context) ([]Token, error) {
	found, err := get[tokensFound](ctx, c, "/v1/summary/tokens", nil)
	if err != nil {
		return nil, err
	}
	return found.Tokens, nil
}

type fiatsFound struct {
	Message string `json:"message"`
	Fiats   []Fiat `json:"fiats"`
}

// GetFiats returns the accepted fiats.
func (c *Client) GetFiats(ctx context.Context) ([]Fiat, error) {
	found, err := get[fiatsFound](ctx, c, "/v1/summary/fiats", nil)
	if err != nil {
		return nil, err
	}
	return found.Fiats, nil
}

// Price is the worth of one Currency1 in Currency2, written as 63.250,10.
type Price struct {
	Message   string `json:"message"`
	Currency1 string `json:"currency1"`
	Currency2 string `json:"currency2"`
	Price     string `json:"price"`
	UpdatedAt Moment `json:"updated_at"`
}

// GetPrice returns the price of a currency in another; both are token symbols or fiat codes.
func (c *Client) GetPrice(ctx context.Context, of, in string) (*Price, error) {
	return get[Price](ctx, c, "/v1/get-price", query(map[string]string{"currency1": of, "currency2": in}))
}

// Currencies are token symbols and fiat codes.
type Currencies struct {
	Message string   `json:"message"`
	Tokens  []string `json:"tokens"`
	Fiats   []string `json:"fiats"`
}

// GetCurrencies returns the currencies for GetPrice.
func (c *Client) GetCurrencies(ctx context.Context) (*Currencies, error) {
	return get[Currencies](ctx, c, "/v1/get-currencies", nil)
}
