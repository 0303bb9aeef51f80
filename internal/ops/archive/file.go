package archive

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/store"
)

// writeFile writes one month of a table.
func (a *Archive) writeFile(ctx context.Context, tx *store.Store, dir string, t *store.Archived, month time.Time) (*File, error) {
	out := &File{Table: t.Name, Month: month.Format(monthForm)}
	out.Name = t.Name + "-" + out.Month + ".csv.gz"
	f, err := create(filepath.Join(dir, out.Name))
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	zip := gzip.NewWriter(io.MultiWriter(f, sum))
	lines, count := csv.NewWriter(zip), newCount(t)
	err = lines.Write(t.Columns)
	if err == nil {
		err = tx.ArchivedRows(ctx, t, month, month.AddDate(0, 1, 0), func(row []string) error {
			a.tell("archiving "+out.Name, count.rows)
			return errors.Join(count.add(row), lines.Write(row))
		})
	}
	lines.Flush()
	if err = errors.Join(err, lines.Error(), zip.Close(), f.Sync(), f.Close()); err != nil {
		return nil, fmt.Errorf("archive %s: %w", out.Name, err)
	}
	count.tell(out)
	out.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return out, count.balanced()
}

func (a *Archive) tell(what string, rows int64) {
	const often = 10_000
	if a.Told != nil && rows%often == 0 {
		a.Told(what, int(rows), 0)
	}
}

// count adds up a file's rows for the manifest.
type count struct {
	rows        int64
	first, last string
	sums        map[string]Sum
	from, to    int // places of the accounts, the asset and the amount; -1 for a table without any
	asset, much int
}

func newCount(t *store.Archived) *count {
	c := &count{from: slices.Index(t.Columns, "from_account"), to: slices.Index(t.Columns, "to_account"),
		asset: slices.Index(t.Columns, "asset"), much: slices.Index(t.Columns, "amount")}
	if c.from >= 0 {
		c.sums = map[string]Sum{}
	}
	return c
}

func (c *count) add(row []string) error {
	if c.rows++; c.rows == 1 {
		c.first = row[0]
	}
	c.last = row[0]
	if c.sums == nil {
		return nil
	}
	amount, err := decimal.NewFromString(row[c.much])
	if err != nil {
		return fmt.Errorf("the amount of row %s: %w", row[0], err)
	}
	sum := c.sums[row[c.asset]]
	if row[c.from] != "" {
		sum.Debit = sum.Debit.Add(amount)
	}
	if row[c.to] != "" {
		sum.Credit = sum.Credit.Add(amount)
	}
	c.sums[row[c.asset]] = sum
	return nil
}

func (c *count) tell(f *File) { f.Rows, f.First, f.Last, f.Sums = c.rows, c.first, c.last, c.sums }

// balanced refuses a posting from or to no account.
func (c *count) balanced() error {
	for asset, sum := range c.sums {
		if !sum.Debit.Equal(sum.Credit) {
			return fmt.Errorf("%s does not balance: the debit is %s and the credit %s", asset, sum.Debit, sum.Credit)
		}
	}
	return nil
}

// same names the first difference from a manifest.
func (c *count) same(f *File) error {
	if c.rows != f.Rows || c.first != f.First || c.last != f.Last {
		return fmt.Errorf("it has %d rows from %q to %q, and the manifest says %d from %q to %q", c.rows, c.first, c.last, f.Rows, f.First, f.Last)
	}
	if len(c.sums) != len(f.Sums) {
		return fmt.Errorf("it has %d assets, and the manifest says %d", len(c.sums), len(f.Sums))
	}
	for asset, sum := range c.sums {
		if want := f.Sums[asset]; !sum.Debit.Equal(want.Debit) || !sum.Credit.Equal(want.Credit) {
			return fmt.Errorf("the postings of %s are %s and %s, and the manifest says %s and %s", asset, sum.Debit, sum.Credit, want.Debit, want.Credit)
		}
	}
	return nil
}
