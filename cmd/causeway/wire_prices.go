package main

import (
	"context"

	"causeway/internal/pricing"
	"causeway/workers/upkeep"
)

// openPrices makes sure that with live sources no process uses the sandbox's fixed table, from the first request on. The
// table does not come back: real money is never priced by it because a setting got lost (docs/decisions/0009-prices.md).
func (h *service) openPrices(ctx context.Context) error {
	if len(h.settings.PriceSources) == 0 {
		return nil // settings.Warnings warns of it
	}
	dropped, err := h.store.DropFixedPrices(ctx)
	if err == nil && dropped > 0 {
		h.log.WithField("prices", dropped).Warn("PRICE_SOURCES is set: the sandbox's fixed prices are removed for good")
	}
	return err
}

// priceSources makes the sources named by PRICE_SOURCES.
func (h *service) priceSources() []upkeep.PriceSource {
	var out []upkeep.PriceSource
	for _, s := range pricing.NewSources(h.settings.PriceSources, nil) {
		out = append(out, s)
	}
	return out
}
