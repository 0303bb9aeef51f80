package api

import (
	"errors"
	"net/http"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// PayoutAnswer is the answer to POST /v1/payout, with one result per item in the order sent.
type PayoutAnswer struct {
	Message string         `json:"message"`
	Summary PayoutSummary  `json:"summary"`
	Results []PayoutResult `json:"results"`
}

// PayoutSummary counts the results.
type PayoutSummary struct {
	TotalRequested int  `json:"total_requested"`
	Successful     int  `json:"successful"`
	Failed         int  `json:"failed"`
	NotProcessed   *int `json:"not_processed,omitempty"` // only after a failure in the middle
}

// PayoutFailure is the 500 after which items may have been created: the known results stand beside the error.
type PayoutFailure struct {
	Error   Problem        `json:"error"`
	Summary PayoutSummary  `json:"summary"`
	Results []PayoutResult `json:"results"`
}

// PayoutResult is a CreatedPayout or a RefusedPayout.
type PayoutResult interface{ created() bool }

// CreatedPayout is the result of a created item (api-v1 §Payout creation result).
type CreatedPayout struct {
	Index             int     `json:"index"`
	ReferenceID       string  `json:"reference_id"`
	InternalReference string  `json:"internal_reference"`
	CryptoAmount      string  `json:"crypto_amount"`
	FiatAmount        *string `json:"fiat_amount"`
	CryptoCurrency    string  `json:"crypto_currency"`
	FiatCurrency      string  `json:"fiat_currency"`
	NetworkFee        string  `json:"network_fee"`
	Wallet            string  `json:"wallet"`
	Memo              *string `json:"memo"`
	Network           string  `json:"network"`
	ProcessBy         string  `json:"process_by"`
	Status            string  `json:"status"`
}

// RefusedPayout is the result of a refused item; a duplicate tells of the original.
type RefusedPayout struct {
	Index             int     `json:"index"`
	ReferenceID       string  `json:"reference_id,omitempty"`
	Error             Problem `json:"error"`
	InternalReference string  `json:"internal_reference,omitempty"`
	Duplicate         bool    `json:"duplicate,omitempty"`
	OriginalStatus    string  `json:"original_status,omitempty"`
	OriginalCreatedAt string  `json:"original_created_at,omitempty"`
}

func (*CreatedPayout) created() bool { return true }
func (*RefusedPayout) created() bool { return false }

// status is 200 when every item was created, 400 when none was, else 207 (api-v1 §POST /v1/payout).
func (a *PayoutAnswer) status() int {
	switch a.Summary.TotalRequested {
	case a.Summary.Successful:
		return http.StatusOK
	case a.Summary.Failed:
		return http.StatusBadRequest
	default:
		return http.StatusMultiStatus
	}
}

// answer puts the results together. If only one item needs money and finds too little, the request is refused as a whole.
func (b *payoutBatch) answer(outcomes []store.PayoutOutcome) (*PayoutAnswer, error) {
	if d := b.lone(); d != nil && outcomes[0].Outcome == outcomeInsufficient && d.amount.GreaterThan(outcomes[0].Available) {
		return nil, shortOf(d, outcomes[0].Available, d.amount)
	}
	summary, results := b.results(outcomes, false)
	return &PayoutAnswer{"payment_processing_completed", summary, results}, nil
}

// failed is the answer when recording failed after the outcomes of the first items. Only the log is told the reason. It failed
// for the next item alone, or for all left, and nobody can say then whether they were created.
func (b *payoutBatch) failed(c *Call, outcomes []store.PayoutOutcome, why error) *PayoutFailure {
	c.Log().WithError(why).Error("payouts could not be recorded")
	summary, results := b.results(outcomes, errors.Is(why, errRestUntried))
	left := summary.TotalRequested - len(results)
	summary.NotProcessed = &left
	_, problem := problem(errInternal)
	return &PayoutFailure{problem, summary, results}
}

// results goes through the items. Items without an outcome have failed; if the rest was not tried, the first of them is the
// last result.
func (b *payoutBatch) results(outcomes []store.PayoutOutcome, restUntried bool) (PayoutSummary, []PayoutResult) {
	summary := PayoutSummary{TotalRequested: len(b.drafts)}
	results := make([]PayoutResult, 0, len(b.drafts))
	for _, d := range b.drafts {
		var result PayoutResult
		failed := false
		switch {
		case d.problem != nil:
			result = d.refused(d.problem)
		case len(outcomes) == 0:
			result, failed = d.refused(errInternal), true
		default:
			result, outcomes = d.decided(outcomes[0]), outcomes[1:]
		}
		results = append(results, result)
		if result.created() {
			summary.Successful++
		} else {
			summary.Failed++
		}
		if failed && restUntried {
			break
		}
	}
	return summary, results
}

// The outcomes of record_payouts.
const (
	outcomeCreated      = "created"
	outcomeInsufficient = "insufficient_balance"
	outcomeUncounted    = "daily_payout_limit_unavailable"
	outcomeDaily        = "daily_payout_limit_exceeded"
)

func (d *payoutDraft) decided(o store.PayoutOutcome) PayoutResult {
	switch o.Outcome {
	case outcomeCreated:
		return d.created()
	case outcomeInsufficient:
		return d.refused(errInsufficient)
	case outcomeUncounted:
		return d.refused(errDailyUncounted)
	case outcomeDaily:
		if d.unvalued() {
			return d.refused(errNoPrice)
		}
		return d.refused(errDailyLimit)
	}
	r := d.refused(errDuplicate)
	r.Duplicate, r.InternalReference = true, o.OriginalID.String()
	r.OriginalStatus, r.OriginalCreatedAt = *o.OriginalStatus, wireTime(*o.OriginalCreatedAt)
	return r
}

func (d *payoutDraft) refused(why *pay.Error) *RefusedPayout {
	_, problem := problem(why)
	r := &RefusedPayout{Index: d.index, Error: problem}
	if !withoutReference[why.Code] {
		r.ReferenceID = d.payout.ReferenceID
	}
	return r
}

func (d *payoutDraft) created() *CreatedPayout {
	p := &d.payout
	return &CreatedPayout{
		Index: d.index, ReferenceID: p.ReferenceID, InternalReference: p.ID.String(),
		CryptoAmount: pay.DecimalText(p.Amount), FiatAmount: fiatText(p.FiatAmount), CryptoCurrency: p.Token, FiatCurrency: p.FiatCurrency,
		NetworkFee: pay.DecimalText(p.NetworkFee), Wallet: p.Wallet, Memo: p.Memo, Network: p.Network,
		ProcessBy: string(p.ProcessBy), Status: "created",
	}
}
