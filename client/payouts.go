package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
)

// The values of process_by.
const (
	ByCrypto = "crypto_amount"
	ByFiat   = "fiat_amount"
)

// Payout is a payout to be created (api-v1 §Payout request object). Give the amount named by ProcessBy.
type Payout struct {
	ReferenceID        string `json:"reference_id"`
	Wallet             string `json:"wallet"`
	CryptoCurrency     string `json:"crypto_currency"`
	Network            string `json:"network"`
	ProcessBy          string `json:"process_by"`
	CryptoAmount       string `json:"crypto_amount,omitempty"`
	FiatAmount         string `json:"fiat_amount,omitempty"`
	FiatCurrency       string `json:"fiat_currency,omitempty"`
	FeeTakenFromAmount int    `json:"feetakenfromamount"` // 1: fees come out of the amount; 0: they are added to the debit
	WebhookURL         string `json:"webhook_url"`
	CustomerInfo       string `json:"customer_info,omitempty"`
	Memo               string `json:"memo,omitempty"`
}

// PayoutResults are the outcomes of a request, one for each payout in the order sent.
type PayoutResults struct {
	Message string         `json:"message"`
	DryRun  bool           `json:"dry_run"` // nothing was created
	Summary PayoutSummary  `json:"summary"`
	Results []PayoutResult `json:"results"`
}

// PayoutSummary counts the results.
type PayoutSummary struct {
	TotalRequested int `json:"total_requested"`
	Successful     int `json:"successful"`
	Failed         int `json:"failed"`
	NotProcessed   int `json:"not_processed"` // after a failure half way
}

// PayoutResult is a created payout, or a refused one when Error is not nil. Of a duplicate, the original is told.
type PayoutResult struct {
	Index             int     `json:"index"`
	ReferenceID       string  `json:"reference_id"`
	InternalReference string  `json:"internal_reference"`
	CryptoAmount      string  `json:"crypto_amount"` // for the recipient
	FiatAmount        *string `json:"fiat_amount"`
	CryptoCurrency    string  `json:"crypto_currency"`
	FiatCurrency      string  `json:"fiat_currency"`
	NetworkFee        string  `json:"network_fee"`
	Wallet            string  `json:"wallet"`
	Memo              *string `json:"memo"`
	Network           string  `json:"network"`
	ProcessBy         string  `json:"process_by"`
	Status            string  `json:"status"`
	Error             *Error  `json:"error"`
	Duplicate         bool    `json:"duplicate"`
	OriginalStatus    string  `json:"original_status"`
	OriginalCreatedAt string  `json:"original_created_at"`
}

// CreatePayout creates one payout. A refusal is an *Error; with duplicate_payment_reference the result tells of the original.
// idempotencyKey may be empty: then nothing is retried, and after a failure the reference must be looked up. A key of more than
// 255 characters is refused, since the API would not remember it. A refusal is remembered under the key, too: a payout sent
// again after one, corrected or later, needs a new key, and keeps its reference. The same key with another body is
// ErrOtherBody, with the result of the earlier request.
func (c *Client) CreatePayout(ctx context.Context, idempotencyKey string, p Payout) (*PayoutResult, error) {
	all, err := c.createPayouts(ctx, call{body: p, idempotencyKey: idempotencyKey})
	if errors.Is(err, ErrOtherBody) && len(all.Results) == 1 {
		return &all.Results[0], err
	}
	if err != nil {
		return nil, err
	}
	if len(all.Results) != 1 {
		return nil, errors.New("the API answered with another number of results than payouts")
	}
	result := &all.Results[0]
	if result.Error != nil {
		return result, result.Error
	}
	return result, nil
}

// CreatePayouts creates up to 50 payouts. Its error is about the request as a whole; each result may carry one of its own.
// After a failure half way there are both, the error and the results so far, and nothing is tried again. A lost answer is
// asked for again under the idempotencyKey: payouts created by then, and not remembered by the service, come back refused with
// Duplicate, InternalReference and OriginalStatus, and must not be paid again under another reference.
func (c *Client) CreatePayouts(ctx context.Context, idempotencyKey string, payouts []Payout) (*PayoutResults, error) {
	return c.createPayouts(ctx, call{body: payouts, idempotencyKey: idempotencyKey})
}

