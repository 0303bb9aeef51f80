package api

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// quotesMadeFor is how long a catalogue's book is used before quotes are judged by their age again.
const quotesMadeFor = time.Minute

// errCatalogue means tokens or fiats could not be read; nothing was processed (api-v1 §System errors).
var errCatalogue = pay.E(pay.Internal, "error_fetching_active_currencies", "The currencies could not be loaded. Nothing was processed.")

// CatalogueSource reads the catalogue. store.Store implements it.
type CatalogueSource interface {
	Catalogue(ctx context.Context) (*store.Catalogue, error)
}

// Catalogues keeps the newest catalogue in the process. It is read again when a request's authentication saw a newer
// revision, so a change by the operator holds for the next request.
type Catalogues struct {
	source CatalogueSource
	now    func() time.Time
	newest atomic.Pointer[Catalogue]
	making sync.Mutex
}

// NewCatalogues makes an empty cache over a source; now is time.Now when nil.
func NewCatalogues(source CatalogueSource, now func() time.Time) *Catalogues {
	if now == nil {
		now = time.Now
	}
	return &Catalogues{source: source, now: now}
}

// For returns the catalogue for a call. Its error is the contract's error_fetching_active_currencies.
func (s *Catalogues) For(c *Call) (*Catalogue, error) {
	return s.Since(c.Context(), c.Caller.Catalogue)
}

// Since returns a catalogue of at least this revision.
func (s *Catalogues) Since(ctx context.Context, version int64) (*Catalogue, error) {
	if c := s.newest.Load(); s.usable(c, version) {
		return c, nil
	}
	s.making.Lock()
	defer s.making.Unlock()
	c := s.newest.Load()
	switch {
	case s.usable(c, version):
		return c, nil
	case c != nil && c.Version == version: // and not where the database has fallen back behind it
		c = c.at(s.now())
	default:
		read, err := s.source.Catalogue(ctx)
		if err != nil {
			return nil, errCatalogue.Because(err)
		}
		c = newCatalogue(read, s.now())
	}
	s.newest.Store(c)
	return c, nil
}

func (s *Catalogues) usable(c *Catalogue, version int64) bool {
	return c != nil && c.Version >= version && s.now().Sub(c.madeAt) < quotesMadeFor
}
