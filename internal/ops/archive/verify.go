package archive

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"causeway/internal/store"
)

// Verified is the result of a verification without a fault.
type Verified struct {
	From     string   `json:"from"`
	Until    string   `json:"until"`
	Files    int      `json:"files"`
	Rows     int64    `json:"rows"`
	Compared int64    `json:"compared"` // rows found in the books
	Gone     []string `json:"gone"`     // files without any row in the books
}

// Verify reads an archive again and compares it with its manifest. With a store each row is also compared with the books, unless they
// have none of its month. It returns the first difference as an error.
func (a *Archive) Verify(ctx context.Context, dir string) (*Verified, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	out := &Verified{From: m.From, Until: m.Until, Gone: []string{}}
	for i := range m.Files {
		f := &m.Files[i]
		if err := a.verifyFile(dir, f); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		out.Files++
		out.Rows += f.Rows
		if a.Store == nil {
			continue
		}
		compared, err := a.compare(ctx, dir, f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if out.Compared += compared; compared == 0 && f.Rows > 0 {
			out.Gone = append(out.Gone, f.Name)
		}
	}
	return out, nil
}

// readManifest reads a manifest. It names each file of each month once, and no other.
func readManifest(dir string) (*Manifest, error) {
	text, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if err != nil {
		return nil, fmt.Errorf("read the manifest, without which an archive is not whole: %w", err)
	}
	m := new(Manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	if m.Version != Version {
		return nil, fmt.Errorf("the manifest is of version %d, and %d is known here", m.Version, Version)
	}
	from, err := ParseMonth(m.From)
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	until, err := ParseMonth(m.Until)
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	n := 0
	for month := from; !month.After(until); month = month.AddDate(0, 1, 0) {
		for _, t := range store.Archives {
			want := t.Name + "-" + month.Format(monthForm) + ".csv.gz"
			if n >= len(m.Files) || m.Files[n].Name != want || m.Files[n].Table != t.Name || m.Files[n].Month != month.Format(monthForm) {
				return nil, fmt.Errorf("the manifest does not name %s in its place", want)
			}
			n++
		}
	}
	if n != len(m.Files) {
		return nil, fmt.Errorf("the manifest names %d files, and its months have %d", len(m.Files), n)
	}
	return m, nil
}

// verifyFile compares a file with the manifest.
func (a *Archive) verifyFile(dir string, f *File) error {
	sum := sha256.New()
	t := tableOf(f)
	c := newCount(t)
	err := read(filepath.Join(dir, f.Name), t, sum, func(row []string) error {
		a.tell("verifying "+f.Name, c.rows)
		return c.add(row)
	})
	if got := hex.EncodeToString(sum.Sum(nil)); got != f.SHA256 {
		return fmt.Errorf("its SHA-256 is %s, and the manifest says %s", got, f.SHA256)
	}
	if err == nil {
		err = c.same(f)
	}
	if err == nil {
		err = c.balanced()
	}
	return err
}

// compare compares each row of a file with the books, and returns how many there are. With zero the books have none of the month.
func (a *Archive) compare(ctx context.Context, dir string, f *File) (n int64, err error) {
	month, err := ParseMonth(f.Month)
	if err != nil {
		return 0, err
	}
	t := tableOf(f)
	archived, stop := iter.Pull2(lines(filepath.Join(dir, f.Name), t))
	defer stop()
	err = a.Store.Snapshot(ctx, func(tx *store.Store) error {
		return tx.ArchivedRows(ctx, t, month, month.AddDate(0, 1, 0), func(row []string) error {
			n++
			a.tell("comparing "+f.Name, n)
			line, err, more := archived()
			if err == nil && !more {
				err = fmt.Errorf("the books have row %s, and the archive has not", row[0])
			}
			if err != nil {
				return err
			}
			if !slices.EqualFunc(line, row, sameText) {
				return fmt.Errorf("row %s of the archive is not row %s of the books", line[0], row[0])
			}
			return nil
		})
	})
	if err != nil || n == 0 {
		return 0, err
	}
	line, err, more := archived()
	if err == nil && more {
		err = fmt.Errorf("the archive has row %s, and the books have not", line[0])
	}
	return n, err
}

// sameText compares a text of a file with one of the books: CSV keeps no carriage return before a line's end.
func sameText(archived, kept string) bool {
	return archived == strings.ReplaceAll(kept, "\r\n", "\n")
}

func tableOf(f *File) *store.Archived {
	return &store.Archives[slices.IndexFunc(store.Archives, func(t store.Archived) bool { return t.Name == f.Table })]
}

// read hands each row of a file to row, and all bytes of the file to raw.
func read(name string, t *store.Archived, raw io.Writer, row func([]string) error) error {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("open a file of the archive: %w", err)
	}
	defer func() { _ = file.Close() }()
	bytes := io.TeeReader(file, raw)
	err = rowsOf(bytes, t, row)
	_, rest := io.Copy(io.Discard, bytes)
	return errors.Join(err, rest)
}

func rowsOf(file io.Reader, t *store.Archived, row func([]string) error) error {
	zip, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("unpack it: %w", err)
	}
	in := csv.NewReader(zip)
	in.FieldsPerRecord, in.ReuseRecord = len(t.Columns), true
	names, err := in.Read()
	if err == nil && !slices.Equal(names, t.Columns) {
		err = errors.New("its columns are others")
	}
	for err == nil {
		var line []string
		if line, err = in.Read(); err == nil {
			err = row(line)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return fmt.Errorf("read it: %w", err)
}

// lines are the rows of a file, and the error at their end. A row is good until the next one.
func lines(name string, t *store.Archived) iter.Seq2[[]string, error] {
	enough := errors.New("no more is asked for")
	return func(yield func([]string, error) bool) {
		err := read(name, t, io.Discard, func(row []string) error {
			if !yield(row, nil) {
				return enough
			}
			return nil
		})
		if err != nil && !errors.Is(err, enough) {
			yield(nil, err)
		}
	}
}
