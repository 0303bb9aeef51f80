package api

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// WalletRequest is the body of POST /v1/fixed-wallets.
type WalletRequest struct {
	Type         string `json:"type" required:"true"`
	CustomerInfo string `json:"customer_info" required:"true" minLength:"1" maxLength:"200"`
}

// WalletAnswer is the answer to POST /v1/fixed-wallets.
type WalletAnswer struct {
	Message   string       `json:"message"`
	Wallet    WalletRecord `json:"wallet"`
	Allowance *Allowance   `json:"allowance"`
}

var (
	errWalletType = pay.E(pay.Refused, "type_not_supported", "Fixed wallets of this type are not available.")
	errNoObject   = input.FieldErrors{"body": "must be an object"}.Err()
	errNoWallet   = pay.E(pay.Conflict, "no_wallet_available", "No fixed wallet of this type is available now.")
	errAssign     = pay.E(pay.Internal, "assign_failed", "The fixed wallet could not be assigned.")
)

// create answers POST /v1/fixed-wallets: 201 with a new wallet, or 200 with the customer's existing one.
func (w *Wallets) create(c *Call) error {
	m := &c.Caller.Merchant
	if m.WalletsMode == "" {
		return errFeature
	}
	family, customer, err := readWalletRequest(c.Body)
	if err != nil {
		return err
	}
	types, err := w.types(c)
	if err != nil {
		return err
	}
	held, err := w.assign(c, m.ID, family, customer, types)
	if err != nil {
		return err
	}
	if !held.fresh {
		return c.JSON(http.StatusOK, WalletAnswer{"fixed_wallets_already_assigned", walletRecord(held.wallet, types), held.allowance})
	}
	return c.JSON(http.StatusCreated, WalletAnswer{"fixed_wallets_assign_success", walletRecord(held.wallet, types), held.allowance})
}

func readWalletRequest(body []byte) (pay.Family, string, error) {
	wrong := input.FieldErrors{}
	o, ok := input.ObjectIn(body)
	if !ok && len(body) > 0 {
		return "", "", errNoObject
	}
	family := requiredText(o, "type", wrong)
	customer := customerInfo(o, wrong)
	if customer == nil {
		wrong.Add("customer_info", "is required")
		return "", "", wrong.Err()
	}
	return pay.Family(family), *customer, wrong.Err()
}

// assigned is the wallet of a customer, and its merchant's allowance beside it. Nothing else is read for the answer: once a
// wallet is written nothing more can fail.
type assigned struct {
	wallet    *pay.Wallet
	fresh     bool // written by this request
	allowance *Allowance
}

// assign gives the customer a wallet unless there is one. The deciding values are read again in the transaction: in it
// the merchant creates one wallet at a time.
func (w *Wallets) assign(c *Call, merchant uuid.UUID, family pay.Family, customer string, types walletTypes) (*assigned, error) {
	ctx, m := c.Context(), &c.Caller.Merchant
	if !slices.ContainsFunc(pay.Networks, func(n pay.Network) bool { return n.Family == family }) {
		return nil, errWalletType // nobody ever had one: a MiB of text is not looked for
	}
	found, err := w.Store.AssignedWallet(ctx, merchant, family, customer, pay.OriginAPI)
	if err == nil {
		err = w.Store.Confirm(ctx)
	}
	if err == nil {
		allowance, err := readAllowance(ctx, w.Store, m, types)
		return &assigned{wallet: found, allowance: allowance}, err
	}
	if !errors.Is(err, pay.ErrNotFound) {
		return nil, err
	}
	if err := mayAssign(ctx, w.Store, m, family, types); err != nil {
		return nil, err
	}
	fresh, address, err := w.draft(ctx, merchant, family, customer, types)
	if err != nil {
		return nil, err
	}
	var held *assigned
	err = untilCertain(w.Store, func(ctx context.Context, _ bool) error {
		address.ID = 0
		return w.Store.InTx(ctx, func(tx *store.Store) error {
			held, err = assignIn(ctx, tx, fresh, address, types)
			return err
		})
	})
	var refusal *pay.Error
	if err != nil && !errors.As(err, &refusal) {
		err = errAssign.Because(err)
	}
	return held, err
}

// assignIn returns the customer's existing wallet, or else adds the fresh one.
func assignIn(ctx context.Context, tx *store.Store, fresh *pay.Wallet, address *pay.Address, types walletTypes) (*assigned, error) {
	rules, err := tx.WalletRules(ctx, fresh.MerchantID)
	if err != nil {
		return nil, err
	}
	found, err := tx.AssignedWallet(ctx, fresh.MerchantID, fresh.Family, fresh.CustomerInfo, pay.OriginAPI)
	if errors.Is(err, pay.ErrNotFound) {
		if err := mayAssign(ctx, tx, rules, fresh.Family, types); err != nil {
			return nil, err
		}
		found, err = fresh, tx.AddWallet(ctx, fresh, address)
	}
	if err != nil {
		return nil, err
	}
	allowance, err := readAllowance(ctx, tx, rules, types)
	return &assigned{found, found.ID == fresh.ID, allowance}, err
}

func mayAssign(ctx context.Context, s *store.Store, m *pay.Merchant, family pay.Family, types walletTypes) error {
	if !types.has(family) {
		return errWalletType
	}
	allowance, err := readAllowance(ctx, s, m, types)
	if err != nil {
		return err
	}
	return allowance.permits(family)
}

// draft makes a wallet with an address of its own, never given to anyone else.
func (w *Wallets) draft(ctx context.Context, merchant uuid.UUID, family pay.Family, customer string,
	types walletTypes) (*pay.Wallet, *pay.Address, error) {
	wallet := &pay.Wallet{ID: uuid.Must(uuid.NewV7()), MerchantID: merchant, Family: family, CustomerInfo: customer,
		Origin: pay.OriginAPI, Status: pay.WalletAssigned}
	a := &pay.Address{Family: family, WalletID: &wallet.ID}
	var err error
	if a.Position, err = ownIndex(ctx, w.Store); errors.Is(err, store.ErrNoIndexLeft) {
		return nil, nil, errNoWallet.Because(err)
	} else if err != nil {
		return nil, nil, err
	}
	err = derive(ctx, w.Addresses, types[family].Networks[0], a)
	wallet.Wallet = a.Address
	return wallet, a, err
}
