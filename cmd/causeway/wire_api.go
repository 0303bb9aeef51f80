package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/api"
	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/web/checkout"
	"causeway/internal/web/docsite"
	"causeway/internal/web/panel"
	"causeway/internal/webhooks"
)

// operations are those of /v1.
func (h *service) operations() *api.Operations {
	catalogues := api.NewCatalogues(offered{h.store, h.networks, h.file.Live}, nil)
	urls := webhooks.NewURLPolicy(h.settings.AllowedHosts, nil)
	front := frontAddresses{h.networks, h.store, &sync.Map{}}
	recorder := api.NewRecorder(h.store, h.bell, func(err error) {
		h.log.WithError(err).Warn("payouts were recorded but not rung; the relay rings them")
	})
	o := &api.Operations{
		Payouts: api.Payouts{Store: h.store, Catalogues: catalogues, Recorder: recorder, Addresses: front, URLs: urls, Seals: h.settings.Seals()},
		Payins: api.Payins{Store: h.store, Catalogues: catalogues, Addresses: front, URLs: urls, Credits: front,
			Pages: h.pageAddress(checkout.Prefix)},
		Queries:    api.Queries{Store: h.store, Catalogues: catalogues},
		Wallets:    api.Wallets{Store: h.store, Catalogues: catalogues, Addresses: front, URLs: urls},
		Deliveries: api.Deliveries{Store: h.store},
		Quotes:     api.Quotes{Catalogues: catalogues},
	}
	o.Requests = api.Requests{Payins: &o.Payins, Pages: h.pageAddress(checkout.RequestPrefix)}
	o.Links = api.Links{Requests: &o.Requests, Pages: h.linkAddress()}
	o.Refunds = api.Refunds{Payouts: &o.Payouts, Pages: h.refundAddress()}
	return o
}

// apiHandler puts the front together. Pages are those for payers.
func (h *service) apiHandler(operations *api.Operations, pages http.Handler) http.Handler {
	routes := operations.Routes()
	guides := h.docsite(routes)
	public := []api.Public{
		{Path: "/healthz", Handler: h.alive()}, {Path: "/readyz", Handler: h.ready()},
		api.DocumentPage(routes, string(h.settings.HeaderPrefix)),
		{Path: docsite.Prefix, Handler: guides}, {Path: docsite.Prefix + "/*page", Handler: guides},
		{Path: docsite.LLMs, Handler: guides}, {Path: docsite.Full, Handler: guides}, {Path: docsite.Postman, Handler: guides},
		{Path: "/", Handler: http.RedirectHandler(docsite.Prefix, http.StatusFound)},
		{Path: checkout.Prefix + "*page", Handler: pages, Posts: true},
	}
	if room := h.panel(operations); room != nil {
		public = append(public, api.Public{Path: panel.Prefix + "*page", Handler: room, Posts: true},
			api.Public{Path: strings.TrimSuffix(panel.Prefix, "/"), Handler: http.RedirectHandler(panel.Prefix, http.StatusFound)})
	}
	return api.New(api.Deps{
		Keys: api.NewCallers(h.store), Vault: h.vault, Redis: h.hurried, Routes: routes,
		Public:         public,
		HeaderPrefix:   string(h.settings.HeaderPrefix),
		TrustedProxies: h.settings.TrustedProxies,
		Quota:          h.settings.RateLimit.Quota,
		Failures:       h.settings.AuthFailures.FailureRule,
		Log:            h.log,
		Requests:       &api.RequestLog{Store: h.store, Log: h.log},
	})
}

// offered is the catalogue without the networks not served here: nothing is offered that cannot be moved. The contract of a
// token is the watched one, the networks file's before the catalogue's.
type offered struct {
	store    *store.Store
	networks *chains.Registry
	live     []*chains.Configured
}

