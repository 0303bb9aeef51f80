package api

import (
	"net/http"

	"causeway/internal/pay"
)

// AcceptedToken is one active token on one network (api-v1 §Account summary). Availability is checked at creation time.
type AcceptedToken struct {
	Symbol          string  `json:"symbol"`
	ContractAddress string  `json:"contract_address"` // empty for a native coin
	Network         string  `json:"network"`
	Variant         string  `json:"variant"`
	BalanceKey      string  `json:"balance_key"`
	MinReceipt      string  `json:"min_receipt"`
	MaxReceipt      string  `json:"max_receipt"` // may be the word unlimited
	MinWithdrawal   string  `json:"min_withdrawal"`
	MaxWithdrawal   string  `json:"max_withdrawal"` // may be the word unlimited
	NetworkFee      *string `json:"network_fee"`    // in the token; nil where no price tells how much (addendum §13)
}

// AcceptedFiat is a fiat currency to state amounts in.
type AcceptedFiat struct {
	Code   string `json:"code"`
	Name   string `json:"name"`
	Symbol string `json:"symbol"`
}

// TokensAnswer is the answer to GET /v1/summary/tokens.
type TokensAnswer struct {
	Message string          `json:"message"`
	Tokens  []AcceptedToken `json:"tokens"`
}

// FiatsAnswer is the answer to GET /v1/summary/fiats.
type FiatsAnswer struct {
	Message string         `json:"message"`
	Fiats   []AcceptedFiat `json:"fiats"`
}

func (q *Queries) summaryTokens(c *Call) error {
	cat, err := q.catalogue(c)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, TokensAnswer{"tokens_retrieved_success", acceptedTokens(cat)})
}

func (q *Queries) summaryFiats(c *Call) error {
	cat, err := q.catalogue(c)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, FiatsAnswer{"fiats_retrieved_success", acceptedFiats(cat)})
}

func acceptedTokens(cat *Catalogue) []AcceptedToken {
	out := make([]AcceptedToken, 0, len(cat.Tokens))
	for i := range cat.Tokens {
		if t := &cat.Tokens[i]; t.Active {
			out = append(out, AcceptedToken{
				Symbol: t.Symbol, ContractAddress: t.Contract, Network: t.Network, Variant: t.Variant, BalanceKey: t.BalanceKey,
				MinReceipt: t.MinReceipt.String(), MaxReceipt: orUnlimited(t.MaxReceipt),
				MinWithdrawal: t.MinWithdrawal.String(), MaxWithdrawal: orUnlimited(t.MaxWithdrawal), NetworkFee: feeText(cat, t),
			})
		}
	}
	return out
}

// feeText returns the network fee in the token itself, and nil without a price to convert it: the configured number has
// another unit.
func feeText(cat *Catalogue, t *pay.Token) *string {
	fee, ok := cat.NetworkFee(t)
	if !ok {
		return nil
	}
	return worded(fee)
}

func acceptedFiats(cat *Catalogue) []AcceptedFiat {
	out := make([]AcceptedFiat, 0, len(cat.Fiats))
	for _, f := range cat.Fiats {
		if f.Accepted {
			out = append(out, AcceptedFiat{f.Code, f.Name, f.Symbol})
		}
	}
	return out
}
