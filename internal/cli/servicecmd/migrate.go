package servicecmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/uptrace/bun"

	"causeway/internal/cli/command"
	"causeway/internal/cli/connect"
	"causeway/internal/cli/settings"
	"causeway/internal/store"
	"causeway/migrations"
)

// Migrate is causeway migrate.
func Migrate(p *command.Line) *cobra.Command {
	return command.Group("migrate", "migrate the database schema",
		migration(p, "up", "apply every step that is missing, and give the database roles their rights", true, nil),
		migration(p, "down", "take back the last group of steps, with their data", false, migrations.Down),
		migration(p, "status", "list the steps and when they were applied", true,
			func(context.Context, *bun.DB, ...migrations.Teller) error { return nil }),
	)
}

// MigratedStep is a step of the schema, with its books where a sandbox stands beside live networks.
type MigratedStep struct {
	migrations.Applied
	Books store.BooksKind `json:"books,omitempty"`
}

// migration is a command to move the schema, up where step is nil, and then print its steps; with both, the steps of a
// sandbox beside live networks come second.
func migration(p *command.Line, use, short string, both bool, step func(context.Context, *bun.DB, ...migrations.Teller) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		s, err := p.Settings("DATABASE_URL")
		if err != nil {
			return err
		}
		defer p.Doing(c)()
		move := func(ctx context.Context, db *bun.DB) error {
			if step == nil {
				return migrations.UpFor(ctx, db, migrations.Roles{Prefix: string(s.DatabaseRoles), Passwords: s.DatabasePasswords}, p.Now.At)
			}
			return step(ctx, db, p.Now.At)
		}
		steps, err := migrated(c.Context(), s, move)
		if err != nil {
			return err
		}
		var failed error
		if both {
			steps, failed = migratedBeside(c.Context(), s, steps, move)
		}
		return errors.Join(p.Print(steps), failed)
	}}
}

// migrated moves one schema and returns its steps.
func migrated(ctx context.Context, s *settings.Settings, move func(context.Context, *bun.DB) error) ([]MigratedStep, error) {
	db, err := connect.Database(ctx, s, connect.MigrationPool)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if err := move(ctx, db); err != nil {
		return nil, err
	}
	list, err := migrations.Status(ctx, db)
	steps := make([]MigratedStep, len(list))
	for i, step := range list {
		steps[i].Applied = step
	}
	return steps, err
}

// migratedBeside moves the schema of the sandbox beside live networks, where there is one, and adds its steps to the live
// ones. A failure there leaves the live ones as they are.
func migratedBeside(ctx context.Context, s *settings.Settings, live []MigratedStep,
	move func(context.Context, *bun.DB) error) ([]MigratedStep, error) {
	sandbox, err := s.SandboxSettings()
	if sandbox == nil || err != nil {
		return live, err
	}
	steps, err := migrated(ctx, sandbox, move)
	for i := range live {
		live[i].Books = store.LiveBooks
	}
	for i := range steps {
		steps[i].Books = store.SandboxBooks
	}
	return append(live, steps...), err
}
