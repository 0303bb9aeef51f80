package vault

import "fmt"

// Where names the place of a sealed value, `table|row|column`: a value copied elsewhere does not open.
func Where(table, row, column string) string { return table + "|" + row + "|" + column }

// webhookSecrets are the columns of a merchant's webhook secrets, newest first (addendum §2).
var webhookSecrets = []string{"webhook_secret", "webhook_secret_old"}

// WebhookSecretPlace is where a merchant's webhook secret is sealed to, and OldWebhookSecretPlace where the one before it is
// while both sign.
func WebhookSecretPlace(merchant string) string {
	return Where("merchants", merchant, webhookSecrets[0])
}

// OldWebhookSecretPlace is told of by WebhookSecretPlace.
func OldWebhookSecretPlace(merchant string) string {
	return Where("merchants", merchant, webhookSecrets[1])
}

// SigningSecretPlace is where the signing secret of an API key is sealed to.
func SigningSecretPlace(key string) string { return Where("keys", key, "signing_secret") }

// TOTPPlace is where the secret of an operator's codes is sealed to, and OfferedTOTPPlace where it is before the first code.
func TOTPPlace(operator string) string { return Where("operators", operator, "totp") }

// OfferedTOTPPlace is told of by TOTPPlace.
func OfferedTOTPPlace(operator string) string { return Where("operators", operator, "totp_offered") }

// PersonTOTPPlace is TOTPPlace of a merchant's person, and OfferedPersonTOTPPlace is OfferedTOTPPlace.
func PersonTOTPPlace(person string) string { return Where("people", person, "totp") }

// OfferedPersonTOTPPlace is told of by PersonTOTPPlace.
func OfferedPersonTOTPPlace(person string) string { return Where("people", person, "totp_offered") }

// WebhookSecrets opens a merchant's sealed webhook secrets, newest first; nil is none. An error comes with the secrets opened
// before it.
func (v *Vault) WebhookSecrets(merchant string, sealed ...[]byte) (plain []string, err error) {
	for i, s := range sealed {
		if s == nil {
			continue
		}
		secret, err := v.Open(s, Where("merchants", merchant, webhookSecrets[i]))
		if err != nil {
			return plain, fmt.Errorf("open webhook secret: %w", err)
		}
		plain = append(plain, string(secret))
	}
	return plain, nil
}

// MessagePlace is where the secret page of a message to a person is kept.
func MessagePlace(message string) string { return Where("messages", message, "sealed") }

// ChatPlace is where the address of a chat is kept, in the table of the merchants' chats or of the operators'.
func ChatPlace(table, chat string) string { return Where(table, chat, "sealed") }
