package client

import "context"

// QuoteRequest asks for a quote. Amount is in Currency, an accepted fiat, or in the token when Currency is empty.
type QuoteRequest struct {
	Operation string // payout or payin
	Network   string
	Token     string
	Amount    string
	Currency  string
}

// Quote is what an amount would come to (api-v1 §Quote). A value not worked out is nil.
type Quote struct {
	Message        string        `json:"message"`
	Operation      string        `json:"operation"`
	Network        string        `json:"network"`
	CryptoCurrency string        `json:"crypto_currency"`
	FiatCurrency   string        `json:"fiat_currency"`
	ProcessBy      string        `json:"process_by"`
	Accepted       bool          `json:"accepted"`
	Reason         *string       `json:"reason"`         // the code of the operation's refusal
	ReasonMessage  *string       `json:"reason_message"` // the message of the refusal
	CryptoAmount   *string       `json:"crypto_amount"`
	MinAmount      *string       `json:"min_amount"`
	MaxAmount      *string       `json:"max_amount"` // may be the word unlimited
	PercentRate    *string       `json:"percent_rate"`
	NetworkFee     *string       `json:"network_fee"`
	PaysNetworkFee *bool         `json:"pays_network_fee"`
	Price          *string       `json:"price"`
	PriceUpdatedAt *Moment       `json:"price_updated_at"`
	Options        []QuoteOption `json:"options"` // of a payout one for each feetakenfromamount, of a payin one
}

// QuoteOption is one outcome for the amount.
type QuoteOption struct {
	FeeTakenFromAmount *string `json:"feetakenfromamount"` // nil for a payin
	Accepted           bool    `json:"accepted"`
	Reason             *string `json:"reason"`
	Gross              *string `json:"gross"` // debited for a payout, paid in for a payin
	RateFee            *string `json:"rate_fee"`
	NetworkFee         *string `json:"network_fee"`
	Net                *string `json:"net"` // got by the recipient, credited for a payin
	FiatAmount         *string `json:"fiat_amount"`
}

// GetQuote returns what an amount would come to now. Nothing is held: prices move.
func (c *Client) GetQuote(ctx context.Context, r QuoteRequest) (*Quote, error) {
	return get[Quote](ctx, c, "/v1/quote", query(map[string]string{
		"operation": r.Operation, "network": r.Network, "token": r.Token, "amount": r.Amount, "currency": r.Currency,
	}))
}
