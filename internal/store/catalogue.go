package store

import (
	"context"
	"fmt"

	"causeway/internal/pay"
)

// Catalogue is the tokens, fiats and prices at one revision.
type Catalogue struct {
	Version int64
	Tokens  []pay.Token
	Fiats   []pay.Fiat
	Prices  []pay.Price
	Symbols map[string]string // by balance key
}

// CatalogueVersion returns the revision of the catalogue; every change of tokens, fiats or prices raises it.
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
	c.Symbols = make(map[string]string, len(c.Tokens))
	for i := range c.Tokens {
		c.Symbols[c.Tokens[i].BalanceKey] = c.Tokens[i].Symbol
	}
	return c, nil
}

// Tokens lists every token, active or not.
func (s *Store) Tokens(ctx context.Context) ([]pay.Token, error) {
	var out []pay.Token
	if err := s.Q.NewSelect().Model(&out).Order("symbol", "network").Scan(ctx); err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	return out, nil
}

// TokensToAdd lists every token, and lets nobody else add or change one until the transaction ends.
func (s *Store) TokensToAdd(ctx context.Context) ([]pay.Token, error) {
	if _, err := s.Q.NewRaw("lock table tokens in share row exclusive mode").Exec(ctx); err != nil {
		return nil, fmt.Errorf("hold the catalogue: %w", err)
	}
	return s.Tokens(ctx)
}

// AddToken adds a token to the catalogue.
func (s *Store) AddToken(ctx context.Context, t *pay.Token) error {
	if _, err := s.Q.NewInsert().Model(t).Exec(ctx); err != nil {
		return fmt.Errorf("add token %s on %s: %w", t.Symbol, t.Network, err)
	}
	return nil
}

// TokenForUpdate reads a token and keeps it from changing until the transaction ends.
func (s *Store) TokenForUpdate(ctx context.Context, symbol, network string) (*pay.Token, error) {
	t := new(pay.Token)
	err := s.Q.NewSelect().Model(t).Where("symbol = ? and network = ?", symbol, network).For("update").Scan(ctx)
	return t, one(err, "token "+symbol+" on "+network)
}

// TokenUsed reports whether a token on a network was ever paid to an address of ours, or an open payin or payout asks
// for it. Transfers to the treasury of a network that was simulated, before the books became live, are in no block and
// do not count.
func (s *Store) TokenUsed(ctx context.Context, symbol, network string) (used bool, err error) {
	err = s.Q.NewRaw(`select exists (select from transfers where token = ?0 and network = ?1 and status <> 'dropped' and not (status = 'treasury' and height is null))
		or exists (select from payins where token = ?0 and network = ?1 and status = 'pending')
		or exists (select from payouts where token = ?0 and network = ?1 and wire_status = 'pending')`, symbol, network).Scan(ctx, &used)
	return used, one(err, "whether "+symbol+" on "+network+" is used")
}

// SaveToken writes the operator's rules for a token. It leaves the columns on which the ledger rests (asset, decimals,
// precision). The caller holds the row.
func (s *Store) SaveToken(ctx context.Context, t *pay.Token) error {
	_, err := s.Q.NewUpdate().Model(t).ExcludeColumn("symbol", "network", "balance_key", "decimals", "precision", "memo").WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("save token %s on %s: %w", t.Symbol, t.Network, err)
	}
	return nil
}

// AssetOf returns the ledger's asset of a token on a network; a token missing from the catalogue is its own asset.
func (s *Store) AssetOf(ctx context.Context, symbol, network string) (string, error) {
	var asset string
	err := s.Q.NewRaw("select coalesce((select balance_key from tokens where symbol = ?0 and network = ?1), ?0)", symbol, network).Scan(ctx, &asset)
	return asset, one(err, "asset of "+symbol)
}

// FiatForUpdate reads a fiat and keeps it from changing until the transaction ends.
func (s *Store) FiatForUpdate(ctx context.Context, code string) (*pay.Fiat, error) {
	f := new(pay.Fiat)
	err := s.Q.NewSelect().Model(f).Where("code = ?", code).For("update").Scan(ctx)
	return f, one(err, "fiat "+code)
}

// HasFiat reports whether a fiat of the catalogue has this code, in capital or small letters.
func (s *Store) HasFiat(ctx context.Context, code string) (found bool, err error) {
	err = s.Q.NewRaw("select exists (select from fiats where upper(code) = upper(?))", code).Scan(ctx, &found)
	return found, one(err, "whether "+code+" is a fiat")
}

// SaveFiat writes a fiat. The caller holds the row.
func (s *Store) SaveFiat(ctx context.Context, f *pay.Fiat) error {
	if _, err := s.Q.NewUpdate().Model(f).WherePK().Exec(ctx); err != nil {
		return fmt.Errorf("save fiat %s: %w", f.Code, err)
	}
	return nil
}

// Currency reports whether a symbol is a token's or a code a fiat's.
func (s *Store) Currency(ctx context.Context, name string) (bool, error) {
	var found bool
	err := s.Q.NewRaw("select exists (select from tokens where symbol = ?0) or exists (select from fiats where code = ?0)", name).Scan(ctx, &found)
	if err != nil {
		return false, fmt.Errorf("look up currency %s: %w", name, err)
	}
	return found, nil
}
