package webhooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"causeway/internal/pay"

	"github.com/shopspring/decimal"
)

const timeForm = "2006-01-02 15:04:05" // api-v1 §General conventions; in UTC

// PayoutNotice is the body of a payout's webhook (addendum §11). This type and PayinNotice also describe webhooks in the
// OpenAPI document.
type PayoutNotice struct {
	Data      PayoutNoticeData `json:"data"`
	Event     pay.Event        `json:"event"`
	Timestamp string           `json:"timestamp"` // of the event, in UTC
}

// NoticeData is the part of every webhook (addendum §11).
type NoticeData struct {
	Status            string  `json:"status"` // success, failed, reversed or pending
	ReferenceID       string  `json:"reference_id"`
	InternalReference string  `json:"internal_reference"`
	Network           string  `json:"network"`
	CryptoCurrency    string  `json:"crypto_currency"`
	CryptoAmount      string  `json:"crypto_amount"`
	FiatCurrency      string  `json:"fiat_currency"`
	FiatAmount        *string `json:"fiat_amount"`
	Wallet            string  `json:"wallet"`
}

// PayoutNoticeData is the data of a payout's webhook.
type PayoutNoticeData struct {
	NoticeData
	Memo         *string  `json:"memo"`
	NetworkFee   string   `json:"network_fee"`
	PercentRate  string   `json:"percent_rate"`
	Transactions []string `json:"transactions"`
	Reason       string   `json:"reason,omitempty"`
	IsDuplicated bool     `json:"is_duplicated,omitempty"` // Duplicate says so
}

// PayoutBody writes the notice of a payout: payment_processed or payment_failed, anything else is an error
// (api-v1 §Events). Transactions is empty when nothing was sent; at is the time of the event.
func PayoutBody(event pay.Event, p *pay.Payout, at time.Time) ([]byte, error) {
	status, ok := map[pay.Event]string{pay.PaymentProcessed: "success", pay.PaymentFailed: "failed"}[event]
	if !ok {
		return nil, fmt.Errorf("a payout has no event %q", event)
	}
	data := PayoutNoticeData{
		NoticeData: NoticeData{
			Status:            status,
			ReferenceID:       p.ReferenceID,
			InternalReference: p.ID.String(),
			Network:           p.Network,
			CryptoCurrency:    p.Token,
			CryptoAmount:      p.Amount.String(),
			FiatCurrency:      p.FiatCurrency,
			FiatAmount:        fiat(p.FiatAmount),
			Wallet:            p.Wallet,
		},
		Memo:         p.Memo,
		NetworkFee:   p.NetworkFee.String(),
		PercentRate:  p.PercentRate.String(),
		Transactions: []string{},
	}
	if p.Txid != nil {
		data.Transactions = append(data.Transactions, *p.Txid)
	}
	if event == pay.PaymentFailed {
		data.Reason = failure(p)
	}
	return encode(PayoutNotice{Data: data, Event: event, Timestamp: at.UTC().Format(timeForm)})
}

// failure returns why a payout failed; a failed notice always carries a reason (addendum §11).
func failure(p *pay.Payout) string {
	if p.Reason == nil || *p.Reason == "" {
		return "failed"
	}
	return *p.Reason
}

func fiat(amount decimal.NullDecimal) *string {
	if !amount.Valid {
		return nil
	}
	text := amount.Decimal.StringFixed(8)
	return &text
}

func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("encode webhook body: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
