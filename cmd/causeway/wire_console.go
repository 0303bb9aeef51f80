package main

import (
	"net/http"
	"strings"

	"causeway/api"
	"causeway/internal/ops/console"
	"causeway/internal/web/checkout"
	"causeway/internal/web/panel"
)

// noConsole stands where a process may not act as the operator: everything behind a login stays shut.
type noConsole struct{}

// ServeHTTP implements http.Handler.
func (noConsole) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "This process has no console, since it may not act as the operator (OPERATOR_DATABASE_URL). The console is on the operator port of one that may.",
		http.StatusForbidden)
}

// Guard implements operator.Console.
func (c noConsole) Guard(http.Handler, string) http.Handler { return c }

// console makes the operators' console; nil where this process may not act as the operator.
func (h *service) console() *console.Console {
	if h.desk == nil {
		return nil
	}
	origins := api.NewOrigins(h.settings.TrustedProxies)
	d := console.Deps{
		Store:   h.desk,
		Vault:   h.vault,
		Log:     h.log,
		OnChain: h.onChain(h.desk),
		Live:    h.networks.Live(),
		Origin:  origins.Origin,
		Inbox:   h.dev != nil,
		Sandbox: h.settings.Sandbox,
		Mails:   h.settings.SMTP.Server != nil,
		PanelAt: strings.TrimSuffix(string(h.settings.PublicBaseURL), "/"),

		LiveBooks:    h.live(),
		WebhooksKept: int(h.settings.WebhooksKept),
	}
	if base := panelBase(h); base != "" {
		d.Panel = &panel.Deps{PayerPage: h.pageAddress(checkout.Prefix), RequestPage: h.pageAddress(checkout.RequestPrefix), LinkPage: h.linkAddress(),
			LogoPath:    func(hash string) string { return base + checkout.LookPrefix + hash + ".png" },
			EmbedScript: base + checkout.EmbedPath, EmbedPinned: base + checkout.EmbedPinned(), WebhooksKept: int(h.settings.WebhooksKept)}
	}
	for _, n := range h.networks.All() {
		d.Networks = append(d.Networks, console.Network{Name: n.Name, Kind: n.Kind, Hot: n.HotAddress()})
	}
	if h.dev != nil {
		d.Demo = h.dev.Login
	}
	return console.New(d)
}
