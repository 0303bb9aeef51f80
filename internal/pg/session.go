package pg

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// settings are needed by statements. A server, a database or a user may have others:
//   - Prepared statements keep their first plan. Those with lists would be planned each time, since their lists are shorter
//     than the plan expects, and planning takes longer than running. Other statements are not prepared.
//   - Nothing is compiled (jit). A plan forced to use something its function forbids looks dear, and would be compiled at each call.
//   - A statement sees everything committed while it waited for a lock.
//   - Days begin in UTC.
var settings = []struct{ name, value string }{
	{"plan_cache_mode", "force_generic_plan"},
	{"jit", "off"},
	{"default_transaction_isolation", "read committed"},
	{"TimeZone", "UTC"},
}

// durable makes a commit be on disk. Whatever else a server waits for, such as a replica, stays as it is.
const durable = "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'"

// session gives a session the settings and durable commits.
var session = strings.Join(sets("set "), "; ") + "; " + durable

func sets(begin string) []string {
	all := make([]string, 0, len(settings))
	for _, s := range settings {
		all = append(all, begin+s.name+" = '"+s.value+"'")
	}
	return all
}

// RoleSettings returns the statement giving the settings to each session of a role from its login on. A pooler needs them there.
// kept is how PostgreSQL keeps them (pg_db_role_setting).
func RoleSettings(role string) (statement string, kept []string) {
	for _, s := range settings {
		kept = append(kept, s.name+"="+s.value)
	}
	return strings.Join(sets("alter role "+role+" set "), "; "), kept
}

// PrepareSession gives a new connection its settings. Open does it by itself; it is for pools opened
// otherwise, without a pooler.
func PrepareSession(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, session); err != nil {
		return fmt.Errorf("settings of the session: %w", err)
	}
	return nil
}
