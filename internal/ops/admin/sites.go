package admin

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/web/look"
)

// How many sites may show a merchant's payers' pages, and how long they are together: all of them are in a header of each page, and
// proxies refuse long headers.
const (
	mostSites    = 20
	longestSites = 2000
)

// AddSite lets a site show a merchant's payers' pages in a frame, and returns its origin. One named before is a Refusal.
func (a *Admin) AddSite(ctx context.Context, merchant uuid.UUID, text string) (site string, err error) {
	site, ok := look.ReadSite(text)
	if !ok {
		return "", refuse("a site is written as https://shop.example, or http://localhost:3000 for trying it out, without a path")
	}
	return site, a.Change(ctx, "site.add", "merchant:"+merchant.String(), func(tx *store.Store) (before, after any, err error) {
		if err := tx.LockSites(ctx, merchant); err != nil {
			return nil, nil, err
		}
		named, err := tx.Sites(ctx, merchant)
		switch {
		case err != nil:
			return nil, nil, err
		case slices.Contains(named, site):
			return nil, nil, refuse("%s shows the pages already", site)
		case len(named) >= mostSites:
			return nil, nil, refuse("at most %d sites show the pages: remove one first", mostSites)
		case len(strings.Join(named, " "))+len(site) >= longestSites:
			return nil, nil, refuse("the sites have more than %d characters together: remove one first", longestSites)
		}
		_, err = tx.AddSite(ctx, merchant, site)
		return nil, map[string]any{"merchant_id": merchant, "site": site}, err
	})
}

// DropSite takes a merchant's payers' pages from a site. Open pages stay until they are loaded again.
func (a *Admin) DropSite(ctx context.Context, merchant uuid.UUID, site string) error {
	return a.Change(ctx, "site.remove", "merchant:"+merchant.String(), func(tx *store.Store) (before, after any, err error) {
		dropped, err := tx.DropSite(ctx, merchant, site)
		if err == nil && !dropped {
			err = pay.ErrNotFound
		}
		return map[string]any{"merchant_id": merchant, "site": site}, nil, err
	})
}