// Catalogue implements api.CatalogueSource.
func (o offered) Catalogue(ctx context.Context) (*store.Catalogue, error) {
	c, err := o.store.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	c.Tokens = slices.DeleteFunc(c.Tokens, func(t pay.Token) bool {
		_, served := o.networks.Network(t.Network)
		return !served
	})
	o.watch(c.Tokens)
	for _, live := range o.live {
		for i := range c.Tokens {
			if said, ok := live.Tokens[c.Tokens[i].Symbol]; ok && c.Tokens[i].Network == live.Name {
				c.Tokens[i].Contract = said.Contract
			}
		}
	}
	return c, nil
}

// watch makes the contracts of tokens known to the connectors: they refuse these as destinations. A token with a changed contract
// is the workers' matter.
func (o offered) watch(tokens []pay.Token) {
	for _, t := range tokens {
		if n, ok := o.networks.Network(t.Network); ok && n.Tokens != nil && t.Contract != "" {
			_ = n.Tokens.Watch(chains.Token{Symbol: t.Symbol, Contract: t.Contract, Decimals: t.Decimals})
		}
	}
}

// frontAddresses is the front's knowledge of the networks: public data only.
type frontAddresses struct {
	networks *chains.Registry
	store    *store.Store
	begun    *sync.Map // names of networks already followed
}

// Validate implements api.Addresses.
func (f frontAddresses) Validate(network, address string) (string, error) {
	n, ok := f.networks.Network(network)
	if !ok {
		return "", fmt.Errorf("network %s is not configured", network)
	}
	canonical, err := n.Addresser.Validate(address)
	if errors.Is(err, chains.ErrFormat) || errors.Is(err, chains.ErrNotPayable) {
		return "", fmt.Errorf("%w: %w", pay.ErrNoDestination, err)
	}
	if err != nil {
		return "", err
	}
	if n.Addresser.Match(canonical) == n.Hot {
		return "", fmt.Errorf("%w: it is the hot wallet", pay.ErrNoDestination)
	}
	return canonical, nil
}

// Match implements api.Addresses.
func (f frontAddresses) Match(network, address string) string {
	return addresses.Match(network, address)
}

// Tag implements api.Addresses.
func (f frontAddresses) Tag(network, address string) (string, bool) {
	_, tag, ok := addresses.Tag(network, address)
	return tag, ok
}

// Supports implements api.Deriver. A live network is offered only once it is followed: a payment made earlier may never be
// seen. The store is asked until the network is followed, and never again.
func (f frontAddresses) Supports(ctx context.Context, network string) (bool, error) {
	n, ok := f.networks.Network(network)
	if !ok || n.Simulated() {
		return ok, nil
	}
	if _, known := f.begun.Load(network); known {
		return true, nil
	}
	begun, err := f.store.Followed(ctx, network)
	if err == nil && begun {
		f.begun.Store(network, true)
	}
	return begun, err
}

// Derive implements api.Deriver. One address serves every network of a family: where one of them is live, its connector
// makes the address for all.
func (f frontAddresses) Derive(ctx context.Context, network string, index uint32) (address, match string, err error) {
	n, ok := f.networks.Network(network)
	if !ok {
		return "", "", fmt.Errorf("network %s is not configured", network)
	}
	of, _ := f.networks.OfFamily(n.Family)
	if of.Kind == n.Kind {
		of = n
	}
	if address, err = of.Addresser.Derive(ctx, index); err != nil {
		return "", "", err
	}
	return address, of.Addresser.Match(address), nil
}

// CreditAfter implements api.CreditRules.
func (f frontAddresses) CreditAfter(network string, merchant uuid.UUID, worth decimal.Decimal) pay.CreditDepth {
	n, ok := f.networks.Network(network)
	if !ok {
		return pay.CreditByRule
	}
	return n.Rule.For(merchant, worth)
}

// Required implements api.CreditRules.
func (f frontAddresses) Required(network string, depth pay.CreditDepth) int {
	n, ok := f.networks.Network(network)
	if !ok {
		return 0
	}
	return depth.Confirmations(n.Rule.Credit)
}
