package admin

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// PayinHead is a payin without its history.
type PayinHead struct {
	ID             uuid.UUID                  `json:"id"`
	MerchantID     uuid.UUID                  `json:"merchant_id"`
	KeyID          string                     `json:"key_id"`
	ReferenceID    string                     `json:"reference_id"`
	Wallet         string                     `json:"wallet"`
	Memo           *string                    `json:"memo"`
	Token          string                     `json:"token"`
	Asset          string                     `json:"asset"`
	Network        string                     `json:"network"`
	ProcessBy      pay.ProcessBy              `json:"process_by"`
	Amount         decimal.Decimal            `json:"amount"`   // asked for
	Received       decimal.Decimal            `json:"received"` // credited
	Status         pay.PayinStatus            `json:"status"`
	MinimumPayment decimal.Decimal            `json:"minimum_payment"` // percent of the amount; with it the payin is complete
	NetworkFee     decimal.Decimal            `json:"network_fee"`
	PaysNetworkFee bool                       `json:"pays_network_fee"`
	PercentRate    decimal.Decimal            `json:"percent_rate"`
	FiatCurrency   string                     `json:"fiat_currency"`
	FiatAmount     decimal.NullDecimal        `json:"fiat_amount"`
	Price          decimal.NullDecimal        `json:"price"` // the quote used: fiat for one token
	CustomerInfo   *string                    `json:"customer_info"`
	WebhookURL     string                     `json:"webhook_url"`
	WalletID       *uuid.UUID                 `json:"wallet_id"`   // of the fixed wallet; null where it has an address of its own
	ReversedAt     *time.Time                 `json:"reversed_at"` // when a network has taken something back
	TakenBack      map[string]decimal.Decimal `json:"taken_back"`  // by asset, and not given again
	CreatedAt      time.Time                  `json:"created_at"`
	UpdatedAt      time.Time                  `json:"updated_at"`
	ExpiresAt      time.Time                  `json:"expires_at"`
}

func payinHead(p *pay.Payin) (PayinHead, error) {
	back, err := p.TakenBack()
	return PayinHead{
		ID: p.ID, MerchantID: p.MerchantID, KeyID: p.KeyID, ReferenceID: p.ReferenceID, Wallet: p.Wallet, Memo: p.Memo,
		Token: p.Token, Asset: p.Asset, Network: p.Network, ProcessBy: p.ProcessBy, Amount: p.Amount, Received: p.Received, Status: p.Status,
		MinimumPayment: p.MinimumPayment, NetworkFee: p.NetworkFee, PaysNetworkFee: p.PaysNetworkFee, PercentRate: p.PercentRate,
		FiatCurrency: p.FiatCurrency, FiatAmount: p.FiatAmount, Price: p.Price, CustomerInfo: p.CustomerInfo, WebhookURL: p.WebhookURL,
		WalletID: p.WalletID, ReversedAt: p.ReversedAt, TakenBack: back, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, ExpiresAt: p.ExpiresAt,
	}, err
}

// Payin is a payin with everything recorded about it.
type Payin struct {
	PayinHead
	PaymentStatus *string            `json:"payment_status"` // partial, exact or overpaid; null while nothing is credited
	Transfers     []PayinTransfer    `json:"transfers"`
	Omitted       int                `json:"transfers_omitted"` // not among them (addendum §8)
	Postings      []store.PostingRow `json:"postings"`          // of the transfers above
	Deliveries    []Delivery         `json:"deliveries"`
}

// PayinTransfer is a transfer to a payin.
type PayinTransfer struct {
	ID         uuid.UUID          `json:"id"`
	Network    string             `json:"network"`
	Txid       string             `json:"txid"`
	Token      string             `json:"token"`
	Position   int                `json:"position"`
	From       string             `json:"from"`
	Amount     decimal.Decimal    `json:"amount"`
	Status     pay.TransferStatus `json:"status"`
	Height     *int64             `json:"height"` // null in the mempool
	Credited   decimal.Decimal    `json:"credited"`
	Counted    decimal.Decimal    `json:"counted"` // towards the payin, in its token
	RateFee    decimal.Decimal    `json:"rate_fee"`
	NetworkFee decimal.Decimal    `json:"network_fee"`
	Reason     *string            `json:"reason"`
	SeenAt     time.Time          `json:"seen_at"`
}

func payinTransfers(rows []pay.Transfer) []PayinTransfer {
	out := make([]PayinTransfer, len(rows))
	for i := range rows {
		t := &rows[i]
		out[i] = PayinTransfer{ID: t.ID, Network: t.Network, Txid: t.Txid, Token: t.Token, Position: t.Position, From: t.Sender, Amount: t.Amount,
			Status: t.Status, Height: t.Height, Credited: t.Credited, Counted: t.Counted, RateFee: t.RateFee, NetworkFee: t.NetworkFee,
			Reason: t.Reason, SeenAt: t.SeenAt}
	}
	return out
}

// Payin shows the payin named by a word: its id, or a reference_id of only one merchant.
func (a *Admin) Payin(ctx context.Context, word string) (*Payin, error) {
	found, err := a.Store.PayinsCalled(ctx, word, 2)
	if err != nil {
		return nil, err
	}
	p, err := only("payin", word, found)
	if err != nil {
		return nil, err
	}
	of, err := a.Store.TransfersOf(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	transfers := of[p.ID]
	view := &Payin{PaymentStatus: p.PaymentStatus(transfers), Transfers: payinTransfers(transfers.Shown),
		Omitted: transfers.Rest.Omitted() + transfers.Rest.Seen}
	if view.PayinHead, err = payinHead(p); err != nil {
		return nil, err
	}
	if view.Postings, err = a.PostingsOfTransfers(ctx, transfers.Shown); err != nil {
		return nil, err
	}
	view.Deliveries, err = a.DeliveriesOf(ctx, p.ID)
	return view, err
}

// only returns the one row found for a word. It refuses none and several.
func only[T any](kind, word string, found []T) (*T, error) {
	switch len(found) {
	case 0:
		return nil, refuse("there is no %s %q", kind, word)
	case 1:
		return &found[0], nil
	default:
		return nil, refuse("more than one %s has the reference %q: give the internal reference", kind, word)
	}
}
