package main

import (
	"context"
	"net/http"
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

// inboxSecrets answers the secrets that a delivery to the inbox may be signed with.
func (h *house) inboxSecrets(delivery string) (secrets []string) {
	if demo := h.demoSecret.Load(); demo != nil {
		secrets = append(secrets, *demo)
	}
	id, err := uuid.Parse(delivery)
	if err != nil {
		return secrets
	}
	ctx, cancel := context.WithTimeout(context.Background(), verifyWithin)
	defer cancel()
	d, err := h.store.Delivery(ctx, id)
	if err != nil {
		return secrets
	}
	own, _ := trying.WebhookSecrets(ctx, h.store, h.vault, d.MerchantID) // what cannot be opened verifies nothing
	return append(secrets, own...)
}
