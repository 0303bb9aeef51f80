package admin

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// Merchant is a merchant as the operator sees it. Its only secret is the one shown when it is made.
type Merchant struct {
	ID               uuid.UUID           `json:"id"`
	Name             string              `json:"name"`
	Email            string              `json:"email"`
	Verified         bool                `json:"verified"`
	Suspended        bool                `json:"suspended"`
	APIAccess        bool                `json:"api_access"`
	PreferredFiat    string              `json:"preferred_fiat"`
	MinimumPayment   decimal.NullDecimal `json:"minimum_payment"` // percent; null = 100
	InactivityDays   int                 `json:"inactivity_days"`
	RevokeNoticeDays int                 `json:"revoke_notice_days"`
	PaymentUpdated   bool                `json:"payment_updated"` // whether payment_updated webhooks are sent
	LateGrace        *string             `json:"late_grace"`      // how long after its time a payin's quote holds; null = for ever
	LateBound        decimal.NullDecimal `json:"late_bound"`      // percent of price movement allowed by then; null = any
	Rates            Rates               `json:"rates"`
	NetworkRates     map[string]Override `json:"network_rates"`
	FixedWallets     *WalletBudget       `json:"fixed_wallets"` // null = not enabled
	WalletsWebhook   string              `json:"fixed_wallets_webhook_url"`
	CreatedAt        time.Time           `json:"created_at"`
	SecretRotating   bool                `json:"webhook_secret_rotating"` // an older secret signs webhooks too
	WebhookSecret    string              `json:"webhook_secret,omitempty"`
	SecretsDropped   []string            `json:"webhook_secrets_dropped,omitempty"` // could not be opened by a rotation
	Keys             []Key               `json:"keys,omitzero"`
	Balances         map[string]Balance  `json:"balances,omitzero"`
}

// Rates are a merchant's terms under the names of the wire (api-v1 §Account summary).
type Rates struct {
	PaymentRate              decimal.Decimal `json:"payment_rate"`
	ReceiptRate              decimal.Decimal `json:"receipt_rate"`
	DepositRate              decimal.Decimal `json:"deposit_rate"`
	WithdrawalRate           decimal.Decimal `json:"withdrawal_rate"`
	PaysPaymentNetworkFee    bool            `json:"user_pays_payment_network_fee"`
	PaysReceiptNetworkFee    bool            `json:"user_pays_receipt_network_fee"`
	PaysDepositNetworkFee    bool            `json:"user_pays_deposit_network_fee"`
	PaysWithdrawalNetworkFee bool            `json:"user_pays_withdrawal_network_fee"`
}

// Override is a merchant's own terms on one network; null is inherited.
type Override struct {
	PaymentRate              decimal.NullDecimal `json:"payment_rate"`
	ReceiptRate              decimal.NullDecimal `json:"receipt_rate"`
	DepositRate              decimal.NullDecimal `json:"deposit_rate"`
	WithdrawalRate           decimal.NullDecimal `json:"withdrawal_rate"`
	PaysPaymentNetworkFee    *bool               `json:"user_pays_payment_network_fee"`
	PaysReceiptNetworkFee    *bool               `json:"user_pays_receipt_network_fee"`
	PaysDepositNetworkFee    *bool               `json:"user_pays_deposit_network_fee"`
	PaysWithdrawalNetworkFee *bool               `json:"user_pays_withdrawal_network_fee"`
}

// Balance is a merchant's balance of one asset.
type Balance struct {
	Total     decimal.Decimal `json:"total"`
	Available decimal.Decimal `json:"available"`
	Locked    decimal.Decimal `json:"locked"`
}

func viewMerchant(m *pay.Merchant, overrides []pay.NetworkTerms) (*Merchant, error) {
	view := &Merchant{
		ID:               m.ID,
		Name:             m.Name,
		Email:            m.Email,
		Verified:         m.Verified,
		Suspended:        m.Suspended,
		APIAccess:        m.APIAccess,
		PreferredFiat:    m.PreferredFiat,
		MinimumPayment:   m.MinimumPayment,
		InactivityDays:   m.InactivityDays,
		RevokeNoticeDays: m.RevokeNoticeDays,
		PaymentUpdated:   !m.MuteUpdates,
		LateGrace:        graceText(m.Grace),
		LateBound:        m.Bound,
		Rates:            Rates(m.Terms),
		NetworkRates:     map[string]Override{},
		WalletsWebhook:   m.WalletsWebhook,
		SecretRotating:   m.WebhookSecretOld != nil,
		CreatedAt:        m.CreatedAt,
	}
	for _, o := range overrides {
		view.NetworkRates[o.Network] = Override{
			PaymentRate:              o.PaymentRate,
			ReceiptRate:              o.ReceiptRate,
			DepositRate:              o.DepositRate,
			WithdrawalRate:           o.WithdrawalRate,
			PaysPaymentNetworkFee:    o.PaysPaymentNetworkFee,
			PaysReceiptNetworkFee:    o.PaysReceiptNetworkFee,
			PaysDepositNetworkFee:    o.PaysDepositNetworkFee,
			PaysWithdrawalNetworkFee: o.PaysWithdrawalNetworkFee,
		}
	}
	if m.WalletsMode != "" {
		view.FixedWallets = &WalletBudget{Mode: m.WalletsMode, Limit: m.WalletsLimit}
		if err := readLimits(m, view.FixedWallets); err != nil {
			return nil, err
		}
	}
	return view, nil
}

// readLimits reads the limits by type of wallet, where the merchant has any.
func readLimits(m *pay.Merchant, out *WalletBudget) error {
	if len(m.WalletsLimits) == 0 {
		return nil
	}
	if err := json.Unmarshal(m.WalletsLimits, &out.Limits); err != nil {
		return fmt.Errorf("read the limits of fixed wallets of merchant %s: %w", m.ID, err)
	}
	return nil
}
