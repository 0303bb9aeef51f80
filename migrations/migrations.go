// Package migrations holds the schema as embedded SQL and moves a database forward
// and back through it.
//
// Every file NNNN_name.tx.up.sql, with its NNNN_name.tx.down.sql, runs in one
// transaction together with the row of its record: a step has happened and is
// recorded, or neither. The SQL goes to the server as it is written, with no
// placeholder of any kind; a file is one multi-statement query unless a line
// "--bun:split" divides it.
package migrations

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"
)

//go:embed *.sql
var files embed.FS

// Applied is one step of the schema and when it was taken.
type Applied struct {
	Name string     `json:"name"`
	At   *time.Time `json:"applied_at"` // nil: still to be applied
}

// Teller is told the act under way, and how much of how much of it is done; of
// nothing when the total is unknown.
type Teller func(what string, done, total int)

// Up is UpFor with the roles of DefaultPrefix.
func Up(ctx context.Context, db *bun.DB, tellers ...Teller) error {
	return UpFor(ctx, db, Roles{Prefix: DefaultPrefix}, tellers...)
}

// UpFor applies every step missing in the database, as one group, and gives the
// database roles their rights. Processes calling it at once wait for each other.
// The pool needs two connections. Tellers hear of each step before it is taken.
func UpFor(ctx context.Context, db *bun.DB, roles Roles, tellers ...Teller) error {
	if err := CheckPrefix(roles.Prefix); err != nil {
		return err
	}
	return locked(ctx, db, recordApplied, tellers, func(m *migrate.Migrator) error {
		if _, err := m.Migrate(ctx); err != nil {
			return fmt.Errorf("migrate up: %w", err)
		}
		if err := makeRoles(ctx, db, roles.Prefix); err != nil {
			return err
		}
		if err := grantAll(ctx, db, roles.Prefix); err != nil {
			return err
		}
		return letIn(ctx, db, roles)
	})
}

// Down takes back the last group of steps, with the data in the tables they made;
// it does nothing to a database without any.
func Down(ctx context.Context, db *bun.DB, tellers ...Teller) error {
	return locked(ctx, db, recordTakenBack, tellers, func(m *migrate.Migrator) error {
		if _, err := m.Rollback(ctx); err != nil {
			return fmt.Errorf("migrate down: %w", err)
		}
		return nil
	})
}

// Status lists the steps of this binary in order; a database never migrated has
// none of them applied.
func Status(ctx context.Context, db *bun.DB) ([]Applied, error) {
	steps, err := steps()
	if err != nil {
		return nil, err
	}
	applied, err := appliedAt(ctx, db)
	if err != nil {
		return nil, err
	}
	var list []Applied
	for _, step := range steps.Sorted() {
		entry := Applied{Name: step.String()}
		if at, ok := applied[step.Name]; ok {
			entry.At = &at
		}
		list = append(list, entry)
	}
	return list, nil
}

// Ready is nil when the database has every step known to this binary, by one small
// query. A newer schema is ready too: old processes go on serving while a new
// version is rolled out.
func Ready(ctx context.Context, db *bun.DB) error {
	list, err := Status(ctx, db)
	if err != nil {
		return err
	}
	for _, step := range list {
		if step.At == nil {
			return fmt.Errorf("schema lacks migration %s", step.Name)
		}
	}
	return nil
}

// Hashes identifies the SQL of each step, by the step's name as Status has it, for the keeper of a database possibly
// built by other steps of these names.
func Hashes() map[string]string {
	const ending = ".tx.up.sql"
	all := map[string]string{}
	names, _ := fs.Glob(files, "*"+ending)
	for _, name := range names {
		content, _ := files.ReadFile(name)
		sum := sha256.Sum256(content)
		all[strings.TrimSuffix(name, ending)] = hex.EncodeToString(sum[:8])
	}
	return all
}

// Hash identifies the SQL of all steps and the rights of all roles, for whoever keeps a database built by them.
func Hash() string {
	sum := sha256.New()
	names, _ := fs.Glob(files, "*.sql") // sorted
	for _, name := range names {
		content, _ := files.ReadFile(name)
		fmt.Fprintf(sum, "%s %d\n%s", name, len(content), content)
	}
	fmt.Fprint(sum, grants(DefaultPrefix))
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
