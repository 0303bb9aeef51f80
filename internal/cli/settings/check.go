package settings

import (
	"slices"
	"strings"

	"causeway/internal/pricing"
)

// redisNumbers is how many databases a Redis has unless its own settings say otherwise.
const redisNumbers = 16

// Warnings returns, in one line each, probable mistakes in settings that every role starts with. Roles log them, and
// causeway config prints them.
func (s *Settings) Warnings() ([]string, error) {
	file, err := s.ReadNetworks()
	if err != nil {
		return nil, err
	}
	var out []string
	if r, err := s.RedisURL.Read(); err == nil && r.Number() >= redisNumbers {
		out = append(out, s.Named("REDIS_URL")+" names a database above 15: a Redis has those from 0 to 15, unless its own setting `databases` says otherwise")
	}
	if len(s.PriceSources) == 0 && len(file.Live) > 0 {
		out = append(out, "PRICE_SOURCES is not set: real networks ("+strings.Join(file.Names(), ", ")+") use the sandbox's fixed prices and what is pinned")
	}
	if len(s.PriceSources) > 0 && !slices.ContainsFunc(s.PriceSources, pricing.QuotesTokens) {
		quoting := slices.DeleteFunc(pricing.Names(), func(name string) bool { return !pricing.QuotesTokens(name) })
		out = append(out, "PRICE_SOURCES names no source that has prices of tokens ("+strings.Join(quoting, ", ")+
			"): they have those alone that are pinned")
	}
	return out, nil
}
