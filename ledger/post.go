package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"

	"causeway/internal/pg"
)

// ErrReferenceTaken says that an entry with this reference exists already, with other postings.
var ErrReferenceTaken = errors.New("another entry has this reference")

// Post writes entries and moves the merchants' balances, in one call to the database. An entry whose reference is there
// already is left as it is; the same reference with other postings is ErrReferenceTaken. It returns how many were new.
func Post(ctx context.Context, tx bun.IDB, entries ...Entry) (int, error) {
	if len(entries) == 0 {
		return 0, nil
	}
	var c columns
	for i := range entries {
		if err := entries[i].check(); err != nil {
			return 0, err
		}
		c.add(&entries[i])
	}
	var fresh int
	if err := c.row(ctx, tx).Scan(&fresh); err != nil {
		return 0, fmt.Errorf("post %s: %w", entries[0].Reference, taken(err))
	}
	return fresh, nil
}

// taken adds ErrReferenceTaken to the database's error of that meaning (migrations/0005_ledger.tx.up.sql, post).
func taken(err error) error {
	const integrityConstraintViolation = "23000"
	var raised *pgconn.PgError
	if errors.As(err, &raised) && raised.Code == integrityConstraintViolation {
		return fmt.Errorf("%w: %w", ErrReferenceTaken, err)
	}
	return err
}

// columns are the arguments of post as lists, in the types written fastest by the driver.
type columns struct {
	subjects                                       [][16]byte // of the entries, as are the next four
	kinds                                          []string
	turns                                          []int32
	digests                                        [][]byte
	panels                                         []bool
	entries, places                                []int32 // of the postings, as are the lists below
	from, to, assets, amounts, movements, networks []string
	types                                          []string // of all movements of an entry, at its first posting; '' at the others
	abouts                                         [][16]byte
}

func (c *columns) add(e *Entry) {
	c.subjects, c.kinds, c.digests = append(c.subjects, e.Subject), append(c.kinds, e.Kind), append(c.digests, e.Digest)
	c.turns = append(c.turns, int32(e.Turn)) //nolint:gosec // one for each reorganisation that undid a credit
	c.panels = append(c.panels, e.Panel)
	for i := range e.Postings {
		p := &e.Postings[i]
		c.entries = append(c.entries, int32(len(c.subjects))) //nolint:gosec // of one call
		c.places = append(c.places, int32(i+1))
		c.from, c.to, c.assets = append(c.from, p.From), append(c.to, p.To), append(c.assets, p.Asset)
		c.amounts, c.movements = append(c.amounts, p.Amount.String()), append(c.movements, string(p.Movement))
		c.abouts, c.networks = append(c.abouts, p.Subject), append(c.networks, p.Network)
		c.types = append(c.types, "")
	}
	if len(e.Postings) > 0 {
		c.types[len(c.types)-len(e.Postings)] = e.types()
	}
}

// row calls post by a prepared statement.
func (c *columns) row(ctx context.Context, db bun.IDB) *sql.Row {
	const query = `select post($1, $2::text[]::entry_kind[], $3, $4, $5, $6, $7, $8, $9, $10::text[]::numeric[], $11, $12, $13, $14, $15)`
	return pg.Row(ctx, db, query, c.subjects, c.kinds, c.turns, c.digests, c.entries, c.places,
		c.from, c.to, c.assets, c.amounts, c.movements, c.abouts, c.networks, c.types, c.panels)
}
