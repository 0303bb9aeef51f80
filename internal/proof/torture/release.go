package main

import (
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"causeway/migrations"
)

// released is where databases of released versions are kept.
const released = "migrations/testdata/released"

//go:embed rows.sql
var aRowEach string

// keepReleased keeps this database as that of a version: its steps with their hashes, and all its rows as SQL. The storm is over, and the roles
// have ended.
func (t *torture) keepReleased(ctx context.Context, version string) error {
	if err := t.fillOthers(ctx); err != nil {
		return err
	}
	var steps strings.Builder
	for _, name := range slices.Sorted(maps.Keys(migrations.Hashes())) {
		fmt.Fprintln(&steps, name, migrations.Hashes()[name])
	}
	if err := os.MkdirAll(released, 0o750); err != nil {
		return err
	}
	err := os.WriteFile(filepath.Join(released, version+".steps"), []byte(steps.String()), 0o600)
	return errors.Join(err, t.dump(ctx, filepath.Join(released, version+".sql.gz")))
}

// fillOthers puts a row into each table that the storm has left empty. Such rows need not fit together.
func (t *torture) fillOthers(ctx context.Context) error {
	conn, err := t.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	_, err = conn.Conn.ExecContext(ctx, aRowEach)
	return err
}

// ofPsql are lines of a dump that are no SQL.
var ofPsql = regexp.MustCompile(`(?m)^\\.*\n`)

// dump writes all of the database, without owners and rights, which a migration gives.
func (t *torture) dump(ctx context.Context, file string) (err error) {
	cmd := exec.CommandContext(ctx, "pg_dump", "--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=500", t.stack.DatabaseURL) //nolint:gosec // the address of our own server
	cmd.Stderr = os.Stderr
	content, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("pg_dump: %w", err)
	}
	out, err := os.Create(filepath.Clean(file))
	if err != nil {
		return err
	}
	packed := gzip.NewWriter(out)
	_, err = packed.Write(ofPsql.ReplaceAll(content, nil))
	return errors.Join(err, packed.Close(), out.Close())
}
