package api

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// Deposits makes payins and fixed wallets that people of a merchant ask for in the panel: by the checks of POST /v1/payin and POST
// /v1/fixed-wallets, at the deposit rate. The API lists and checks none of them, and no webhook tells of them.
type Deposits struct {
	Payins  *Payins
	Wallets *Wallets
}

// mostPanelWallets is how many fixed wallets of the panel a merchant holds at most.
const mostPanelWallets = 100

var (
	errPanelWallets = pay.E(pay.Conflict, "limit_reached", "Your merchant holds as many fixed wallets of the panel as it may.")
	errWalletName   = pay.E(pay.Invalid, "invalid_parameters", "A name of a fixed wallet has 1 to 200 characters without white space.")
)

// Made returns the payin that a form has recorded; nil for none. A form that has recorded another payin is refused.
func (d *Deposits) Made(ctx context.Context, n *pay.Deposit) (*pay.Payin, error) {
	p, err := d.Payins.Store.MerchantPayin(ctx, n.Merchant, uuid.Nil, pay.PanelReference(n.Form, 0))
	switch {
	case errors.Is(err, pay.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	network, known := pay.NetworkCalled(n.Network)
	if _, panel := pay.OfPanel(p.KeyID); !panel || !known || p.Network != network.Name || p.Token != n.Token || !p.Amount.Equal(plainAmount(n.Amount)) {
		return nil, errOtherForm
	}
	return p, nil
}

// New records the payin of a form, once.
func (d *Deposits) New(ctx context.Context, n *pay.Deposit) (*pay.Payin, error) {
	if was, err := d.Made(ctx, n); was != nil || err != nil {
		return was, err
	}
	caller, cat, err := d.known(ctx, n.Merchant, n.Email)
	if err != nil {
		return nil, err
	}
	amount := plainAmount(n.Amount)
	if !amount.IsPositive() {
		return nil, errAmountText
	}
	order := &payinOrder{Panel: true, Token: n.Token, Network: n.Network, ProcessBy: pay.ByCrypto, Reference: pay.PanelReference(n.Form, 0),
		Crypto: decimal.NewNullDecimal(amount), Lifetime: longestLifetime * time.Second}
	payin, address, err := d.Payins.drafted(ctx, caller, cat, order)
	if err != nil {
		return nil, err
	}
	if !payin.Amount.Equal(amount) {
		return nil, errAmountFine
	}
	err = d.Payins.record(payin, address, order.Lifetime) //nolint:contextcheck // it outlives the request
	if errors.Is(err, errDuplicatePayin) {                // the same form was first
		return d.Made(ctx, n)
	}
	return payin, err
}

// known reads the merchant of a person with the catalogue of now.
func (d *Deposits) known(ctx context.Context, merchant uuid.UUID, email string) (*store.Caller, *Catalogue, error) {
	caller, err := panelCaller(ctx, d.Payins.Store, merchant, email)
	if err != nil {
		return nil, nil, err
	}
	version, err := d.Payins.Store.CatalogueVersion(ctx)
	if err != nil {
		return nil, nil, err
	}
	cat, err := d.Payins.Catalogues.Since(ctx, version)
	return caller, cat, err
}

// Wallet returns the fixed wallet of a type that the panel has under a name, and makes it first where there is none.
func (d *Deposits) Wallet(ctx context.Context, merchant uuid.UUID, email string, family pay.Family, name string) (*pay.Wallet, error) {
	if !input.Within(name, 1, longestCustomer) || !input.Spaceless(name) {
		return nil, errWalletName
	}
	caller, cat, err := d.known(ctx, merchant, email)
	if err != nil {
		return nil, err
	}
	if caller.Merchant.WalletsMode == "" {
		return nil, errFeature
	}
	types, err := d.Wallets.typesOf(ctx, cat)
	if err != nil {
		return nil, err
	}
	if !types.has(family) {
		return nil, errWalletType
	}
	fresh, address, err := d.Wallets.draft(ctx, merchant, family, name, types)
	if err != nil {
		return nil, err
	}
	fresh.Origin = pay.OriginPanel
	var held *pay.Wallet
	err = untilCertain(d.Wallets.Store, func(ctx context.Context, _ bool) error { //nolint:contextcheck // it outlives the request
		address.ID = 0
		return d.Wallets.Store.InTx(ctx, func(tx *store.Store) error {
			held, err = holdPanelWallet(ctx, tx, fresh, address)
			return err
		})
	})
	var refusal *pay.Error
	if err != nil && !errors.As(err, &refusal) {
		err = errAssign.Because(err)
	}
	return held, err
}

// holdPanelWallet returns the wallet of the name, or else adds the fresh one. The merchant makes one wallet at a time.
func holdPanelWallet(ctx context.Context, tx *store.Store, fresh *pay.Wallet, address *pay.Address) (*pay.Wallet, error) {
	if _, err := tx.WalletRules(ctx, fresh.MerchantID); err != nil {
		return nil, err
	}
	found, err := tx.AssignedWallet(ctx, fresh.MerchantID, fresh.Family, fresh.CustomerInfo, pay.OriginPanel)
	if !errors.Is(err, pay.ErrNotFound) {
		return found, err
	}
	held, err := tx.CountPanelWallets(ctx, fresh.MerchantID)
	switch {
	case err != nil:
		return nil, err
	case held >= mostPanelWallets:
		return nil, errPanelWallets
	}
	return fresh, tx.AddWallet(ctx, fresh, address)
}
