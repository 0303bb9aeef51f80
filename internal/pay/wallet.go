package pay

import (
	"time"

	"github.com/google/uuid"
)

// Address is one of ours on a chain. Match is the spelling used to find transfers to it.
type Address struct {
	ID       int64  `bun:",pk,autoincrement"`
	Family   Family `bun:"family"`
	Match    string
	Address  string
	Memo     string
	Position int64 // derivation index
	PayinID  *uuid.UUID
	WalletID *uuid.UUID
	Asks     *PayinTerms `bun:"-"` // of the payin; nil for a fixed wallet, and where it was not read
}

// PayinTerms are the terms of a payin for the crediting of transfers to its address.
type PayinTerms struct {
	MerchantID  uuid.UUID
	Network     string
	CreditAfter CreditDepth // on Network
}

// WalletStatus is where a fixed wallet stands.
type WalletStatus string

// The statuses of a fixed wallet.
const (
	WalletAssigned WalletStatus = "STATUS_ASSIGNED"
	WalletRevoked  WalletStatus = "STATUS_REVOKED"
)

// OriginAPI is the origin of the fixed wallets created through the API. Others are a panel's: the API neither lists nor counts
// them, and deposits to them have the deposit rate (api-v1 §Account summary, §GET /v1/fixed-wallets).
const OriginAPI = "external_api"

// OriginPanel is the origin of the fixed wallets made in the merchants' panel.
const OriginPanel = "panel"

// Wallet is a merchant's permanent deposit address for one customer (api-v1 §Fixed wallet record).
type Wallet struct {
	ID                uuid.UUID `bun:",pk"`
	MerchantID        uuid.UUID
	Family            Family `bun:"family"`
	CustomerInfo      string
	Wallet            string
	Memo              string
	Origin            string
	Status            WalletStatus
	LastTransactionAt *time.Time
	RevokeAt          *time.Time
	CreatedAt         time.Time
	UpdatedAt         time.Time
}
