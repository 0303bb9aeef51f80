package api

import (
	"errors"
	"net/http"
	"time"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/webhooks"
)

// WalletConfig is the body of PUT /v1/fixed-wallets/config; null or "" clears the address.
type WalletConfig struct {
	WebhookURL *string `json:"webhook_url" required:"true" nullable:"true" maxLength:"756"`
}

// WalletConfigAnswer is the answer to GET and PUT /v1/fixed-wallets/config.
type WalletConfigAnswer struct {
	Message string       `json:"message"`
	Config  WalletConfig `json:"config"`
}

var (
	errWalletsURL = pay.E(pay.Invalid, "invalid_webhook_url", "The webhook_url cannot be used.")
	errNotSaved   = pay.E(pay.Internal, "config_update_failed", "The configuration could not be saved.")
)

// config answers GET /v1/fixed-wallets/config.
func (w *Wallets) config(c *Call) error {
	return c.JSON(http.StatusOK, WalletConfigAnswer{"fixed_wallets_config_success", configOf(c.Caller.Merchant.WalletsWebhook)})
}

// setConfig answers PUT /v1/fixed-wallets/config. Without an address no notices of fixed wallets are sent.
func (w *Wallets) setConfig(c *Call) error {
	address, err := readWalletConfig(c.Body)
	if err != nil {
		return err
	}
	if address != "" {
		if err := w.allowed(c, address); err != nil {
			return err
		}
	}
	ctx, cancel := c.Lasting(10 * time.Second)
	defer cancel()
	if err := w.Store.SetWalletsWebhook(ctx, c.Caller.Merchant.ID, address); err != nil {
		return errNotSaved.Because(err)
	}
	return c.JSON(http.StatusOK, WalletConfigAnswer{"fixed_wallets_config_update_success", configOf(address)})
}

func (w *Wallets) allowed(c *Call, address string) error {
	err := w.URLs.Check(c.Context(), address, webhooks.ForWallets)
	var refusal *webhooks.URLError
	if errors.As(err, &refusal) {
		return errWalletsURL.With("field", "webhook_url").With("reason", string(refusal.Reason))
	}
	return c.lookedUp(err)
}

// readWalletConfig wants webhook_url to be there: leaving it out must not clear it.
func readWalletConfig(body []byte) (string, error) {
	o, ok := input.ObjectIn(body)
	if !ok && len(body) > 0 {
		return "", errNoObject
	}
	text, found := o.Text("webhook_url")
	switch {
	case found == input.Absent && !o.Has("webhook_url"):
		return "", input.FieldErrors{"webhook_url": "is required"}.Err()
	case found == input.Wrong:
		return "", input.FieldErrors{"webhook_url": input.NotText(o, "webhook_url", "must be a URL or null")}.Err()
	}
	return text, nil
}

func configOf(address string) WalletConfig {
	if address == "" {
		return WalletConfig{}
	}
	return WalletConfig{&address}
}
