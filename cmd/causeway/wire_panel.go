package main

import (
	"context"
	"errors"
	"net/url"

	"causeway/api"
	"causeway/internal/web/panel"
	"causeway/internal/webhooks"
)

// panel makes the merchants' panel; nil where its address is not known, or is below another one. A sandbox beside live networks has
// none: its people would be taken for those of the live books.
func (h *service) panel() *panel.Panel {
	base, err := url.Parse(string(h.settings.PublicBaseURL))
	if err != nil || base.Host == "" || base.Path != "" && base.Path != "/" || h.settings.Sandbox {
		return nil
	}
	return panel.New(panel.Deps{Store: h.store, Vault: h.vault, Visitors: api.NewVisitors(h.hurried, h.settings.TrustedProxies, pageQuota), Log: h.log,
		Receivers: receivers(webhooks.NewURLPolicy(h.settings.AllowedHosts, nil))})
}

// receivers checks addresses for webhooks of fixed wallets as the API does.
func receivers(urls *webhooks.URLPolicy) func(context.Context, string) (string, error) {
	return func(ctx context.Context, address string) (string, error) {
		err := urls.Check(ctx, address, webhooks.ForWallets)
		var refused *webhooks.URLError
		if errors.As(err, &refused) {
			return string(refused.Reason), nil
		}
		return "", err
	}
}
