package admin

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/ledger"
	"causeway/tasks"
)

// NewMerchant is the input for a new merchant.
type NewMerchant struct {
	Name, Email, PreferredFiat string
	Verified                   bool
}

// CreateMerchant makes a merchant with the default terms of addendum §6. The webhook secret is in the answer this once.
func (a *Admin) CreateMerchant(ctx context.Context, n NewMerchant) (*Merchant, error) {
	m := &pay.Merchant{ID: uuid.Must(uuid.NewV7()), Email: strings.TrimSpace(n.Email), Verified: n.Verified, APIAccess: true,
		InactivityDays: 180, RevokeNoticeDays: 30, LateTerms: pay.DefaultLate(), Terms: pay.Terms{PaysPaymentNetworkFee: true, PaysWithdrawalNetworkFee: true}}
	if err := nameMerchant(m, n.Name); err != nil {
		return nil, err
	}
	secret := vault.NewWebhookSecret()
	m.WebhookSecret = a.Vault.Seal([]byte(secret), vault.WebhookSecretPlace(m.ID.String()))
	var view *Merchant
	err := a.Change(ctx, "merchant.create", "merchant:"+m.ID.String(), func(tx *store.Store) (before, after any, err error) {
		if err := setFiat(ctx, tx, m, n.PreferredFiat); err != nil {
			return nil, nil, err
		}
		if err := tx.AddMerchant(ctx, m); err != nil {
			return nil, nil, err
		}
		view, err = viewMerchant(m, nil)
		return nil, view, err
	})
	if err != nil {
		return nil, err
	}
	view.WebhookSecret = secret
	return view, nil
}

const longestName = 200

func nameMerchant(m *pay.Merchant, name string) error {
	m.Name = strings.TrimSpace(name)
	if m.Name == "" || len(m.Name) > longestName || strings.ContainsRune(m.Name, 0) {
		return misread("a merchant's name has 1 to %d characters", longestName)
	}
	if len(m.Email) > longestName || m.Email != "" && !strings.Contains(m.Email, "@") || strings.ContainsRune(m.Email, 0) {
		return misread("%q is not an e-mail address", m.Email)
	}
	return nil
}

// setFiat sets the preferred fiat, a fiat of the catalogue. Empty is USD when it is needed (api-v1 §Payout).
func setFiat(ctx context.Context, tx *store.Store, m *pay.Merchant, code string) error {
	code = strings.ToUpper(strings.TrimSpace(code))
	if code != "" {
		if _, err := tx.FiatForUpdate(ctx, code); err != nil {
			return named(err, "fiat %q in the catalogue", code)
		}
	}
	m.PreferredFiat = code
	return nil
}

// MerchantChange is a change of a merchant; nil fields stay as they are.
type MerchantChange struct {
	Name, Email, PreferredFiat       *string
	Suspended, APIAccess, Verified   *bool
	MinimumPayment                   *string // percent above 0 to 100; "" for none
	InactivityDays, RevokeNoticeDays *int
	PaymentUpdated                   *bool   // whether payment_updated is sent
	LateGrace                        *string // how long after its time a payin's quote holds, such as 24h; "" for ever
	LateBound                        *string // percent of price movement allowed by then; "" for any
}

// UpdateMerchant changes a merchant. Payouts of a suspended merchant wait for approval. They go on once the suspension ends.
func (a *Admin) UpdateMerchant(ctx context.Context, id uuid.UUID, c MerchantChange) (*Merchant, error) {
	var view *Merchant
	err := a.changeMerchant(ctx, "merchant.update", id, func(tx *store.Store, m *pay.Merchant) error {
		was := m.Suspended
		if err := c.apply(ctx, tx, m); err != nil || m.Suspended || !was {
			return err
		}
		return tx.WakeWaiting(ctx, string(tasks.BroadcastPayout), id)
	}, &view)
	return view, err
}

