package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// Sites returns the origins of pages with a merchant's payers' pages in a frame, in order.
func (s *Store) Sites(ctx context.Context, merchant uuid.UUID) ([]string, error) {
	out := []string{}
	if err := s.Q.NewRaw("select site from merchant_sites where merchant_id = ? order by site", merchant).Scan(ctx, &out); err != nil {
		return nil, fmt.Errorf("read sites: %w", err)
	}
	return out, nil
}

// LockSites lets no other transaction add a site of a merchant until this one has ended.
func (s *Store) LockSites(ctx context.Context, merchant uuid.UUID) error {
	if _, err := s.Q.NewRaw("select pg_advisory_xact_lock(hashtextextended('sites of ' || ?, 0))", merchant.String()).Exec(ctx); err != nil {
		return fmt.Errorf("lock sites: %w", err)
	}
	return nil
}

// AddSite lets a site show a merchant's payers' pages; false when it may already.
func (s *Store) AddSite(ctx context.Context, merchant uuid.UUID, site string) (bool, error) {
	res, err := s.Q.NewRaw("insert into merchant_sites (merchant_id, site) values (?, ?) on conflict do nothing", merchant, site).Exec(ctx)
	return changed(res, err, "add site")
}

// DropSite takes a merchant's payers' pages from a site; false when it has none.
func (s *Store) DropSite(ctx context.Context, merchant uuid.UUID, site string) (bool, error) {
	res, err := s.Q.NewRaw("delete from merchant_sites where merchant_id = ? and site = ?", merchant, site).Exec(ctx)
	return changed(res, err, "drop site")
}
