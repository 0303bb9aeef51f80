package main

import (
	"net/url"

	"causeway/api"
	"causeway/internal/web/panel"
)

// panel makes the merchants' panel; nil where its address is not known, or is below another one. A sandbox beside live networks has
// none: its people would be taken for those of the live books.
func (h *service) panel() *panel.Panel {
	base, err := url.Parse(string(h.settings.PublicBaseURL))
	if err != nil || base.Host == "" || base.Path != "" && base.Path != "/" || h.settings.Sandbox {
		return nil
	}
	return panel.New(panel.Deps{Store: h.store, Vault: h.vault, Visitors: api.NewVisitors(h.hurried, h.settings.TrustedProxies, pageQuota), Log: h.log})
}
