package api

import (
	"net/http"
	"strconv"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/webhooks"
)

// Wallets are the operations on fixed wallets (api-v1 §Fixed wallet record, addendum §9).
type Wallets struct {
	Store      *store.Store
	Catalogues *Catalogues
	Addresses  Deriver
	URLs       *webhooks.URLPolicy
}

// Routes are the fixed wallets' rows of the route table.
func (w *Wallets) Routes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/v1/fixed-wallets", Scope: pay.ScopeWalletsRead, Summary: "List fixed wallets",
			Doc: docListWallets, Handler: w.list},
		{Method: http.MethodPost, Path: "/v1/fixed-wallets", Scope: pay.ScopePayinWrite, Summary: "Create a fixed wallet",
			Doc: docCreateWallet, Handler: w.create},
		{Method: http.MethodGet, Path: "/v1/fixed-wallets/supported", Scope: pay.ScopeWalletsRead, Summary: "List the types of fixed wallets",
			Doc: docWalletTypes, Handler: w.supported},
		{Method: http.MethodGet, Path: "/v1/fixed-wallets/config", Scope: pay.ScopeWalletsRead, Summary: "Read where notices go",
			Doc: docWalletConfig, Handler: w.config},
		{Method: http.MethodPut, Path: "/v1/fixed-wallets/config", Scope: pay.ScopePayinWrite, Summary: "Set where notices go",
			Doc: docSetWalletConfig, Handler: w.setConfig},
	}
}

// WalletRecord is a fixed wallet on the wire (api-v1 §Fixed wallet record).
type WalletRecord struct {
	CustomerInfo      string        `json:"customer_info"`
	Wallet            string        `json:"wallet"`
	Type              string        `json:"type"`
	Status            string        `json:"status"`
	Origin            string        `json:"origin"`
	LastTransactionAt *string       `json:"last_transaction_at"`
	CreatedAt         string        `json:"created_at"`
	UpdatedAt         string        `json:"updated_at"`
	Networks          []string      `json:"networks"`
	AcceptedTokens    []WalletToken `json:"accepted_tokens"`
	PendingRevocation bool          `json:"pending_revocation"`
	RevokeAt          *string       `json:"revoke_at"`
}

// WalletToken is a token taken by a fixed wallet; token is its balance key.
type WalletToken struct {
	Network string `json:"network"`
	Token   string `json:"token"`
	Symbol  string `json:"symbol"`
}

// WalletList is the answer to GET /v1/fixed-wallets; count is the number of items in the page.
type WalletList struct {
	Message   string         `json:"message"`
	Wallets   []WalletRecord `json:"wallets"`
	Count     int            `json:"count"`
	Allowance *Allowance     `json:"allowance"`
}

// WalletTypesAnswer is the answer to GET /v1/fixed-wallets/supported.
type WalletTypesAnswer struct {
	Message   string          `json:"message"`
	Types     []WalletSupport `json:"types"`
	Allowance *Allowance      `json:"allowance"`
}

// WalletSupport is a type of fixed wallet with its networks and tokens.
type WalletSupport struct {
	WalletType
	Networks       []string      `json:"networks"`
	AcceptedTokens []WalletToken `json:"accepted_tokens"`
}

// list answers GET /v1/fixed-wallets. It has no errors of its own: a meaningless value finds nothing or is clamped.
func (w *Wallets) list(c *Call) error {
	const most, byDefault = 500, 100
	types, err := w.types(c)
	if err != nil {
		return err
	}
	f := store.WalletFilter{
		Merchant: c.Caller.Merchant.ID, Family: c.Query("type"), Status: c.Query("status"), Customer: c.Query("customer_info"),
		Limit: min(max(number(c.Query("limit"), byDefault), 1), most), Offset: max(number(c.Query("offset"), 0), 0),
	}
	wallets, err := w.Store.ListWallets(c.Context(), f)
	if err != nil {
		return err
	}
	allowance, err := readAllowance(c.Context(), w.Store, &c.Caller.Merchant, types)
	if err != nil {
		return err
	}
	out := WalletList{"fixed_wallets_list_success", make([]WalletRecord, len(wallets)), len(wallets), allowance}
	for i := range wallets {
		out.Wallets[i] = walletRecord(&wallets[i], types)
	}
	return c.JSON(http.StatusOK, out)
}

// number reads a whole number. Any other text means the default, a number too large the largest.
func number(text string, byDefault int) int {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil && n == 0 || text[0] == '+' {
		return byDefault
	}
	return int(n)
}

// supported answers GET /v1/fixed-wallets/supported.
func (w *Wallets) supported(c *Call) error {
	types, err := w.types(c)
	if err != nil {
		return err
	}
	allowance, err := readAllowance(c.Context(), w.Store, &c.Caller.Merchant, types)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, WalletTypesAnswer{"fixed_wallets_supported_success", types.available(), allowance})
}

func walletRecord(w *pay.Wallet, types walletTypes) WalletRecord {
	support := types[w.Family]
	planned := w.RevokeAt
	if w.Status != pay.WalletAssigned {
		planned = nil
	}
	return WalletRecord{
		CustomerInfo: w.CustomerInfo, Wallet: w.Wallet, Type: string(w.Family), Status: string(w.Status), Origin: w.Origin,
		LastTransactionAt: wireTimeOrNull(w.LastTransactionAt), CreatedAt: wireTime(w.CreatedAt), UpdatedAt: wireTime(w.UpdatedAt),
		Networks: support.Networks, AcceptedTokens: support.AcceptedTokens,
		PendingRevocation: planned != nil, RevokeAt: wireTimeOrNull(planned),
	}
}
