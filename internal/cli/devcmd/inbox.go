package devcmd

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"causeway/internal/cli/integratorcmd"
	"causeway/internal/webhooks"
)

// verifyWithin is how long the secrets of a received webhook may take to be found.
const verifyWithin = 2 * time.Second

// VerifyInbox reports whether a webhook to the inbox was signed for the delivery's merchant, or for the demo merchant;
// a webhook of the event test is recorded nowhere, and may be any merchant's (operator §dev).
func (d *Dev) VerifyInbox(header http.Header, body []byte) bool {
	name := func(what string) string { return string(d.settings.HeaderPrefix) + "-" + what }
	delivery := header.Get(name("Delivery"))
	var notice struct {
		Event string `json:"event"`
	}
	_ = json.Unmarshal(body, &notice) // an unreadable body is no test
	return webhooks.Verify(d.inboxSecrets(delivery, notice.Event == integratorcmd.TestEvent), header.Get(name("Signature")),
		header.Get(name("Timestamp")), delivery, body, time.Now()) == nil
}

// inboxSecrets returns the live secrets for the signature of a delivery to the inbox: those of its merchant and of the
// demo merchant, for a test those of all merchants.
func (d *Dev) inboxSecrets(delivery string, test bool) (secrets []string) {
	ctx, cancel := context.WithTimeout(context.Background(), verifyWithin)
	defer cancel()
	if test {
		return d.allSecrets(ctx)
	}
	var merchants []uuid.UUID
	if demo := d.merchant.Load(); demo != nil {
		merchants = append(merchants, *demo)
	}
	if id, err := uuid.Parse(delivery); err == nil {
		if of, err := d.Store.Delivery(ctx, id); err == nil && !slices.Contains(merchants, of.MerchantID) {
			merchants = append(merchants, of.MerchantID)
		}
	}
	for _, merchant := range merchants {
		own, _ := integratorcmd.WebhookSecrets(ctx, d.Store, d.Vault, merchant) // an unopened secret verifies nothing
		secrets = append(secrets, own...)
	}
	return secrets
}

// allSecrets returns the webhook secrets of all merchants, without those that cannot be opened.
func (d *Dev) allSecrets(ctx context.Context) (secrets []string) {
	sealed, _ := d.Store.AllWebhookSecrets(ctx) // without rows nothing is verified
	for merchant, of := range sealed {
		own, _ := d.Vault.WebhookSecrets(merchant.String(), of...)
		secrets = append(secrets, own...)
	}
	return secrets
}

// Login returns name and password for the console, empty until they are known.
func (d *Dev) Login() (name, password string) {
	if known := d.login.Load(); known != nil {
		return known.OperatorName, known.OperatorPass
	}
	return "", ""
}
