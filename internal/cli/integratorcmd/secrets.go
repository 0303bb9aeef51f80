package integratorcmd

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/internal/store"
	"causeway/internal/vault"
)

// WebhookSecrets opens the live webhook secrets of a merchant, newest first (addendum §2). If one cannot be opened, it
// returns the newer ones and the error.
func WebhookSecrets(ctx context.Context, rows *store.Store, keys *vault.Vault, merchant uuid.UUID) ([]string, error) {
	sealed, err := rows.WebhookSecrets(ctx, merchant)
	if err != nil {
		return nil, err
	}
	secrets, err := keys.WebhookSecrets(merchant.String(), sealed...)
	if err != nil {
		err = fmt.Errorf("%w (SECRETS_KEY)", err)
	}
	return secrets, err
}
