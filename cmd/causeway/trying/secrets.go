package trying

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/store"
	"causeway/vault"
)

// WebhookSecrets opens the live webhook secrets of a merchant, newest first (addendum §2); those before one that cannot be
// opened come with the error.
func WebhookSecrets(ctx context.Context, rows *store.Store, keys *vault.Vault, merchant uuid.UUID) ([]string, error) {
	sealed, err := rows.WebhookSecrets(ctx, merchant)
	if err != nil {
		return nil, err
	}
	var secrets []string
	for i, column := range []string{"webhook_secret", "webhook_secret_old"}[:len(sealed)] {
		plain, err := keys.Open(sealed[i], vault.Where("merchants", merchant.String(), column))
		if err != nil {
			return secrets, fmt.Errorf("open the webhook secret (SECRETS_KEY): %w", err)
		}
		secrets = append(secrets, string(plain))
	}
	return secrets, nil
}
