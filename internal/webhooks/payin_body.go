package webhooks

import (
	"fmt"
	"slices"
	"time"

	"causeway/internal/pay"

	"github.com/shopspring/decimal"
)

// PayinNotice is the body of a payin's webhook (addendum §11).
type PayinNotice struct {
	Data      PayinNoticeData `json:"data"`
	Event     pay.Event       `json:"event"`
	Timestamp string          `json:"timestamp"` // of the event, in UTC
}

// PayinNoticeData is the data of a payin's webhook.
type PayinNoticeData struct {
	NoticeData
	CustomerInfo   *string       `json:"customer_info"`
	ReceivedAmount string        `json:"received_amount"`
	PaymentStatus  *string       `json:"payment_status"`
	Payments       []Payment     `json:"payments"`
	Omitted        *Omitted      `json:"payments_omitted,omitempty"`
	Txid           *string       `json:"txid"` // text holding a JSON list, as in the record
	FundsAvailable bool          `json:"funds_available"`
	FinalityStatus string        `json:"finality_status"`
	IsWalletFixed  bool          `json:"is_wallet_fixed"`
	IsDuplicated   bool          `json:"is_duplicated"`                  // Duplicate says so
	DetectedAmount string        `json:"detected_amount,omitempty"`      // of payment_detected: seen or credited, in the payin's token
	Unconfirmed    []Unconfirmed `json:"unconfirmed_payments,omitempty"` // of payment_detected
	Reason         string        `json:"reason,omitempty"`               // of payment_updated: pay.UpdatePartial and the like
	Transfers      []Payment     `json:"transfers,omitempty"`            // of payment_updated: the transfers it tells of
	Reversal       *Reversal     `json:"reversal,omitempty"`
	LateMoney
}

// LateMoney tells of money arriving after its payin's time, in the payin's webhooks and in its record (addendum §8); it is
// empty without.
type LateMoney struct {
	Late           bool    `json:"late,omitempty"`
	WorthAtArrival *string `json:"worth_at_arrival,omitempty"` // in the payin's fiat; nil without a price
}

// LateOf returns the LateMoney of a payin.
func LateOf(p *pay.Payin, transfers *pay.PayinTransfers) LateMoney {
	late, worth := transfers.Late(p)
	return LateMoney{Late: late, WorthAtArrival: fiat(worth)}
}

// Omitted sums up the credited transfers that a payin's webhooks and record leave out (addendum §8).
type Omitted struct {
	Count  int    `json:"count"`
	Amount string `json:"amount"` // in the payin's token
}

// OmittedOf sums up a payin's unnamed transfers; nil when all are named.
func OmittedOf(transfers *pay.PayinTransfers) *Omitted {
	if transfers.Rest.Omitted() == 0 {
		return nil
	}
	return &Omitted{Count: transfers.Rest.Omitted(), Amount: transfers.Rest.Counted.String()}
}

// Payment is one credited transfer, in a payin's webhooks and in its record (api-v1 §Payin record).
type Payment struct {
	Token       string     `json:"token"`
	Amount      string     `json:"amount"`
	Network     string     `json:"network"`
	Txid        string     `json:"txid"`
	Timestamp   string     `json:"timestamp"`
	ConvertedTo *Converted `json:"converted_to,omitempty"`
}

// Converted is the amount counted for a payment in another token, in the payin's.
type Converted struct {
	Token  string `json:"token"`
	Amount string `json:"amount"`
}

// Reversal tells of amounts taken back by the network, in a payin's webhooks and in its record; Amounts are by balance
// key (api-v1 §Payin record).
type Reversal struct {
	ReversedAt string                     `json:"reversed_at"`
	Partial    bool                       `json:"partial"`
	Amounts    map[string]decimal.Decimal `json:"amounts"`
}

// Unconfirmed is a transfer seen and not yet credited.
type Unconfirmed struct {
	Token     string `json:"token"`
	Amount    string `json:"amount"`
	Network   string `json:"network"`
	Txid      string `json:"txid"`
	Timestamp string `json:"timestamp"`
}

// Update is the part of payment_updated alone: its reason, and the transfers it tells of.
type Update struct {
	Reason    string // pay.UpdatePartial and the like
	Transfers []pay.Transfer
}

var payinEvents = []pay.Event{pay.PaymentDetected, pay.PaymentConfirmed, pay.PaymentFailed, pay.PaymentReversed, pay.PaymentUpdated}

