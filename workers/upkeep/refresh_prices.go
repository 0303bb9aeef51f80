package upkeep

import (
	"context"
	"errors"
	"sync"
	"time"

	"causeway/internal/batch/gather"
	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/store"
)

// PriceSource is where quotes come from: of tokens in USD and of USD in fiats, each with its time and the source's name.
type PriceSource interface {
	Name() string
	Quotes(ctx context.Context, want pricing.Want) ([]pay.Price, error)
}

// refreshPrices asks every source at once and decides on the prices in use. A failing source keeps its old quotes, but they soon do
// not count; a pair without an agreed quote keeps its price, unused once it is too old. Pins do not change. Without sources there is
// nothing to do: the fixed table of the sandbox never refreshes. It fails when every source does.
func (w *Worker) refreshPrices(ctx context.Context) error {
	if len(w.Prices) == 0 {
		return nil
	}
	catalogue, err := w.Store.Catalogue(ctx)
	if err != nil {
		return err
	}
	quotes, failed := w.askPrices(ctx, wanted(catalogue))
	if len(failed) == len(w.Prices) {
		return errors.Join(failed...)
	}
	for _, err := range failed {
		w.Log.WithError(err).Warn("a price source failed")
	}
	return w.decidePrices(ctx, quotes)
}

// wanted lists the tokens and fiats of the catalogue, for their prices.
func wanted(c *store.Catalogue) pricing.Want {
	var want pricing.Want
	for i := range c.Tokens {
		want.Tokens = append(want.Tokens, c.Tokens[i].Symbol)
	}
	for i := range c.Fiats {
		want.Fiats = append(want.Fiats, c.Fiats[i].Code)
	}
	return want
}

// askPrices returns the quotes of the sources, and the errors of the failed ones.
func (w *Worker) askPrices(ctx context.Context, want pricing.Want) (quotes []pay.Price, failed []error) {
	var (
		asked sync.WaitGroup
		mu    sync.Mutex
	)
	for _, source := range w.Prices {
		asked.Go(func() {
			var said []pay.Price
			err := gather.Recover(func() (err error) { said, err = source.Quotes(ctx, want); return err })
			mu.Lock()
			defer mu.Unlock()
			quotes = append(quotes, said...)
			if err != nil {
				failed = append(failed, err)
			}
		})
	}
	asked.Wait()
	return quotes, failed
}

// decidePrices keeps the quotes and takes the prices agreed on by them. With live sources the sandbox's fixed table is not used for
// anything.
func (w *Worker) decidePrices(ctx context.Context, quotes []pay.Price) error {
	var refused []pricing.Refusal
	names := make([]string, len(w.Prices))
	for i, source := range w.Prices {
		names[i] = source.Name()
	}
	err := w.Store.InTx(ctx, func(tx *store.Store) error {
		if _, err := tx.DropFixedPrices(ctx); err != nil {
			return err
		}
		used, err := tx.PricesForUpdate(ctx)
		if err != nil {
			return err
		}
		if err := tx.SaveQuotes(ctx, quotes); err != nil {
			return err
		}
		known, err := tx.Quotes(ctx, names)
		if err != nil {
			return err
		}
		var prices []pay.Price
		prices, refused = pricing.Decide(known, used, time.Now())
		return tx.SavePrices(ctx, prices)
	})
	if err != nil {
		return err
	}
	for _, r := range refused {
		log := w.Log.WithField("base", r.Base).WithField("quote", r.Quote)
		for _, q := range r.Quotes {
			log = log.WithField(q.Source, q.Price.String())
		}
		log.Warn("no new price: " + r.Reason)
	}
	return nil
}
