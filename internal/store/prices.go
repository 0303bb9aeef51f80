package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// PriceForUpdate reads a stored quote and locks it; nil when there is none.
func (s *Store) PriceForUpdate(ctx context.Context, base, quote string) (*pay.Price, error) {
	p := new(pay.Price)
	err := one(s.Q.NewSelect().Model(p).Where("base = ? and quote = ?", base, quote).For("update").Scan(ctx), "price")
	if errors.Is(err, pay.ErrNotFound) {
		return nil, nil
	}
	return p, err
}

// PinPrice writes the operator's quote; no source changes it. A price of the sandbox's fixed table is kept under it.
func (s *Store) PinPrice(ctx context.Context, p *pay.Price) error {
	p.Source, p.Pinned = "operator", true
	err := s.Q.NewRaw(`insert into prices (base, quote, price, source, pinned) values (?, ?, ?, ?, true)
		on conflict (base, quote) do update set price = excluded.price, source = excluded.source, pinned = true, updated_at = now(),
			fixed = case when prices.source = 'fixed' and not prices.pinned then prices.price else prices.fixed end
		returning updated_at`, p.Base, p.Quote, p.Price, p.Source).Scan(ctx, &p.UpdatedAt)
	return one(err, "price")
}

// ClearPrice ends a pin over a price of the sandbox's fixed table, and the fixed price holds again: no source would bring another one.
// Any other quote is removed.
func (s *Store) ClearPrice(ctx context.Context, p *pay.Price) error {
	res, err := s.Q.NewRaw(`update prices set price = fixed, source = 'fixed', pinned = false, fixed = null, updated_at = now()
		where base = ? and quote = ? and pinned and fixed is not null`, p.Base, p.Quote).Exec(ctx)
	if restored, err := changed(res, err, "clear price of "+p.Base); restored || err != nil {
		return err
	}
	if _, err := s.Q.NewRaw("delete from prices where base = ? and quote = ?", p.Base, p.Quote).Exec(ctx); err != nil {
		return fmt.Errorf("clear price of %s: %w", p.Base, err)
	}
	return nil
}

// PricesForUpdate reads the prices in use and keeps them from changing until the transaction ends.
func (s *Store) PricesForUpdate(ctx context.Context) ([]pay.Price, error) {
	var out []pay.Price
	if err := s.Q.NewSelect().Model(&out).Order("base", "quote").For("update").Scan(ctx); err != nil {
		return nil, fmt.Errorf("read prices: %w", err)
	}
	return out, nil
}

// SavePrices writes prices over those in use, but never over a pinned one.
func (s *Store) SavePrices(ctx context.Context, prices []pay.Price) error {
	if len(prices) == 0 {
		return nil
	}
	_, err := s.Q.NewInsert().Model(&prices).Column("base", "quote", "price", "source", "updated_at").On("conflict (base, quote) do update").
		Set("price = excluded.price, source = excluded.source, updated_at = excluded.updated_at").Where("not ?TableAlias.pinned").Exec(ctx)
	if err != nil {
		return fmt.Errorf("save prices: %w", err)
	}
	return nil
}

// HasFixedPrices reports whether the sandbox's own table of prices is used for anything; pins are not of it.
func (s *Store) HasFixedPrices(ctx context.Context) (yes bool, err error) {
	if err := s.Q.NewRaw("select exists (select from prices where source = 'fixed' and not pinned)").Scan(ctx, &yes); err != nil {
		return false, fmt.Errorf("look for fixed prices: %w", err)
	}
	return yes, nil
}

// DropFixedPrices removes the sandbox's own table of prices, and returns how many there were; pins stay, and
// no longer have a fixed price under them. Until the transaction ends it has the turn of those that refresh prices: they lock many
// rows, and make others in an order of their own.
func (s *Store) DropFixedPrices(ctx context.Context) (dropped int64, err error) {
	if _, err := s.Q.NewRaw("select pg_advisory_xact_lock(hashtextextended('prices', 0))").Exec(ctx); err != nil {
		return 0, fmt.Errorf("take the turn of prices: %w", err)
	}
	if err := s.Q.NewRaw("select drop_fixed_prices()").Scan(ctx, &dropped); err != nil {
		return 0, fmt.Errorf("drop the fixed prices: %w", err)
	}
	return dropped, nil
}

// quoteRow is the last quote of one pair by one source.
type quoteRow struct {
	bun.BaseModel `bun:"table:price_quotes"`
	Source        string `bun:",pk"`
	Base          string `bun:",pk"`
	Quote         string `bun:",pk"`
	Price         decimal.Decimal
	At            time.Time
}

// SaveQuotes keeps quotes in place of earlier ones of the same source and pair. A quote is named by its Source and is
// of its UpdatedAt; nothing is priced by it before SavePrices. A newer quote stays, unless it is of the future by more
// than clocks differ: it would keep every later quote of the source from being used until then.
func (s *Store) SaveQuotes(ctx context.Context, quotes []pay.Price) error {
	if len(quotes) == 0 {
		return nil
	}
	rows := make([]quoteRow, len(quotes))
	for i, q := range quotes {
		rows[i] = quoteRow{Source: q.Source, Base: q.Base, Quote: q.Quote, Price: q.Price, At: q.UpdatedAt}
	}
	_, err := s.Q.NewInsert().Model(&rows).On("conflict (source, base, quote) do update").
		Set("price = excluded.price, at = excluded.at").
		Where("?TableAlias.at <= excluded.at or ?TableAlias.at > now() + interval '1 minute'").Exec(ctx)
	if err != nil {
		return fmt.Errorf("save quotes: %w", err)
	}
	return nil
}

// Quotes reads the last quotes of these sources, in the form taken by SaveQuotes, by pair and then source; nil is all
// sources.
func (s *Store) Quotes(ctx context.Context, sources []string) ([]pay.Price, error) {
	var rows []quoteRow
	q := s.Q.NewSelect().Model(&rows).Order("base", "quote", "source")
	if sources != nil {
		q = q.Where("source = any(?)", pg.Array(sources))
	}
	if err := q.Scan(ctx); err != nil {
		return nil, fmt.Errorf("read quotes: %w", err)
	}
	out := make([]pay.Price, len(rows))
	for i, r := range rows {
		out[i] = pay.Price{Base: r.Base, Quote: r.Quote, Price: r.Price, Source: r.Source, UpdatedAt: r.At}
	}
	return out, nil
}
