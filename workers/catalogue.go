package workers

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

// catalogue keeps tokens and prices, read again when their revision has changed.
type catalogue struct {
	mu      sync.Mutex
	version int64
	at      time.Time
	known   *tokenTable
}

// tokenTable is the catalogue at one revision.
type tokenTable struct {
	tokens map[[2]string]*pay.Token // symbol, network
	fiats  []pay.Fiat
	rates  *pricing.Rates
}

// on returns the tokens of a network, by their symbols: a node that fails is asked in the same order each time, and fails alike.
func (t *tokenTable) on(network string) []*pay.Token {
	var out []*pay.Token
	for pair, token := range t.tokens {
		if pair[1] == network {
			out = append(out, token)
		}
	}
	slices.SortFunc(out, func(a, b *pay.Token) int { return strings.Compare(a.Symbol, b.Symbol) })
	return out
}

// now returns the present catalogue. Prices age, so it is read at least once a minute.
func (c *catalogue) now(ctx context.Context, s *store.Store) (*tokenTable, error) {
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
	t := &tokenTable{tokens: make(map[[2]string]*pay.Token, len(rows.Tokens)), fiats: rows.Fiats, rates: pricing.NewRates(rows.Prices, time.Now())}
	for i := range rows.Tokens {
		t.tokens[[2]string{rows.Tokens[i].Symbol, rows.Tokens[i].Network}] = &rows.Tokens[i]
	}
	c.keep(rows.Version, t)
	return t, nil
}

// of returns what is kept of a revision, or nil. Nobody reads the database under the lock: he may have to wait for a connection that
// somebody holds who waits for the lock.
func (c *catalogue) of(version int64) *tokenTable {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != version || time.Since(c.at) >= time.Minute {
		return nil
	}
	return c.known
}

func (c *catalogue) keep(version int64, t *tokenTable) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version, c.at, c.known = version, time.Now(), t
}

// token returns a token on a network, or nil.
func (t *tokenTable) token(symbol, network string) *pay.Token {
	return t.tokens[[2]string{symbol, network}]
}

// precision returns how many decimals the ledger has of a token; of one that left the catalogue, all that it can have.
func (t *tokenTable) precision(symbol, network string) int {
	if token := t.token(symbol, network); token != nil {
		return token.Precision
	}
	return ledger.Precision
}

// asset returns the ledger's asset of a token; a token that left the catalogue is its own asset.
func (t *tokenTable) asset(symbol, network string) string {
	if token := t.token(symbol, network); token != nil {
		return token.BalanceKey
	}
	return symbol
}
