package admin

import (
	"context"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// RotateWebhookSecret gives a merchant a new webhook secret, and answers it this once. Webhooks are signed under it and under the
// one before until FinishWebhookSecret (addendum §2). Until then it refuses another rotation unless again is set: again replaces the
// new secret, and the one before stays. A secret it cannot open signs nothing, and is dropped.
func (a *Admin) RotateWebhookSecret(ctx context.Context, id uuid.UUID, again bool) (*Merchant, error) {
	secret := vault.NewWebhookSecret()
	var dropped []string
	view, err := a.changeWebhookSecret(ctx, "merchant.rotate-webhook-secret", id, func(m *pay.Merchant) error {
		dropped = nil
		plain, unopened := a.Vault.Open(m.WebhookSecret, vault.WebhookSecretPlace(id.String()))
		if unopened != nil {
			dropped = append(dropped, "webhook_secret")
		}
		if m.WebhookSecretOld != nil {
			if _, err := a.Vault.Open(m.WebhookSecretOld, vault.OldWebhookSecretPlace(id.String())); err != nil {
				dropped, m.WebhookSecretOld = append(dropped, "webhook_secret_old"), nil
			}
		}
		switch rotating := m.WebhookSecretOld != nil; {
		case len(dropped) == 0 && rotating && !again:
			return refuse("merchant %s has two webhook secrets already: --finish ends the older one, --again replaces the newer one", id)
		case len(dropped) == 0 && !rotating && again:
			return refuse("merchant %s has one webhook secret, and no newer one to replace", id)
		case !rotating && unopened == nil:
			m.WebhookSecretOld = a.Vault.Seal(plain, vault.OldWebhookSecretPlace(id.String()))
		}
		m.WebhookSecret = a.Vault.Seal([]byte(secret), vault.WebhookSecretPlace(id.String()))
		return nil
	})
	if err != nil {
		return nil, err
	}
	view.WebhookSecret, view.SecretsDropped = secret, dropped
	return view, nil
}

// FinishWebhookSecret ends a rotation: from the next try of any webhook on, the newer secret alone signs.
func (a *Admin) FinishWebhookSecret(ctx context.Context, id uuid.UUID) (*Merchant, error) {
	return a.changeWebhookSecret(ctx, "merchant.finish-webhook-secret", id, func(m *pay.Merchant) error {
		if m.WebhookSecretOld == nil {
			return refuse("merchant %s has one webhook secret: there is no older one to end", id)
		}
		m.WebhookSecretOld = nil
		return nil
	})
}

func (a *Admin) changeWebhookSecret(ctx context.Context, action string, id uuid.UUID, work func(*pay.Merchant) error) (*Merchant, error) {
	return a.changeParts(ctx, action, id, func(tx *store.Store, m *pay.Merchant) error {
		if err := work(m); err != nil {
			return err
		}
		return tx.SaveWebhookSecrets(ctx, m)
	})
}

// SetWalletsWebhook changes where the webhooks of a merchant's fixed wallets go; empty is nowhere. The caller has checked the address.
func (a *Admin) SetWalletsWebhook(ctx context.Context, id uuid.UUID, url string) error {
	_, err := a.changeParts(ctx, "merchant.wallets-webhook", id, func(tx *store.Store, m *pay.Merchant) error {
		m.WalletsWebhook = url
		return tx.SetWalletsWebhook(ctx, id, url)
	})
	return err
}

// changeParts is changeMerchant for columns written by work itself: the merchant's own people may write no others.
func (a *Admin) changeParts(ctx context.Context, action string, id uuid.UUID, work func(*store.Store, *pay.Merchant) error) (*Merchant, error) {
	var view *Merchant
	err := a.Change(ctx, action, "merchant:"+id.String(), func(tx *store.Store) (before, after any, err error) {
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
		view, err = viewMerchant(m, terms)
		return was, view, err
	})
	return view, err
}
