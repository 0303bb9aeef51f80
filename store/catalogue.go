package store

import (
	"context"
	"fmt"

	"causeway/pay"
)

// Catalogue is the tokens, fiats and prices at one revision.
type Catalogue struct {
	Version int64
	Tokens  []pay.Token
	Fiats   []pay.Fiat
	Prices  []pay.Price
}

// CatalogueVersion answers the revision of the catalogue; every change of tokens, fiats or prices raises it.
func (s *Store) CatalogueVersion(ctx context.Context) (int64, error) {
	var v int64
	err := s.Q.NewRaw("select version from revisions where name = 'catalogue'").Scan(ctx, &v)
	return v, one(err, "catalogue version")
}

// Catalogue reads tokens, fiats and prices. The version is read first: a change in between is seen by the next look.
func (s *Store) Catalogue(ctx context.Context) (*Catalogue, error) {
	c := new(Catalogue)
	var err error
	if c.Version, err = s.CatalogueVersion(ctx); err != nil {
		return nil, err
	}
	if err = s.Q.NewSelect().Model(&c.Tokens).Order("symbol", "network").Scan(ctx); err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	if err = s.Q.NewSelect().Model(&c.Fiats).Order("code").Scan(ctx); err != nil {
		return nil, fmt.Errorf("read fiats: %w", err)
	}
	if err = s.Q.NewSelect().Model(&c.Prices).Order("base", "quote").Scan(ctx); err != nil {
		return nil, fmt.Errorf("read prices: %w", err)
	}
	return c, nil
}
