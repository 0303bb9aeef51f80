// Package connect opens the database and the Redis of the settings, and says in one line why one cannot be used.
package connect

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"

	"causeway/internal/cli/screen"
	"causeway/internal/cli/settings"
	"causeway/internal/pg"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/migrations"
)

// patience is how long a server may take to answer at the start.
const patience = 5 * time.Second

// PoolSize is how many database connections one command of an operator needs.
const PoolSize = 2

// MigrationPool is how many connections moving the schema needs: one holds the lock, one works.
const MigrationPool = 2

// Database opens a pool as the owner of the schema and makes sure it answers. The error is one line with the setting and the
// address, without its password.
func Database(ctx context.Context, s *settings.Settings, poolSize int) (*bun.DB, error) {
	return database(ctx, s, "DATABASE_URL", s.DatabaseURL, "", poolSize)
}

func database(ctx context.Context, s *settings.Settings, setting string, address settings.DatabaseURL, role string, poolSize int) (*bun.DB, error) {
	db, err := pg.OpenAs(string(address), poolSize, role)
	if err != nil {
		return nil, errors.New(s.Named(setting) + ": not an address of a PostgreSQL database")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(unreachable(s.Named(setting), string(address), err), db.Close())
	}
	return db, nil
}

// Schema is Database for an operator's command: it sees every table, with the operator's rights.
func Schema(ctx context.Context, s *settings.Settings, poolSize int) (*bun.DB, error) {
	return SchemaAs(ctx, s, migrations.OperatorRole, poolSize)
}

// SchemaAs is Schema with the rights of a role. It returns ErrNotTheRole for a database user without that role.
func SchemaAs(ctx context.Context, s *settings.Settings, role migrations.Role, poolSize int) (*bun.DB, error) {
	setting, address := "DATABASE_URL", s.DatabaseURL
	if role == migrations.OperatorRole && s.OperatorDatabase != "" {
		setting, address = "OPERATOR_DATABASE_URL", s.OperatorDatabase
	}
	db, err := database(ctx, s, setting, address, migrations.RoleName(string(s.DatabaseRoles), role), poolSize)
	if err != nil {
		return nil, err
	}
	if err := migrations.Ready(ctx, db); err != nil {
		return nil, errors.Join(fmt.Errorf("the database is not migrated (causeway migrate up): %w", err), db.Close())
	}
	if err := ownBooks(ctx, s, store.New(db)); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Replica opens a pool on the replica of the settings, with the rights of a role; nil without one. A replica that is away stops no start.
func Replica(s *settings.Settings, role migrations.Role, poolSize int) (*bun.DB, error) {
	if s.ReadDatabase == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	db, err := pg.OpenAs(string(s.ReadDatabase), poolSize, migrations.RoleName(string(s.DatabaseRoles), role))
	if err != nil {
		return nil, errors.New("DATABASE_READ_URL: not an address of a PostgreSQL database")
	}
	return db, nil
}

// Forgets returns an error if this PostgreSQL may lose commits in a crash: a sent payout could be unknown afterwards, and be
// sent again. Nil when it does not, or cannot be asked. The settings of a connection are pg.Open's task.
func Forgets(ctx context.Context, s *settings.Settings, db *bun.DB) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var off string
	err := db.NewRaw(`select coalesce(string_agg(name, ', ' order by name), '') from pg_settings
		where name in ('fsync', 'full_page_writes') and setting = 'off'`).Scan(ctx, &off)
	if err != nil || off == "" {
		return nil
	}
	return fmt.Errorf("%s: this PostgreSQL may lose in a crash what it has committed, and what is lost may be paid twice; off, and should be on: %s",
		s.Named("DATABASE_URL"), off)
}

// ownBooks refuses a database of the other books.
func ownBooks(ctx context.Context, s *settings.Settings, books *store.Store) error {
	kind, err := books.Books(ctx)
	if err != nil {
		return err
	}
	return MayUse(s, kind)
}

// MayUse refuses books of another kind than the settings are for.
func MayUse(s *settings.Settings, kind store.BooksKind) error {
	switch {
	case s.Sandbox && kind == store.LiveBooks:
		return errors.New("SANDBOX_DATABASE_URL: the database holds live books")
	case s.Sandbox && kind == store.DevBooks:
		return errors.New("SANDBOX_DATABASE_URL: the database holds the books of causeway dev")
	case !s.Sandbox && kind == store.SandboxBooks:
		return errors.New("DATABASE_URL: the database holds the books of a sandbox beside live networks")
	case s.InDev && kind == store.LiveBooks:
		return errors.New("DATABASE_URL: causeway dev does not run on live books")
	}
	return nil
}

// Vault makes the vault of books, by the settings' secrets key. Where all money is simulated for good, its API keys say so;
// unclaimed books may become live, with their keys.
func Vault(s *settings.Settings, kind store.BooksKind) *vault.Vault {
	if kind == store.DevBooks {
		return s.Vault().ForSandbox()
	}
	return s.Vault()
}

// OwnSecrets refuses a SECRETS_KEY if secrets of the books are sealed under a key missing in it: API keys would let nobody
// in, no webhook would be signed, and new secrets under it could be used nowhere else.
func OwnSecrets(ctx context.Context, s *settings.Settings, books *store.Store) error {
	heads, err := books.SealedHeads(ctx)
	if err != nil {
		return err
	}
	if missing := s.Vault().Missing(heads...); len(missing) > 0 {
		return fmt.Errorf("%s: the database has secrets that are sealed under another key (%s): add that key after a comma",
			s.Named("SECRETS_KEY"), strings.Join(missing, ", "))
	}
	return nil
}

// OwnSeals refuses a SEAL_KEY if open payouts are sealed under a key missing in it: they would not be signed.
func OwnSeals(ctx context.Context, s *settings.Settings, books *store.Store) error {
	heads, err := books.PayoutSealHeads(ctx)
	if err != nil {
		return err
	}
	if missing := s.Seals().Missing(heads...); len(missing) > 0 {
		return fmt.Errorf("SEAL_KEY: open payouts are sealed under another key (%s): add that key after a comma", strings.Join(missing, ", "))
	}
	return nil
}

// ErrNotTheRole is the error of a database user without the role of its process, or of a database without the roles.
var ErrNotTheRole = errors.New("causeway migrate up creates the database roles; connect as the role, or as a user who was granted it")

func unreachable(setting, address string, err error) error {
	var said *pgconn.PgError
	if errors.As(err, &said) && strings.Contains(said.Message, "role") && (said.Code == "42501" || said.Code == "22023") {
		return fmt.Errorf("%s: %s cannot be used: %s: %w", setting, settings.MaskedAddress(address), said.Message, ErrNotTheRole)
	}
	if errors.Is(err, pg.ErrAnotherRole) {
		return fmt.Errorf("%s: %s cannot be used: %s: %w", setting, settings.MaskedAddress(address), screen.OneLine(err), ErrNotTheRole)
	}
	return fmt.Errorf("%s: %s cannot be used: %s", setting, settings.MaskedAddress(address), reason(err))
}

// reason is the innermost useful cause: the server's message, or the system's error of the connection.
func reason(err error) string {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return said.Message
	}
	var name *net.DNSError
	if errors.As(err, &name) {
		return name.Error()
	}
	var network *net.OpError
	if errors.As(err, &network) {
		return network.Err.Error()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer in %v", patience)
	}
	return screen.OneLine(err)
}
