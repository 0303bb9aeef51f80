package admin

import (
	"context"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/store"
)

// priceScale is how many decimals a price keeps.
const priceScale = 18

// Fiat is a fiat currency as the operator sees it.
type Fiat struct {
	Code     string `json:"code"`
	Name     string `json:"name"`
	Symbol   string `json:"symbol"`
	Accepted bool   `json:"accepted"`
}

// SetFiat changes a fiat currency.
func (a *Admin) SetFiat(ctx context.Context, code string, fields Fields) (*Fiat, error) {
	code = strings.ToUpper(code)
	var view Fiat
	err := a.Change(ctx, "fiat.set", "fiat:"+code, func(tx *store.Store) (before, after any, err error) {
		f, err := tx.FiatForUpdate(ctx, code)
		if err != nil {
			return nil, nil, named(err, "fiat %q in the catalogue", code)
		}
		before = Fiat(*f)
		if err := fields.apply(setters{"accepted": setSwitch(&f.Accepted)}); err != nil {
			return nil, nil, err
		}
		view = Fiat(*f)
		return before, view, tx.SaveFiat(ctx, f)
	})
	return &view, err
}

// Price is a stored quote as the operator sees it: one Base is worth Price Quote.
type Price struct {
	Base      string          `json:"base"`
	Quote     string          `json:"quote"`
	Price     decimal.Decimal `json:"price"`
	Source    string          `json:"source"`
	Pinned    bool            `json:"pinned"`
	UpdatedAt time.Time       `json:"updated_at"`
}

// SetPrice pins the worth of one base in quote: no source changes it.
func (a *Admin) SetPrice(ctx context.Context, base, quote, price string) (*Price, error) {
	value, err := number(price, priceScale)
	if err == nil && value.IsZero() {
		err = refuse("a price must be above zero: clear it instead")
	}
	if err == nil && base == quote {
		err = refuse("%s is always worth 1 %s", base, quote)
	}
	if err != nil {
		return nil, err
	}
	var view Price
	err = a.Change(ctx, "price.set", "price:"+base+"/"+quote, func(tx *store.Store) (before, after any, err error) {
		for _, currency := range []string{base, quote} {
			if err := isCurrency(ctx, tx, currency); err != nil {
				return nil, nil, err
			}
		}
		was, err := tx.PriceForUpdate(ctx, base, quote)
		if err != nil {
			return nil, nil, err
		}
		if was != nil {
			before = Price(*was)
		}
		p := &pay.Price{Base: base, Quote: quote, Price: value}
		err = tx.PinPrice(ctx, p)
		view = Price(*p)
		return before, view, err
	})
	return &view, err
}

// ClearPrice removes a quote, and returns it. In a simulated installation the fixed price under a pin holds again.
func (a *Admin) ClearPrice(ctx context.Context, base, quote string) (*Price, error) {
	var view Price
	err := a.Change(ctx, "price.clear", "price:"+base+"/"+quote, func(tx *store.Store) (before, after any, err error) {
		was, err := tx.PriceForUpdate(ctx, base, quote)
		if err != nil {
			return nil, nil, err
		}
		if was == nil {
			return nil, nil, refuse("there is no price of %s in %s", base, quote)
		}
		if !was.Pinned && was.Source == pricing.Fixed {
			return nil, nil, refuse("there is no price to clear: that of %s in %s is the fixed one of simulated networks", base, quote)
		}
		view = Price(*was)
		if err := tx.ClearPrice(ctx, was); err != nil {
			return nil, nil, err
		}
		restored, err := tx.PriceForUpdate(ctx, base, quote)
		if err != nil || restored == nil {
			return view, nil, err
		}
		return view, Price(*restored), nil
	})
	return &view, err
}
