package admin

import (
	"context"
	"slices"
	"strings"

	"causeway/internal/store"
)

// unfollowed is the problem of a network never followed.
const unfollowed = "no worker has followed it yet"

// Networks lists how far each network is followed, and whether it is halted. Configured networks not followed yet are in the list
// too.
func (a *Admin) Networks(ctx context.Context, configured ...string) ([]store.FollowerVitals, error) {
	out, err := a.Store.FollowerVitals(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range configured {
		if !slices.ContainsFunc(out, func(f store.FollowerVitals) bool { return f.Network == name }) {
			out = append(out, store.FollowerVitals{Network: name, Problem: unfollowed})
		}
	}
	slices.SortFunc(out, func(x, y store.FollowerVitals) int { return strings.Compare(x.Network, y.Network) })
	return out, nil
}
