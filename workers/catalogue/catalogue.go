// Package catalogue keeps the tokens and prices of the books, and has the connectors watch these tokens.
package catalogue

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/store"
	"causeway/ledger"
)

// Catalogue keeps tokens and prices, read again when their revision has changed.
type Catalogue struct {
	mu      sync.Mutex
	version int64
	at      time.Time
	known   *Table
}

// Table is the catalogue at one revision.
type Table struct {
	Tokens map[[2]string]*pay.Token // symbol, network
	Fiats  []pay.Fiat
	Rates  *pricing.Rates
}

// On returns the tokens of a network, by their symbols: a failing node is asked in the same order each time, and fails alike.
func (t *Table) On(network string) []*pay.Token {
	var out []*pay.Token
	for pair, token := range t.Tokens {
		if pair[1] == network {
			out = append(out, token)
		}
	}
	slices.SortFunc(out, func(a, b *pay.Token) int { return strings.Compare(a.Symbol, b.Symbol) })
	return out
}

// Now returns the present catalogue. Prices age, so it is read at least once a minute.
func (c *Catalogue) Now(ctx context.Context, s *store.Store) (*Table, error) {
	version, err := s.CatalogueVersion(ctx)
	if err != nil {
		return nil, err
	}
	if known := c.of(version); known != nil {
		return known, nil
	}
	rows, err := s.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	t := &Table{Tokens: make(map[[2]string]*pay.Token, len(rows.Tokens)), Fiats: rows.Fiats, Rates: pricing.NewRates(rows.Prices, time.Now())}
	for i := range rows.Tokens {
		t.Tokens[[2]string{rows.Tokens[i].Symbol, rows.Tokens[i].Network}] = &rows.Tokens[i]
	}
	c.keep(rows.Version, t)
	return t, nil
}

// of returns the table kept for a revision, or nil. The lock is never held while reading the database: the reader may wait for a
// connection whose holder waits for the lock.
func (c *Catalogue) of(version int64) *Table {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != version || time.Since(c.at) >= time.Minute {
		return nil
	}
	return c.known
}

func (c *Catalogue) keep(version int64, t *Table) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version, c.at, c.known = version, time.Now(), t
}

// Token returns a token on a network, or nil.
func (t *Table) Token(symbol, network string) *pay.Token {
	return t.Tokens[[2]string{symbol, network}]
}

// Precision returns how many decimals the ledger has of a token; the most it can have of one not in the catalogue any more.
func (t *Table) Precision(symbol, network string) int {
	if token := t.Token(symbol, network); token != nil {
		return token.Precision
	}
	return ledger.Precision
}

// Asset returns the ledger's asset of a token; a token not in the catalogue any more is its own asset.
func (t *Table) Asset(symbol, network string) string {
	if token := t.Token(symbol, network); token != nil {
		return token.BalanceKey
	}
	return symbol
}
