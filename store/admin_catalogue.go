package store

import (
	"context"
	"errors"
	"fmt"

	"causeway/pay"
)

// Tokens lists every token, active or not.
func (s *Store) Tokens(ctx context.Context) ([]pay.Token, error) {
	var out []pay.Token
	if err := s.Q.NewSelect().Model(&out).Order("symbol", "network").Scan(ctx); err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	return out, nil
}

// TokenForUpdate reads a token and keeps it from changing until the transaction ends.
func (s *Store) TokenForUpdate(ctx context.Context, symbol, network string) (*pay.Token, error) {
	t := new(pay.Token)
	err := s.Q.NewSelect().Model(t).Where("symbol = ? and network = ?", symbol, network).For("update").Scan(ctx)
	return t, one(err, "token "+symbol+" on "+network)
}

// SaveToken writes the operator's rules for a token; what the ledger rests on (asset, decimals, precision) stays. The
// caller holds the row.
func (s *Store) SaveToken(ctx context.Context, t *pay.Token) error {
	_, err := s.Q.NewUpdate().Model(t).ExcludeColumn("symbol", "network", "balance_key", "decimals", "precision", "memo").WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("save token %s on %s: %w", t.Symbol, t.Network, err)
	}
	return nil
}

// FiatForUpdate reads a fiat and keeps it from changing until the transaction ends.
func (s *Store) FiatForUpdate(ctx context.Context, code string) (*pay.Fiat, error) {
	f := new(pay.Fiat)
	err := s.Q.NewSelect().Model(f).Where("code = ?", code).For("update").Scan(ctx)
	return f, one(err, "fiat "+code)
}

// SaveFiat writes a fiat. The caller holds the row.
func (s *Store) SaveFiat(ctx context.Context, f *pay.Fiat) error {
	if _, err := s.Q.NewUpdate().Model(f).WherePK().Exec(ctx); err != nil {
		return fmt.Errorf("save fiat %s: %w", f.Code, err)
	}
	return nil
}

// Currency tells whether a symbol is a token's or a code a fiat's.
func (s *Store) Currency(ctx context.Context, name string) (bool, error) {
	var found bool
	err := s.Q.NewRaw("select exists (select from tokens where symbol = ?0) or exists (select from fiats where code = ?0)", name).Scan(ctx, &found)
	if err != nil {
		return false, fmt.Errorf("look up currency %s: %w", name, err)
	}
	return found, nil
}

// Price reads a stored quote, nil when there is none.
func (s *Store) Price(ctx context.Context, base, quote string) (*pay.Price, error) {
	p := new(pay.Price)
	err := one(s.Q.NewSelect().Model(p).Where("base = ? and quote = ?", base, quote).For("update").Scan(ctx), "price")
	if errors.Is(err, pay.ErrNotFound) {
		return nil, nil
	}
	return p, err
}

// PinPrice writes the operator's quote, which no source changes.
func (s *Store) PinPrice(ctx context.Context, p *pay.Price) error {
	p.Source, p.Pinned = "operator", true
	err := s.Q.NewRaw(`insert into prices (base, quote, price, source, pinned) values (?, ?, ?, ?, true)
		on conflict (base, quote) do update set price = excluded.price, source = excluded.source, pinned = true, updated_at = now()
		returning updated_at`, p.Base, p.Quote, p.Price, p.Source).Scan(ctx, &p.UpdatedAt)
	return one(err, "price")
}

// ClearPrice removes a quote.
func (s *Store) ClearPrice(ctx context.Context, p *pay.Price) error {
	if _, err := s.Q.NewRaw("delete from prices where base = ? and quote = ?", p.Base, p.Quote).Exec(ctx); err != nil {
		return fmt.Errorf("clear price of %s: %w", p.Base, err)
	}
	return nil
}
