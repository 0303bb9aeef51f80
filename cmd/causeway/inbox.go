package main

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"causeway/cmd/causeway/trying"
	"causeway/webhooks"
)

// verifyWithin is how long the secrets of a received webhook may take to be found.
const verifyWithin = 2 * time.Second

// verifyInbox tells whether a webhook to the inbox was signed for the merchant whose delivery it is, or for the demo
// merchant (operator §dev).
func (h *house) verifyInbox(header http.Header, body []byte) bool {
	name := func(what string) string { return string(h.settings.HeaderPrefix) + "-" + what }
	delivery := header.Get(name("Delivery"))
	return webhooks.Verify(h.inboxSecrets(delivery), header.Get(name("Signature")), header.Get(name("Timestamp")), delivery, body, time.Now()) == nil
}

// inboxSecrets answers the secrets that hold now and that a delivery to the inbox may be signed with.
func (h *house) inboxSecrets(delivery string) (secrets []string) {
	ctx, cancel := context.WithTimeout(context.Background(), verifyWithin)
	defer cancel()
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
		own, _ := trying.WebhookSecrets(ctx, h.store, h.vault, merchant) // what cannot be opened verifies nothing
		secrets = append(secrets, own...)
	}
	return secrets
}
