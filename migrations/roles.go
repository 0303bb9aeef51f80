package migrations

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"

	"causeway/internal/pg"
)

// Role is a database role of the service, without the prefix of its name. Every connection of ours takes one on. It logs in itself
// where it has a password (docs/decisions/0032-a-database-role-for-each-role.md).
type Role string

// The roles with rights of their own.
const (
	APIRole       Role = "api"
	WorkerRole    Role = "worker"
	SignerRole    Role = "signer"
	SchedulerRole Role = "scheduler"
	OperatorRole  Role = "operator"
)

// Roles with the rights of others, for a process doing the work of several.
const (
	WorkersRole Role = "workers" // a worker of all queues
	DevRole     Role = "dev"     // causeway dev
)

type member struct {
	role Role
	has  []Role
}

// members are the roles, each with the roles whose rights it has beside its own.
var members = []member{
	{APIRole, nil}, {WorkerRole, nil}, {SignerRole, nil}, {SchedulerRole, nil},
	{OperatorRole, []Role{WorkerRole}}, // an operator's acts do a worker's work: they credit, settle and reconcile
	{WorkersRole, []Role{WorkerRole, SignerRole}},
	{DevRole, []Role{APIRole, SignerRole, SchedulerRole, OperatorRole}},
}

// DefaultPrefix begins the names of roles where a setting says nothing else.
const DefaultPrefix = "causeway"

// prefixes match the allowed beginnings of names of roles.
var prefixes = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// CheckPrefix refuses a beginning of names if PostgreSQL would have to quote or cut it.
func CheckPrefix(prefix string) error {
	if !prefixes.MatchString(prefix) {
		return fmt.Errorf("%q is no beginning of role names: it is up to 40 of a-z, 0-9 and _, and a letter first", prefix)
	}
	return nil
}

// RoleName is the name of a role in the database.
func RoleName(prefix string, role Role) string { return prefix + "_" + string(role) }

// roleTries is how often roles are made. All databases of a server share them: another database may be migrated
// meanwhile.
const roleTries = 20

// makeRoles makes the missing roles, and their memberships.
func makeRoles(ctx context.Context, conn bun.IConn, prefix string) error {
	for _, m := range members {
		name := RoleName(prefix, m.role)
		err := missing(ctx, conn, "select not exists (select from pg_roles where rolname = ?)", []any{name}, "create role "+name+" nologin")
		if err == nil { // the migrating user may act as it, as a superuser may anyhow
			err = missing(ctx, conn, "select not pg_has_role(current_user, ?, 'member')", []any{name}, "grant "+name+" to current_user")
		}
		for _, other := range m.has {
			had := RoleName(prefix, other)
			if err == nil {
				err = missing(ctx, conn, "select not pg_has_role(?, ?, 'usage')", []any{name, had}, "grant "+had+" to "+name)
			}
		}
		if err == nil {
			err = setRole(ctx, conn, name)
		}
		if err != nil {
			return fmt.Errorf("make the database role %s: %w", name, err)
		}
	}
	return nil
}

// setRole gives a role the settings of its sessions. They matter behind a pooler only, and there a connection finds them missing: a
// user who may not change roles migrates without.
func setRole(ctx context.Context, conn bun.IConn, name string) error {
	statement, kept := pg.RoleSettings(name)
	err := missing(ctx, conn, `select not exists (select from pg_db_role_setting s join pg_roles r on r.oid = s.setrole
		where r.rolname = ? and s.setdatabase = 0 and s.setconfig @> ?::text[])`, []any{name, pg.Array(kept)}, statement)
	if refused(err) {
		return nil
	}
	return err
}

// missing runs a statement about roles where a question is answered with true. Statements of another database about the same roles
// fail it, and it is tried again.
func missing(ctx context.Context, conn bun.IConn, question string, args []any, statement string) error {
	var err error
	for range roleTries {
		var lacks bool
		if err := conn.QueryRowContext(ctx, question, args...).Scan(&lacks); err != nil || !lacks {
			return err
		}
		if _, err = conn.ExecContext(ctx, statement); err == nil || !atOnce(err) {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	if refused(err) {
		return fmt.Errorf("%w; an administrator of PostgreSQL can: %s", err, statement)
	}
	return err
}

// refused reports whether the user may not do what a statement says.
func refused(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && said.Code == "42501"
}

// atOnce reports whether a statement failed because another changed the same roles: the role is there, or its row was
// changed.
func atOnce(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && slices.Contains([]string{"42710", "23505", "XX000", "40P01"}, said.Code)
}

// grantAll gives the roles the rights of the table of rights, and takes all others from them, at once.
func grantAll(ctx context.Context, db *bun.DB, prefix string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("grant rights to the database roles: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, strings.Join(grants(prefix), ";\n")); err != nil {
		return fmt.Errorf("grant rights to the database roles: %w", err)
	}
	return tx.Commit()
}

// grants are the statements of the table of rights.
func grants(prefix string) []string {
	var all []string
	for _, m := range members {
		all = append(all, "revoke all on all tables in schema public from "+RoleName(prefix, m.role),
			"revoke all on all sequences in schema public from "+RoleName(prefix, m.role))
	}
	for _, r := range rights {
		for i, role := range []Role{APIRole, WorkerRole, SignerRole, SchedulerRole, OperatorRole} {
			if may := r.may()[i]; may != none {
				all = append(all, "grant "+words(may)+" on "+r.table+" to "+RoleName(prefix, role))
			}
		}
	}
	for _, f := range functions {
		all = append(all, "revoke all on function "+f.name+" from public")
		for _, m := range members {
			all = append(all, "revoke all on function "+f.name+" from "+RoleName(prefix, m.role))
		}
		for _, role := range f.roles {
			all = append(all, "grant execute on function "+f.name+" to "+RoleName(prefix, role))
		}
	}
	for _, s := range sequences {
		for _, role := range s.roles {
			all = append(all, "grant "+s.may+" on sequence "+s.name+" to "+RoleName(prefix, role))
		}
	}
	return all
}

// words are a right in the words of PostgreSQL: "i u(a, b)" is select, insert, update (a, b).
func words(may string) string {
	out := []string{"select"}
	for letter, word := range map[string]string{"i": "insert", "u": "update", "d": "delete"} {
		if found := regexp.MustCompile(`(?:^| )` + letter + `(\([^)]*\))?(?: |$)`).FindStringSubmatch(may); found != nil {
			out = append(out, word+found[1])
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
