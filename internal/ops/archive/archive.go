// Package archive writes the closed months of the books to files, and verifies such files against their manifest and the books. It
// deletes nothing.
package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/store"
)

// Version is the version of the form of archives.
const Version = 1

// ManifestName is the file with the contents of an archive. It is written last: without it an archive is not whole.
const ManifestName = "manifest.json"

// monthForm is how a month is named, as in 2026-10. Months are those of UTC.
const monthForm = "2006-01"

// settles is how long after its end a month is closed: transactions begun before the end are long committed by then.
const settles = time.Hour

// Manifest is the contents of an archive.
type Manifest struct {
	Version int       `json:"version"`
	MadeAt  time.Time `json:"made_at"`
	From    string    `json:"from"` // the first month
	Until   string    `json:"until"`
	Files   []File    `json:"files"`
}

// File is one month of one table: CSV with a line of names, compressed with gzip.
type File struct {
	Name   string         `json:"name"`
	Table  string         `json:"table"`
	Month  string         `json:"month"`
	Rows   int64          `json:"rows"`
	First  string         `json:"first"` // the numbers of its first and last row; empty without rows
	Last   string         `json:"last"`
	SHA256 string         `json:"sha256"`         // of the file as it lies there
	Sums   map[string]Sum `json:"sums,omitempty"` // of postings, by asset
}

// Sum is an asset's postings: the amounts taken from accounts, and those given to accounts. Both are the same amount.
type Sum struct {
	Debit  decimal.Decimal `json:"debit"`
	Credit decimal.Decimal `json:"credit"`
}

// Archive writes and verifies archives. Told hears of long work.
type Archive struct {
	Store *store.Store
	Told  func(what string, done, total int)
}

// ParseMonth reads a month like 2026-10.
func ParseMonth(text string) (time.Time, error) {
	month, err := time.Parse(monthForm, text)
	if err != nil {
		return month, fmt.Errorf("%q is not a month like 2026-10", text)
	}
	return month, nil
}

func monthOf(at time.Time) time.Time {
	at = at.UTC()
	return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// Write writes closed months into an empty or a new directory, as the books are at one moment. Zero months are the first and
// the last closed one of the books. The replica may answer.
func (a *Archive) Write(ctx context.Context, dir string, from, until time.Time) (*Manifest, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory: %w", err)
	}
	there, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("look into the directory: %w", err)
	}
	if len(there) > 0 {
		return nil, fmt.Errorf("%s is not empty: an archive has a directory of its own", dir)
	}
	var m *Manifest
	err = a.Store.Reading(ctx, func(s *store.Store) error {
		return s.Snapshot(ctx, func(tx *store.Store) (err error) {
			m, err = a.write(ctx, tx, dir, from, until)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return m, writeManifest(dir, m)
}

func (a *Archive) write(ctx context.Context, tx *store.Store, dir string, from, until time.Time) (*Manifest, error) {
	now, err := tx.Now(ctx)
	if err != nil {
		return nil, err
	}
	if from, until, err = closed(ctx, tx, now, from, until); err != nil {
		return nil, err
	}
	m := &Manifest{Version: Version, MadeAt: now.UTC(), From: from.Format(monthForm), Until: until.Format(monthForm), Files: []File{}}
	for month := from; !month.After(until); month = month.AddDate(0, 1, 0) {
		for i := range store.Archives {
			f, err := a.writeFile(ctx, tx, dir, &store.Archives[i], month)
			if err != nil {
				return nil, err
			}
			m.Files = append(m.Files, *f)
		}
	}
	return m, nil
}

// closed returns the first and the last month of an archive.
func closed(ctx context.Context, tx *store.Store, now, from, until time.Time) (time.Time, time.Time, error) {
	last := monthOf(now.Add(-settles)).AddDate(0, -1, 0)
	if until.IsZero() {
		until = last
	}
	for i := range store.Archives {
		if !from.IsZero() {
			break
		}
		since, err := tx.ArchivedSince(ctx, &store.Archives[i])
		if err != nil {
			return from, until, err
		}
		if !since.IsZero() && (from.IsZero() || since.Before(from)) {
			from = monthOf(since)
		}
	}
	switch {
	case until.After(last):
		return from, until, fmt.Errorf("the month %s is not closed: %s is the last one that is", until.Format(monthForm), last.Format(monthForm))
	case from.IsZero() || from.After(until):
		return from, until, errors.New("there is no closed month to archive")
	}
	return from, until, nil
}

// writeManifest writes the manifest, once all files are on the disk.
func writeManifest(dir string, m *Manifest) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the manifest: %w", err)
	}
	f, err := create(filepath.Join(dir, ManifestName))
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// create makes a file for the operator alone, or empties the one of a first try.
func create(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make a file of the archive: %w", err)
	}
	return f, nil
}