// RehearsePayouts returns the results CreatePayouts would, and creates nothing: a dry run (api-v1 §Payout dry run).
// Payouts to be created have no InternalReference.
func (c *Client) RehearsePayouts(ctx context.Context, payouts []Payout) (*PayoutResults, error) {
	all, err := c.createPayouts(ctx, call{body: payouts, query: query(map[string]string{"dry_run": "1"}), harmless: true})
	if all != nil && !all.DryRun {
		return all, errors.New("the API knows no dry runs: the payouts were created")
	}
	return all, err
}

// ErrOtherBody means the answer is an earlier request's with the same Idempotency-Key and another body: this request was not
// carried out.
var ErrOtherBody = errors.New("the Idempotency-Key was used for a request with another body, and this one was not carried out")

// differs reports whether an answer belongs to another request.
func (a *answer) differs() bool { return a.header.Get("Idempotency-Body-Differs") == "true" }

func (c *Client) createPayouts(ctx context.Context, what call) (*PayoutResults, error) {
	what.method, what.path = http.MethodPost, "/v1/payout"
	a, err := c.do(ctx, what)
	if err != nil {
		return nil, err
	}
	var out struct {
		PayoutResults
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(a.body, &out) != nil || len(out.Results) == 0 {
		return nil, a.refusal()
	}
	switch {
	case a.differs():
		return &out.PayoutResults, ErrOtherBody
	case out.Error != nil:
		return &out.PayoutResults, a.refusal()
	}
	return &out.PayoutResults, nil
}

// PayoutRecord is a payout as it stands (api-v1 §Payout record).
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
	Status             string  `json:"status"` // pending, completed, failed or refunded
	Txid               *string `json:"txid"`
	WebhookURL         string  `json:"webhook_url"`
	FeeTakenFromAmount string  `json:"feetakenfromamount"`
	CreatedAt          Moment  `json:"created_at"`
	UpdatedAt          Moment  `json:"updated_at"`
}

// PayoutList is one page; the summary counts all pages.
type PayoutList struct {
	Message  string         `json:"message"`
	Payments []PayoutRecord `json:"payments"`
	Summary  struct {
		TotalPending   int `json:"total_pending"`
		TotalCompleted int `json:"total_completed"`
		TotalFailed    int `json:"total_failed"`
	} `json:"summary"`
	Meta Meta `json:"meta"`
}

// ListPayouts returns a page of payouts, newest first.
func (c *Client) ListPayouts(ctx context.Context, filter ListFilter) (*PayoutList, error) {
	return get[PayoutList](ctx, c, "/v1/list-payout", filter.query())
}

type payoutFound struct {
	Message string       `json:"message"`
	Payment PayoutRecord `json:"payment"`
}

// CheckPayout looks a payout up by its internal reference.
func (c *Client) CheckPayout(ctx context.Context, internalReference string) (*PayoutRecord, error) {
	found, err := get[payoutFound](ctx, c, "/v1/check-payout/"+url.PathEscape(internalReference), nil)
	if err != nil {
		return nil, err
	}
	return &found.Payment, nil
}

// ValidatedAddress reports whether a payout can go to an address.
type ValidatedAddress struct {
	Message string  `json:"message"`
	Network string  `json:"network"` // canonical
	Wallet  string  `json:"wallet"`
	Valid   bool    `json:"valid"`
	Memo    *string `json:"memo"`   // the tag inside the address
	Reason  *string `json:"reason"` // invalid_format; nil when valid
	Hint    *string `json:"hint"`   // why, for people; nil when valid
}

// ValidateAddress makes the check of a payout's wallet (api-v1 §Extensions).
func (c *Client) ValidateAddress(ctx context.Context, network, wallet string) (*ValidatedAddress, error) {
	return get[ValidatedAddress](ctx, c, "/v1/validate-address", query(map[string]string{"network": network, "wallet": wallet}))
}