// changeMerchant changes a merchant's row under its lock, and returns how it is then.
func (a *Admin) changeMerchant(ctx context.Context, action string, id uuid.UUID, work func(*store.Store, *pay.Merchant) error,
	view **Merchant) error {
	return a.Change(ctx, action, "merchant:"+id.String(), func(tx *store.Store) (before, after any, err error) {
		m, err := tx.MerchantForUpdate(ctx, id)
		if err != nil {
			return nil, nil, named(err, "merchant %s", id)
		}
		terms, err := tx.NetworkTerms(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		was, err := viewMerchant(m, terms)
		if err != nil {
			return nil, nil, err
		}
		if err := work(tx, m); err != nil {
			return nil, nil, err
		}
		if err := tx.SaveMerchant(ctx, m); err != nil {
			return nil, nil, err
		}
		if terms, err = tx.NetworkTerms(ctx, id); err != nil {
			return nil, nil, err
		}
		*view, err = viewMerchant(m, terms)
		return was, *view, err
	})
}

func (c MerchantChange) apply(ctx context.Context, tx *store.Store, m *pay.Merchant) error {
	name := m.Name
	replace(&name, c.Name)
	replace(&m.Email, c.Email)
	replace(&m.Suspended, c.Suspended)
	replace(&m.APIAccess, c.APIAccess)
	replace(&m.Verified, c.Verified)
	if c.PaymentUpdated != nil {
		m.MuteUpdates = !*c.PaymentUpdated
	}
	replace(&m.InactivityDays, c.InactivityDays)
	replace(&m.RevokeNoticeDays, c.RevokeNoticeDays)
	if err := nameMerchant(m, name); err != nil {
		return err
	}
	const century = 36500
	if m.InactivityDays < 0 || m.InactivityDays > century || m.RevokeNoticeDays < 0 || m.RevokeNoticeDays > century {
		return misread("inactivity and revoke notice are 0 to %d days", century)
	}
	if c.PreferredFiat != nil {
		if err := setFiat(ctx, tx, m, *c.PreferredFiat); err != nil {
			return err
		}
	}
	if err := c.applyLate(m); err != nil {
		return err
	}
	return c.applyMinimum(m)
}

func (c MerchantChange) applyMinimum(m *pay.Merchant) error {
	if c.MinimumPayment == nil {
		return nil
	}
	if *c.MinimumPayment == "" {
		m.MinimumPayment = decimal.NullDecimal{}
		return nil
	}
	const minimumScale = 4
	least, err := percent(*c.MinimumPayment, minimumScale)
	if err == nil && least.IsZero() {
		err = refuse("minimum_payment must be above 0: zero would complete a payin without a payment")
	}
	if err != nil {
		return at("minimum payment", err)
	}
	m.MinimumPayment = decimal.NewNullDecimal(least)
	return nil
}

func replace[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// Merchant shows a merchant with its overrides, keys and balances.
func (a *Admin) Merchant(ctx context.Context, id uuid.UUID) (*Merchant, error) {
	m, err := a.Store.Merchant(ctx, id)
	if err != nil {
		return nil, named(err, "merchant %s", id)
	}
	terms, err := a.Store.NetworkTerms(ctx, id)
	if err != nil {
		return nil, err
	}
	keys, err := a.Store.KeysOf(ctx, id)
	if err != nil {
		return nil, err
	}
	balances, err := ledger.Balances(ctx, a.Store.Q, id)
	if err != nil {
		return nil, err
	}
	view, err := viewMerchant(m, terms)
	if err != nil {
		return nil, err
	}
	view.Keys = []Key{}
	for i := range keys {
		view.Keys = append(view.Keys, *viewKey(&keys[i]))
	}
	view.Balances = map[string]Balance{}
	for asset, b := range balances {
		view.Balances[asset] = Balance{Total: b.Total(), Available: b.Available, Locked: b.Locked}
	}
	return view, nil
}
