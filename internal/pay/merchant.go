package pay

import (
	"database/sql"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// Merchant is a holder of keys and balances ("account" on the wire, api-v1 §Account summary).
type Merchant struct {
	ID               uuid.UUID `bun:",pk"`
	Name             string
	Email            string
	Verified         bool
	Suspended        bool
	APIAccess        bool `bun:"api_access"`
	PreferredFiat    string
	MinimumPayment   decimal.NullDecimal // percent of a payin's amount needed to complete it; unset = 100
	InactivityDays   int                 // a fixed wallet without transfers for so long is announced for revocation; 0 = never
	RevokeNoticeDays int                 // and revoked so long after the announcement
	Terms            `bun:"embed:"`
	WebhookSecret    []byte // sealed
	WebhookSecretOld []byte // sealed; signs too while a rotation lasts
	WalletsMode      string `bun:",nullzero"` // "", WalletsGlobal or WalletsPerType (addendum §9)
	WalletsLimit     *int
	WalletsLimits    json.RawMessage `bun:",nullzero"` // family -> limit
	WalletsWebhook   string          `bun:"wallets_webhook_url"`
	MuteUpdates      bool            // payment_updated is not sent
	LateTerms        `bun:"embed:"`
	CreatedAt        time.Time
}

// LateTerms say until when the quote of a payin holds for money received after its time (addendum §8).
type LateTerms struct {
	Grace sql.NullInt64       `bun:"late_grace"` // seconds after the payin's time; unset = for ever
	Bound decimal.NullDecimal `bun:"late_bound"` // percent of change in the price, up or down; unset = any
}

// DefaultLate returns the terms of a new merchant: a day, and 5 %.
func DefaultLate() LateTerms {
	return LateTerms{Grace: sql.NullInt64{Int64: 86400, Valid: true}, Bound: decimal.NewNullDecimal(decimal.NewFromInt(5))}
}

// Limits of a merchant's fixed wallets: one for all types together, or one for each type. With the latter only the listed types
// can be made (api-v1 §Fixed wallet record, Allowance object).
const (
	WalletsGlobal  = "global"
	WalletsPerType = "per_type"
)

// Minimum returns the percentage of a payin's amount needed for completion (api-v1 §Account summary).
func (m *Merchant) Minimum() decimal.Decimal {
	if m.MinimumPayment.Valid {
		return m.MinimumPayment.Decimal
	}
	return decimal.NewFromInt(100)
}

// Terms are the merchant's rates in percent, and whether it pays network fees (api-v1 §Account summary, Rate fields).
type Terms struct {
	PaymentRate              decimal.Decimal
	ReceiptRate              decimal.Decimal
	DepositRate              decimal.Decimal
	WithdrawalRate           decimal.Decimal
	PaysPaymentNetworkFee    bool `bun:"user_pays_payment_network_fee"`
	PaysReceiptNetworkFee    bool `bun:"user_pays_receipt_network_fee"`
	PaysDepositNetworkFee    bool `bun:"user_pays_deposit_network_fee"`
	PaysWithdrawalNetworkFee bool `bun:"user_pays_withdrawal_network_fee"`
}

// NetworkTerms override Terms on one network; unset fields are inherited.
type NetworkTerms struct {
	MerchantID               uuid.UUID `bun:",pk"`
	Network                  string    `bun:",pk"`
	PaymentRate              decimal.NullDecimal
	ReceiptRate              decimal.NullDecimal
	DepositRate              decimal.NullDecimal
	WithdrawalRate           decimal.NullDecimal
	PaysPaymentNetworkFee    *bool `bun:"user_pays_payment_network_fee"`
	PaysReceiptNetworkFee    *bool `bun:"user_pays_receipt_network_fee"`
	PaysDepositNetworkFee    *bool `bun:"user_pays_deposit_network_fee"`
	PaysWithdrawalNetworkFee *bool `bun:"user_pays_withdrawal_network_fee"`
}

// Empty reports whether nothing is overridden.
func (t *NetworkTerms) Empty() bool {
	rates := t.PaymentRate.Valid || t.ReceiptRate.Valid || t.DepositRate.Valid || t.WithdrawalRate.Valid
	return !rates && t.PaysPaymentNetworkFee == nil && t.PaysReceiptNetworkFee == nil && t.PaysDepositNetworkFee == nil &&
		t.PaysWithdrawalNetworkFee == nil
}

// On returns the terms for a network: its override first, then the merchant's own.
func (t Terms) On(network string, overrides []NetworkTerms) Terms {
	for _, o := range overrides {
		if o.Network != network {
			continue
		}
		pickRate(&t.PaymentRate, o.PaymentRate)
		pickRate(&t.ReceiptRate, o.ReceiptRate)
		pickRate(&t.DepositRate, o.DepositRate)
		pickRate(&t.WithdrawalRate, o.WithdrawalRate)
		pickFlag(&t.PaysPaymentNetworkFee, o.PaysPaymentNetworkFee)
		pickFlag(&t.PaysReceiptNetworkFee, o.PaysReceiptNetworkFee)
		pickFlag(&t.PaysDepositNetworkFee, o.PaysDepositNetworkFee)
		pickFlag(&t.PaysWithdrawalNetworkFee, o.PaysWithdrawalNetworkFee)
	}
	return t
}

func pickRate(to *decimal.Decimal, from decimal.NullDecimal) {
	if from.Valid {
		*to = from.Decimal
	}
}

func pickFlag(to, from *bool) {
	if from != nil {
		*to = *from
	}
}

// Key is a merchant's API key. The key itself is kept only as an HMAC: it is looked up by its id, and compared.
type Key struct {
	ID            string `bun:",pk"`
	MerchantID    uuid.UUID
	Hash          []byte
	Scopes        []string `bun:",array"` // nil = made before scopes existed: read-only
	IPs           []string `bun:"ips,array"`
	Signs         bool     // requests must be signed
	SigningSecret []byte   // sealed; nil with Signs = signature_secret_unavailable
	DailyLimitUSD decimal.NullDecimal
	RateLimit     *int // requests per RateWindow seconds; nil = the service's default
	RateWindow    *int
	ExpiresAt     *time.Time
	RevokedAt     *time.Time
	CreatedAt     time.Time
}

// The scopes of api-v1 §Authentication; the last two are extensions (api-v1 §Webhook deliveries).
const (
	ScopePayoutWrite    = "payout:write"
	ScopePayoutRead     = "payout:read"
	ScopePayinWrite     = "payin:write"
	ScopePayinRead      = "payin:read"
	ScopeBalancesRead   = "balances:read"
	ScopeStatementsRead = "statements:read"
	ScopePricesRead     = "prices:read"
	ScopeWalletsRead    = "wallets:read"
	ScopeWebhooksRead   = "webhooks:read"
	ScopeWebhooksWrite  = "webhooks:write"
)

// Scopes lists every known scope; LegacyScopes are the scopes of a key without a list.
var (
	Scopes = []string{ScopePayoutWrite, ScopePayoutRead, ScopePayinWrite, ScopePayinRead, ScopeBalancesRead, ScopeStatementsRead,
		ScopePricesRead, ScopeWalletsRead,
		ScopeWebhooksRead, ScopeWebhooksWrite}
	LegacyScopes = []string{ScopePayoutRead, ScopePayinRead, ScopeBalancesRead, ScopeStatementsRead, ScopePricesRead}
)

// Granted returns the scopes of the key.
func (k *Key) Granted() []string {
	if k.Scopes == nil {
		return LegacyScopes
	}
	return k.Scopes
}
