package client

import (
	"context"
	"net/http"
	"net/url"
)

// Balances are amounts by balance key, with 8 decimals.
type Balances struct {
	Message   string            `json:"message"`
	Total     map[string]string `json:"balances"`
	Available map[string]string `json:"available"`
	Locked    map[string]string `json:"locked"` // of deposits not final yet
}

// GetBalances returns the balances of every active token.
func (c *Client) GetBalances(ctx context.Context) (*Balances, error) {
	return get[Balances](ctx, c, "/v1/balances", nil)
}

// StatementFilter narrows the statements (addendum §10). Empty values filter nothing.
type StatementFilter struct {
	Page, PerPage        int
	Type                 string // DEPOSIT, WITHDRAWAL, RATE, FEE, WITHDRAWAL_REFUND or DEPOSIT_REVERSAL
	Direction            string // in or out
	Balance              string // balance key
	Network              string
	From, To             Day
	MinAmount, MaxAmount string
	ReferenceID          string
}

func (f StatementFilter) query() url.Values {
	return query(map[string]string{
		"page": number(f.Page), "per_page": number(f.PerPage), "type": f.Type, "direction": f.Direction, "balance": f.Balance,
		"network": f.Network, "date_from": string(f.From), "date_to": string(f.To),
		"min_amount": f.MinAmount, "max_amount": f.MaxAmount, "reference_id": f.ReferenceID,
	})
}

// Statements are one page of movements.
type Statements struct {
	Message    string     `json:"message"`
	Statements []Movement `json:"statements"`
	Meta       Meta       `json:"meta"`
}

// Movement is one line of the statement: Amount is positive, Direction tells the sign.
type Movement struct {
	ID                int64   `json:"id"`
	Type              string  `json:"type"`
	Direction         string  `json:"direction"`
	Balance           string  `json:"balance"`
	CryptoCurrency    string  `json:"crypto_currency"`
	Amount            string  `json:"amount"`
	BalanceAfter      string  `json:"balance_after"`
	Network           *string `json:"network"`
	ReferenceID       *string `json:"reference_id"`
	InternalReference *string `json:"internal_reference"`
	Txid              *string `json:"txid"`
	CreatedAt         Moment  `json:"created_at"`
}

// ListStatements returns a page of movements, newest first.
func (c *Client) ListStatements(ctx context.Context, filter StatementFilter) (*Statements, error) {
	return get[Statements](ctx, c, "/v1/statements", filter.query())
}

// StatementsCSV returns every movement of the filter as CSV, or one page if the filter has Page or PerPage. The first line names the
// columns (api-v1 §Extensions). A statement of more than 32 MB is ErrTooLong: ask for fewer days at a time.
func (c *Client) StatementsCSV(ctx context.Context, filter StatementFilter) ([]byte, error) {
	a, err := c.do(ctx, call{method: http.MethodGet, path: "/v1/statements", query: filter.query(), accept: "text/csv"})
	if err != nil {
		return nil, err
	}
	if a.status >= http.StatusMultipleChoices {
		return nil, a.refusal()
	}
	return a.body, nil
}

// MovementSum sums up the movements of one balance, type and direction.
type MovementSum struct {
	Balance        string `json:"balance"`
	CryptoCurrency string `json:"crypto_currency"`
	Type           string `json:"type"`
	Direction      string `json:"direction"`
	Count          int    `json:"count"`
	TotalAmount    string `json:"total_amount"`
}

type statementsSummary struct {
	Message string        `json:"message"`
	Summary []MovementSum `json:"summary"`
}

// SummarizeStatements sums up the movements of ListStatements with the same filter; pages do not count.
func (c *Client) SummarizeStatements(ctx context.Context, filter StatementFilter) ([]MovementSum, error) {
	filter.Page, filter.PerPage = 0, 0
	sums, err := get[statementsSummary](ctx, c, "/v1/statements/summary", filter.query())
	if err != nil {
		return nil, err
	}
	return sums.Summary, nil
}
