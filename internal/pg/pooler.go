package pg

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrPooler is the error of a connection through a pooler without its needs, and of work impossible through one.
//
// A pooler, such as pgbouncer in its transaction mode, gives each transaction to any session of the server. A setting or a prepared
// statement of one transaction is missing in the next, or meets another client. So a connection through a pooler sets nothing,
// prepares nothing, and finds the settings with its user
// (docs/decisions/0082-a-pooler-is-found-out.md).
var ErrPooler = errors.New("a pooler stands before this PostgreSQL")

// ErrAnotherRole is the error of a user behind a pooler who is not the role to act as. It is an ErrPooler, too.
var ErrAnotherRole = errors.New("log in as the role")

// throughPooler reports whether a pooler is between: the answering session has another number than the one told at the start of the
// connection.
func throughPooler(ctx context.Context, conn *pgx.Conn) (bool, error) {
	var answering uint32
	if err := conn.QueryRow(ctx, "select pg_backend_pid()").Scan(&answering); err != nil {
		return false, fmt.Errorf("number of the session: %w", err)
	}
	return answering != conn.PgConn().PID(), nil
}

// fits returns ErrPooler if the sessions behind a pooler have other settings, or another user than role; "" is any user.
func fits(ctx context.Context, conn *pgx.Conn, role string) error {
	var user string
	if err := conn.QueryRow(ctx, "select current_user").Scan(&user); err != nil {
		return fmt.Errorf("user of the session: %w", err)
	}
	if role != "" && role != user {
		return notTheRole(role, user)
	}
	lacking, err := lacks(ctx, conn)
	if err != nil || len(lacking) == 0 {
		return err
	}
	return fmt.Errorf("%w, and sessions of %s begin with other settings: migrate up gives them to the roles, an administrator says: "+
		"alter role %[2]s set %[3]s; then the pooler connects anew (RECONNECT)", ErrPooler, user, strings.Join(lacking, "; alter role "+user+" set "))
}

func notTheRole(role, user string) error {
	return fmt.Errorf("%w, where %s cannot become %s: %w itself (DATABASE_PASSWORDS)", ErrPooler, user, role, ErrAnotherRole)
}

// lacks returns the settings missing in a session now, or after its reset: another client may have set them in this one.
func lacks(ctx context.Context, conn *pgx.Conn) (missing []string, err error) {
	wanted := map[string]string{}
	for _, s := range settings {
		wanted[s.name] = s.value
	}
	rows, err := conn.Query(ctx, `select name, setting, reset_val from pg_settings
		where name in ('synchronous_commit', 'plan_cache_mode', 'jit', 'default_transaction_isolation', 'TimeZone') order by name`)
	if err != nil {
		return nil, fmt.Errorf("settings of the session: %w", err)
	}
	var name, now, later string
	_, err = pgx.ForEachRow(rows, []any{&name, &now, &later}, func() error {
		value, known := wanted[name]
		switch {
		case known && (now != value || later != value):
			missing = append(missing, name+" = '"+value+"'")
		case !known && (now == "off" || later == "off"):
			missing = append(missing, name+" = on")
		}
		return nil
	})
	return missing, err
}

// refusedRole explains the refusal of the parameter role at the start of a connection. Only a pooler refuses it so.
func refusedRole(err error, config *pgx.ConnConfig) error {
	const protocolViolation = "08P01"
	var said *pgconn.PgError
	role := config.RuntimeParams["role"]
	if role == "" || !errors.As(err, &said) || said.Code != protocolViolation {
		return err
	}
	return fmt.Errorf("%w (%s)", notTheRole(role, config.User), said.Message)
}

// NoPooler returns ErrPooler for a connection through a pooler: a lock of its session would stay behind in a session of others.
func NoPooler(conn *sql.Conn) error {
	return conn.Raw(func(driver any) error {
		if own, ok := driver.(*noRepeatConn); ok && own.pooled {
			return fmt.Errorf("%w: give this command an address of the server itself", ErrPooler)
		}
		return nil
	})
}
