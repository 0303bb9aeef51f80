package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/uptrace/bun"

	"causeway/migrations"
	"causeway/store"
)

// migrationPool is the pool of migrate: one connection holds the lock, one works.
const migrationPool = 2

func (p *program) migrateCommand() *cobra.Command {
	return group("migrate", "move the database's schema",
		p.migration("up", "apply every step that is missing", true, migrations.Up),
		p.migration("down", "take back the last group of steps, with their data", false, migrations.Down),
		p.migration("status", "list the steps and when they were applied", true, func(context.Context, *bun.DB, ...migrations.Teller) error { return nil }),
	)
}

// migratedStep is a step of the schema, and whose it is where a sandbox stands beside live networks.
type migratedStep struct {
	migrations.Applied
	Books store.Books `json:"books,omitempty"`
}

// migration is a command that moves the schema and then prints its steps; with both, those of a sandbox beside live networks
// come second.
func (p *program) migration(use, short string, both bool, step func(context.Context, *bun.DB, ...migrations.Teller) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		s, err := p.settings("DATABASE_URL")
		if err != nil {
			return err
		}
		defer p.doing(c)()
		move := func(ctx context.Context, db *bun.DB) error { return step(ctx, db, p.now.at) }
		steps, err := s.migrated(c.Context(), move)
		if err != nil {
			return err
		}
		var failed error
		if both {
			steps, failed = s.migratedBeside(c.Context(), steps, move)
		}
		return errors.Join(p.print(steps), failed)
	}}
}

// migrated moves one schema and answers its steps.
func (s *Settings) migrated(ctx context.Context, move func(context.Context, *bun.DB) error) ([]migratedStep, error) {
	db, err := s.openDatabase(ctx, migrationPool)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if err := move(ctx, db); err != nil {
		return nil, err
	}
	list, err := migrations.Status(ctx, db)
	steps := make([]migratedStep, len(list))
	for i, step := range list {
		steps[i].Applied = step
	}
	return steps, err
}

// migratedBeside moves the schema of the sandbox beside live networks, where there is one, and adds its steps to the live
// ones. What fails there leaves those as they are.
func (s *Settings) migratedBeside(ctx context.Context, live []migratedStep, move func(context.Context, *bun.DB) error) ([]migratedStep, error) {
	sandbox, err := s.beside()
	if sandbox == nil || err != nil {
		return live, err
	}
	steps, err := sandbox.migrated(ctx, move)
	for i := range live {
		live[i].Books = store.LiveBooks
	}
	for i := range steps {
		steps[i].Books = store.SandboxBooks
	}
	return append(live, steps...), err
}
