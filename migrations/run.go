package migrations

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"

	"causeway/internal/pg"
)

// lockKey is the advisory lock held by one process while it changes a schema.
const lockKey = 0x6361757365776179 // "causeway"

// undefinedTable is PostgreSQL's code for a missing relation.
const undefinedTable = "42P01"

// steps are the embedded migrations, read once.
var steps = sync.OnceValues(func() (*migrate.Migrations, error) {
	found := migrate.NewMigrations()
	if err := found.Discover(files); err != nil {
		return nil, fmt.Errorf("embedded migrations: %w", err)
	}
	return found, nil
})

// locked runs change while this process alone may change the schema. record runs
// in the transaction of every step, and tellers hear of it before.
func locked(ctx context.Context, db *bun.DB, record migrate.MigrationHook, tellers []Teller, change func(*migrate.Migrator) error) error {
	steps, err := steps()
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("lock the schema: %w", err)
	}
	defer conn.Close()
	if err := pg.NoPooler(conn.Conn); err != nil {
		return fmt.Errorf("lock the schema: %w", err)
	}
	if _, err := conn.ExecContext(ctx, "select pg_advisory_lock(?)", lockKey); err != nil {
		return fmt.Errorf("lock the schema: %w", err)
	}
	defer func() {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "select pg_advisory_unlock(?)", lockKey)
	}()
	if err := requireByteOrder(ctx, conn); err != nil {
		return err
	}
	taken, all := 0, len(steps.Sorted())
	tell := func(_ context.Context, _ bun.IConn, step *migrate.Migration) error {
		for _, told := range tellers {
			told("schema step "+step.String(), taken, all)
		}
		taken++
		return nil
	}
	migrator := migrate.NewMigrator(db, steps, migrate.WithMarkAppliedOnSuccess(true),
		migrate.WithUpsert(true), migrate.BeforeMigration(tell), migrate.AfterMigration(record))
	if err := migrator.Init(ctx); err != nil {
		return fmt.Errorf("prepare the table of migrations: %w", err)
	}
	return change(migrator)
}

// recordApplied writes down a step inside its own transaction. The migrator does so
// again after the commit, and then changes nothing. Alone it would let a crash in
// between leave a step applied and not recorded.
func recordApplied(ctx context.Context, tx bun.IConn, step *migrate.Migration) error {
	_, err := tx.ExecContext(ctx, "insert into bun_migrations (name, group_id) values (?, ?)", step.Name, step.GroupID)
	return err
}

// recordTakenBack is recordApplied's opposite.
func recordTakenBack(ctx context.Context, tx bun.IConn, step *migrate.Migration) error {
	_, err := tx.ExecContext(ctx, "delete from bun_migrations where name = ?", step.Name)
	return err
}

// appliedAt says when each recorded step was applied, by its number.
func appliedAt(ctx context.Context, db *bun.DB) (map[string]time.Time, error) {
	var rows []struct {
		Name       string
		MigratedAt time.Time
	}
	err := db.NewSelect().Table("bun_migrations").Column("name", "migrated_at").Scan(ctx, &rows)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == undefinedTable {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the table of migrations: %w", err)
	}
	applied := make(map[string]time.Time, len(rows))
	for _, row := range rows {
		applied[row.Name] = row.MigratedAt
	}
	return applied, nil
}
