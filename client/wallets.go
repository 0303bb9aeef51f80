package client

import (
	"context"
	"net/http"
)

// FixedWallet is a permanent deposit address of a customer (api-v1 §Fixed wallet record).
type FixedWallet struct {
	CustomerInfo      string        `json:"customer_info"`
	Wallet            string        `json:"wallet"`
	Type              string        `json:"type"`
	Status            string        `json:"status"` // STATUS_ASSIGNED or STATUS_REVOKED
	Origin            string        `json:"origin"`
	LastTransactionAt *Moment       `json:"last_transaction_at"`
	CreatedAt         Moment        `json:"created_at"`
	UpdatedAt         Moment        `json:"updated_at"`
	Networks          []string      `json:"networks"`
	AcceptedTokens    []WalletToken `json:"accepted_tokens"`
	PendingRevocation bool          `json:"pending_revocation"`
	RevokeAt          *Moment       `json:"revoke_at"`
}

// WalletToken is a token taken by a fixed wallet; Token is its balance key.
type WalletToken struct {
	Network string `json:"network"`
	Token   string `json:"token"`
	Symbol  string `json:"symbol"`
}

// Allowance is how many fixed wallets may be created: in Mode global by Limit, Used, Remaining for all SupportedTypes
// together, in mode per_type by Items.
type Allowance struct {
	Mode           string       `json:"mode"`
	Limit          int          `json:"limit"`
	Used           int          `json:"used"`
	Remaining      int          `json:"remaining"`
	SupportedTypes []WalletType `json:"supported_types"`
	Items          []TypeBudget `json:"items"`
}

// WalletType names a type of fixed wallet.
type WalletType struct {
	Type  string `json:"type"`
	Label string `json:"label"`
}

// TypeBudget is the allowance of one type.
type TypeBudget struct {
	WalletType
	Limit     int `json:"limit"`
	Used      int `json:"used"`
	Remaining int `json:"remaining"`
}

// WalletFilter narrows ListFixedWallets. Empty values filter nothing.
type WalletFilter struct {
	Type, Status, CustomerInfo string
	Limit                      int // 1 to 500; 100 when zero
	Offset                     int
}

// FixedWallets are one page; Allowance is nil when fixed wallets are not enabled.
type FixedWallets struct {
	Message   string        `json:"message"`
	Wallets   []FixedWallet `json:"wallets"`
	Count     int           `json:"count"`
	Allowance *Allowance    `json:"allowance"`
}

// ListFixedWallets returns a page of fixed wallets, newest first.
func (c *Client) ListFixedWallets(ctx context.Context, f WalletFilter) (*FixedWallets, error) {
	return get[FixedWallets](ctx, c, "/v1/fixed-wallets", query(map[string]string{
		"type": f.Type, "status": f.Status, "customer_info": f.CustomerInfo, "limit": number(f.Limit), "offset": number(f.Offset),
	}))
}

// AssignedWallet is a customer's wallet and the allowance left.
type AssignedWallet struct {
	Message   string      `json:"message"`
	Wallet    FixedWallet `json:"wallet"`
	Allowance *Allowance  `json:"allowance"`
	New       bool        `json:"-"` // false when the customer held it already
}

// CreateFixedWallet gives a customer a wallet of a type, or returns the customer's existing one: it may be called again
// after a failure.
func (c *Client) CreateFixedWallet(ctx context.Context, kind, customer string) (*AssignedWallet, error) {
	a, err := c.do(ctx, call{method: http.MethodPost, path: "/v1/fixed-wallets",
		body: map[string]string{"type": kind, "customer_info": customer}})
	if err != nil {
		return nil, err
	}
	if a.status >= http.StatusMultipleChoices {
		return nil, a.refusal()
	}
	out, err := decode[AssignedWallet](a)
	if err == nil {
		out.New = a.status == http.StatusCreated
	}
	return out, err
}

// WalletSupport is a type of fixed wallet, its networks and tokens.
type WalletSupport struct {
	WalletType
	Networks       []string      `json:"networks"`
	AcceptedTokens []WalletToken `json:"accepted_tokens"`
}

// WalletTypes are the types open to creation.
type WalletTypes struct {
	Message   string          `json:"message"`
	Types     []WalletSupport `json:"types"`
	Allowance *Allowance      `json:"allowance"`
}

// ListFixedWalletTypes returns the types open to creation.
func (c *Client) ListFixedWalletTypes(ctx context.Context) (*WalletTypes, error) {
	return get[WalletTypes](ctx, c, "/v1/fixed-wallets/supported", nil)
}

// WalletConfig says where notices of fixed wallets go; nil is nowhere.
type WalletConfig struct {
	WebhookURL *string `json:"webhook_url"`
}

type configFound struct {
	Message string       `json:"message"`
	Config  WalletConfig `json:"config"`
}

// GetFixedWalletConfig returns where notices of fixed wallets go.
func (c *Client) GetFixedWalletConfig(ctx context.Context) (*WalletConfig, error) {
	found, err := get[configFound](ctx, c, "/v1/fixed-wallets/config", nil)
	if err != nil {
		return nil, err
	}
	return &found.Config, nil
}

// SetFixedWalletConfig sets where notices of fixed wallets go.
func (c *Client) SetFixedWalletConfig(ctx context.Context, config WalletConfig) (*WalletConfig, error) {
	found, err := send[configFound](ctx, c, call{method: http.MethodPut, path: "/v1/fixed-wallets/config", body: config})
	if err != nil {
		return nil, err
	}
	return &found.Config, nil
}
