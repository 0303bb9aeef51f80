package integratorcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"causeway/internal/cli/command"
	"causeway/internal/cli/connect"
	"causeway/internal/cli/settings"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/webhooks"
)

// Webhook tries out a receiver of webhooks.
func Webhook(l *command.Line) *cobra.Command {
	p := &commands{l}
	var merchant, to string
	test := &cobra.Command{Use: "test", Args: cobra.NoArgs, Short: "send one signed test webhook to a receiver, under the same rules as every delivery",
		RunE: func(c *cobra.Command, _ []string) error { return p.testWebhook(c.Context(), merchant, to) }}
	test.Flags().StringVar(&merchant, "merchant", "", "id of the merchant whose secret signs it")
	command.Web(test.Flags(), &to, "url", "the receiver")
	return command.Group("webhook", "test a receiver of webhooks", command.Need(test, "merchant", "url"))
}

// TestEvent is the event of a test webhook.
const TestEvent = "test"

// TestedWebhook is the result of a test webhook.
type TestedWebhook struct {
	Delivery   string `json:"delivery"`
	URL        string `json:"url"`
	Delivered  bool   `json:"delivered"`
	Status     int    `json:"status"` // HTTP status; 0 when there was no answer
	Error      string `json:"error"`
	DurationMS int64  `json:"duration_ms"`
}

// testWebhook sends a webhook of the event test, and records nothing of it.
func (p *commands) testWebhook(ctx context.Context, merchant, to string) error {
	s, sender, err := p.signer(ctx, merchant)
	if err != nil {
		return err
	}
	delivery := uuid.Must(uuid.NewV7()).String()
	body, err := testBody(delivery, time.Now())
	if err != nil {
		return err
	}
	c := webhooks.NewClient(webhooks.Options{Prefix: string(s.HeaderPrefix), AllowedHosts: s.AllowedHosts})
	defer c.Close()
	sent := c.Send(ctx, webhooks.Delivery{ID: delivery, URL: to, Secrets: sender.secrets, Body: body})
	result := TestedWebhook{delivery, to, sent.Outcome == webhooks.Delivered, sent.Status, sent.Error, sent.Duration.Milliseconds()}
	if err := p.Print(result); err != nil {
		return err
	}
	if !result.Delivered {
		return fmt.Errorf("the webhook was not accepted: %s", result.Error)
	}
	return nil
}

// testBody has the form of every webhook (addendum §11) and tells of nothing.
func testBody(reference string, at time.Time) ([]byte, error) {
	return json.Marshal(map[string]any{"event": TestEvent, "timestamp": at.UTC().Format(time.DateTime),
		"data": map[string]string{"status": "pending", "reference_id": "test", "internal_reference": reference}})
}

// signer is a merchant with the secrets for its webhooks.
type signer struct {
	merchant uuid.UUID
	secrets  []string
}

// signer reads a merchant's live webhook secrets.
func (p *commands) signer(ctx context.Context, merchant string) (*settings.Settings, *signer, error) {
	s, err := p.Settings("DATABASE_URL", "SECRETS_KEY")
	if err != nil {
		return nil, nil, err
	}
	id, err := command.IDOf("merchant", merchant)
	if err != nil {
		return nil, nil, err
	}
	db, err := connect.Schema(ctx, s, connect.PoolSize)
	if err != nil {
		return nil, nil, err
	}
	secrets, err := WebhookSecrets(ctx, store.New(db), s.Vault(), id)
	if errors.Is(err, pay.ErrNotFound) {
		err = errors.New("there is no merchant " + merchant)
	}
	return s, &signer{id, secrets}, errors.Join(err, db.Close())
}
