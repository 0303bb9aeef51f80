package main

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

// verifyInbox reports whether a webhook to the inbox was signed for the merchant whose delivery it is, or for the demo
// merchant; one of the event test is recorded nowhere, and may be any merchant's (operator §dev).
func (h *service) verifyInbox(header http.Header, body []byte) bool {
	name := func(what string) string { return string(h.settings.HeaderPrefix) + "-" + what }
	delivery := header.Get(name("Delivery"))
	var notice struct {
		Event string `json:"event"`
	}
	_ = json.Unmarshal(body, &notice) // what cannot be read is no test
	return webhooks.Verify(h.inboxSecrets(delivery, notice.Event == integratorcmd.TestEvent), header.Get(name("Signature")),
		header.Get(name("Timestamp")), delivery, body, time.Now()) == nil
}

// inboxSecrets returns the secrets that hold now and that a delivery to the inbox may be signed with; a test's is any.
func (h *service) inboxSecrets(delivery string, test bool) (secrets []string) {
	ctx, cancel := context.WithTimeout(context.Background(), verifyWithin)
	defer cancel()
	if test {
		return h.allSecrets(ctx)
	}
	var merchants []uuid.UUID
	if demo := h.demoMerchant.Load(); demo != nil {
		merchants = append(merchants, *demo)
	}
	if id, err := uuid.Parse(delivery); err == nil {
		if d, err := h.store.Delivery(ctx, id); err == nil && !slices.Contains(merchants, d.MerchantID) {
			merchants = append(merchants, d.MerchantID)
		}
	}
	for _, merchant := range merchants {
		own, _ := integratorcmd.WebhookSecrets(ctx, h.store, h.vault, merchant) // what cannot be opened verifies nothing
		secrets = append(secrets, own...)
	}
	return secrets
}

// allSecrets returns the webhook secrets of all merchants that can be opened.
func (h *service) allSecrets(ctx context.Context) (secrets []string) {
	sealed, _ := h.store.AllWebhookSecrets(ctx) // what cannot be read verifies nothing
	for merchant, of := range sealed {
		own, _ := h.vault.WebhookSecrets(merchant.String(), of...)
		secrets = append(secrets, own...)
	}
	return secrets
}