// payinStatuses are the webhooks' names for the statuses of payins.
var payinStatuses = map[pay.PayinStatus]string{
	pay.PayinPending:   "pending",
	pay.PayinCompleted: "success",
	pay.PayinFailed:    "failed",
	pay.PayinReversed:  "reversed",
}

// PayinBody writes the notice of a payin, of any event but payment_processed (api-v1 §Events, addendum §8). Status and amounts
// are the payin's own; u is nil but for payment_updated. transfers are of the payin: payments lists the credited ones shown.
// txid lists the hashes of those credited now or before, as the record does, and when a payment is detected those seen. The
// funds are available once everything credited is final.
func PayinBody(event pay.Event, p *pay.Payin, transfers *pay.PayinTransfers, u *Update, at time.Time) ([]byte, error) {
	status, ok := payinStatuses[p.Status]
	if !ok || !slices.Contains(payinEvents, event) || (event == pay.PaymentUpdated) != (u != nil) {
		return nil, fmt.Errorf("a payin that is %q has no event %q", p.Status, event)
	}
	data := PayinNoticeData{
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
		CustomerInfo:   p.CustomerInfo,
		ReceivedAmount: p.Received.String(),
		Payments:       payments(p, transfers.Shown),
		Omitted:        OmittedOf(transfers),
		FundsAvailable: transfers.Final(),
		FinalityStatus: map[bool]string{true: "final", false: "pending"}[transfers.Final()],
		IsWalletFixed:  p.WalletID != nil,
	}
	data.PaymentStatus, data.LateMoney = p.PaymentStatus(transfers), LateOf(p, transfers)
	if u != nil {
		data.Reason, data.Transfers = u.Reason, payments(p, u.Transfers)
	}
	if err := data.complete(event, p, transfers); err != nil {
		return nil, err
	}
	return encode(PayinNotice{Data: data, Event: event, Timestamp: at.UTC().Format(timeForm)})
}

// complete adds the parts of some notices only.
func (d *PayinNoticeData) complete(event pay.Event, p *pay.Payin, transfers *pay.PayinTransfers) (err error) {
	if d.Txid, err = hashes(event, transfers.Shown); err != nil {
		return err
	}
	if event == pay.PaymentDetected {
		d.DetectedAmount, d.Unconfirmed = transfers.Detected(p.Token).String(), unconfirmed(transfers.Shown)
	}
	if event != pay.PaymentReversed {
		return nil
	}
	d.Reversal = &Reversal{Partial: transfers.Paid()}
	if p.ReversedAt != nil {
		d.Reversal.ReversedAt = p.ReversedAt.UTC().Format(timeForm)
	}
	d.Reversal.Amounts, err = p.TakenBack()
	return err
}

// unconfirmed lists the transfers seen and not credited.
func unconfirmed(transfers []pay.Transfer) (list []Unconfirmed) {
	for i := range transfers {
		if t := &transfers[i]; t.Status == pay.TransferSeen {
			list = append(list, Unconfirmed{Token: t.Token, Amount: t.Amount.String(), Network: t.Network, Txid: t.Txid,
				Timestamp: t.SeenAt.UTC().Format(timeForm)})
		}
	}
	return list
}

func payments(p *pay.Payin, transfers []pay.Transfer) []Payment {
	list := []Payment{}
	for i := range transfers {
		t := &transfers[i]
		if !t.OnBalance() {
			continue
		}
		one := Payment{
			Token: t.Token, Amount: t.Credited.String(), Network: t.Network, Txid: t.Txid,
			Timestamp: t.SeenAt.UTC().Format(timeForm),
		}
		if t.Token != p.Token {
			one.ConvertedTo = &Converted{Token: p.Token, Amount: t.Counted.String()}
		}
		list = append(list, one)
	}
	return list
}

// hashes returns the text of txid, or nil when there is no transaction to name.
func hashes(event pay.Event, transfers []pay.Transfer) (*string, error) {
	var list []string
	named := map[string]bool{}
	for i := range transfers {
		t := &transfers[i]
		seen := event == pay.PaymentDetected && t.Status == pay.TransferSeen
		if (t.Credits > 0 || seen) && !named[t.Txid] {
			list, named[t.Txid] = append(list, t.Txid), true
		}
	}
	if list == nil {
		return nil, nil
	}
	text, err := encode(list)
	if err != nil {
		return nil, err
	}
	joined := string(text)
	return &joined, nil
}
