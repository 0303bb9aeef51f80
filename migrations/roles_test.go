package migrations_test

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"causeway/internal/dev/testkit"
	"causeway/migrations"
)

// as does a statement as a role, and takes it back.
func as(t *testing.T, db *bun.DB, role migrations.Role, statement string) error {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), &sql.TxOptions{})
	must(t, err)
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(t.Context(), "set local role "+migrations.RoleName(migrations.DefaultPrefix, role))
	must(t, err)
	_, err = tx.ExecContext(t.Context(), statement)
	return err
}

func refused(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && said.Code == "42501"
}

var everyRole = []migrations.Role{migrations.APIRole, migrations.WorkerRole, migrations.SignerRole, migrations.SchedulerRole,
	migrations.OperatorRole, migrations.WorkersRole, migrations.DevRole}

// No role can change where money goes, rewrite history, or take off the guards of the schema.
//
// Covers operator §Database roles: No role of them
func TestWhatNoRoleMayDo(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	statements := []string{
		"update payouts set wallet = 'x'", "update payouts set memo = 'x'", "update payouts set amount = 1", "update payouts set debit = 1",
		"update payouts set network = 'x'", "update payouts set token = 'x'", "update payouts set merchant_id = gen_random_uuid()",
		"delete from payouts", "update signed_transactions set raw = ''", "update signed_transactions set nonce = 1", "delete from signed_transactions",
		"delete from merchants", "delete from keys", "update books set kind = 'dev'", "delete from books", "delete from payins",
		"delete from deliveries", "delete from daily_spend", "delete from balances", "set session_replication_role = replica",
		"alter table payouts disable trigger all", "drop trigger entries_append_only on entries", "drop table inbox", "create table mine (a int)",
		"create or replace function append_only() returns trigger language plpgsql as 'begin return new; end'", "create role another",
		"alter role " + migrations.RoleName(migrations.DefaultPrefix, migrations.APIRole) + " superuser",
		"insert into bun_migrations (name, group_id) values ('9999', 9)",
	}
	for _, table := range []string{"accounts", "entries", "postings", "audit", "treasury_corrections", "spend_decisions", "failed_attempts"} {
		statements = append(statements, "delete from "+table, "truncate "+table, "alter table "+table+" disable trigger all")
	}
	for _, set := range []string{"accounts set name = ''", "entries set digest = ''", "postings set amount = 1", "audit set actor = ''"} {
		statements = append(statements, "update "+set)
	}
	for _, role := range everyRole {
		for _, s := range append(statements, "truncate payouts", "truncate jobs", "truncate request_nonces") {
			if err := as(t, db, role, s); !refused(err) {
				t.Errorf("%s may do %q: %v", role, s, err)
			}
		}
	}
}

// Covers operator §Database roles: Each has the rights
func TestWhatARoleMustNotDo(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	for role, statements := range map[migrations.Role][]string{
		migrations.APIRole: {"update payouts set status = 'completed'", "insert into signed_transactions default values", "update keys set revoked_at = null",
			"insert into keys default values", "update merchants set payment_rate = 0", "insert into merchants default values", "update tokens set network_fee = 0",
			"insert into prices default values", "update prices set fixed = 1", "delete from prices", "select forget_windows()",
			"select count_payouts('{}', '{}')", "select count_capped('Tron', 'USDT', 1)", "update payins set status = 'completed'", "insert into transfers default values",
			"update signing_nonces set next = 0", "select from operators", "delete from stopped_assets", "insert into payout_approvals default values",
			"delete from payout_limits", "delete from stopped_wallets", "delete from two_people"},
		migrations.WorkerRole: {"insert into payouts default values", "insert into signed_transactions default values", "update signing_nonces set next = 0",
			"insert into keys default values", "update keys set scopes = null", "update merchants set suspended = false", "delete from stopped_assets",
			"delete from stopped_wallets", "update payout_approvals set decision = 'approved'", "delete from payout_limits", "select from operator_sessions",
			"update daily_spend set usd = 0", "update two_people set above = 1000000", "update payout_approvals set first_by = 'bob'",
			"delete from unknown_spends", "update unknown_spends set decision = 'ignored'", "update unknown_spends set network = 'elsewhere'",
			"update unknown_spends set txid = 'x'", "insert into unknown_spends (network, txid, token, position, recipient, amount, height, decision) values ('x', 'x', 'x', 0, 'x', 1, 1, 'ignored')",
			"update contrary_transactions set payout_id = gen_random_uuid()",
			"update followers set halted = false", "update followers set network = 'elsewhere'", "delete from followers",
			"insert into followers (network, halted) values ('x', false)",
			"update stopped_assets set asset = 'elsewhere'", "update stopped_assets set network = 'elsewhere'", "update stopped_assets set reason = ''",
			"update stopped_wallets set network = 'elsewhere'", "update stopped_wallets set address = 'elsewhere'", "delete from payout_windows",
			"update payout_windows set spent = 0", "update prices set pinned = true", "update prices set base = 'elsewhere'", "update prices set fixed = 1", "delete from prices",
			"insert into prices (base, quote, price, source, pinned) values ('x', 'USD', 1, 'x', true)"},
		migrations.SignerRole: {"insert into payouts default values", "update followers set halted = false", "select halt_network('x')", "insert into keys default values", "insert into payins default values",
			"insert into transfers default values", "update merchants set suspended = false", "delete from stopped_wallets",
			"delete from stopped_assets", "insert into prices default values", "select from operators", "delete from two_people",
			"update stopped_wallets set network = 'elsewhere'", "update stopped_wallets set address = 'elsewhere'", "update stopped_assets set asset = 'elsewhere'",
			"delete from payout_windows", "insert into payout_windows default values", "update payout_windows set spent = 0",
			"delete from contrary_transactions", "insert into contrary_transactions default values", "delete from unknown_spends",
			"delete from capped_spend", "insert into capped_spend default values", "update capped_spend set amount = 0", "delete from capped_payouts",
			"update prices set fixed = 1", "delete from prices", "update revisions set version = 0"},
		migrations.SchedulerRole: {"update prices set fixed = 1", "delete from prices", "update revisions set version = 0",
			"insert into payouts default values", "update payouts set status = 'completed'", "insert into entries default values",
			"update balances set available = 1", "insert into keys default values", "insert into audit default values", "select from operators"},
		migrations.OperatorRole: {"insert into payouts default values", "insert into signed_transactions default values", "update daily_spend set usd = 0"},
	} {
		for _, s := range statements {
			if err := as(t, db, role, s); !refused(err) {
				t.Errorf("%s may do %q: %v", role, s, err)
			}
		}
	}
}

// A table without a row in the table of rights could be read by nobody, and a row may be gone from the schema. A part of a table needs
// rights of its own only where a function names it.
func TestEveryTableHasItsRights(t *testing.T) {
	t.Parallel()
	var tables []string
	must(t, testkit.DB(t).NewRaw(`select relname::text from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')
		and (not relispartition or exists (select from pg_proc where pronamespace = 'public'::regnamespace and prosrc ~ ('\m' || relname || '\M')))
		order by 1`).Scan(t.Context(), &tables))
	named := migrations.TablesWithRights()
	slices.Sort(named)
	if !slices.Equal(tables, named) {
		t.Errorf("the schema has %q,\nthe table of rights in rights.go %q", tables, named)
	}
}

// Two servers' worth of databases may be migrated at once: roles are made once for all of them.
//
// Covers operator §Database roles: causeway migrate up makes
func TestRolesOfSeveralDatabases(t *testing.T) {
	t.Parallel()
	const prefix = "other"
	dbs := []*bun.DB{testkit.EmptyDB(t), testkit.EmptyDB(t), testkit.EmptyDB(t)}
	t.Cleanup(func() {
		for _, db := range dbs {
			for _, role := range everyRole {
				_, err := db.ExecContext(context.WithoutCancel(t.Context()), "drop owned by "+migrations.RoleName(prefix, role))
				must(t, err)
			}
		}
		for _, role := range everyRole {
			_, err := dbs[0].ExecContext(context.WithoutCancel(t.Context()), "drop role "+migrations.RoleName(prefix, role))
			must(t, err)
		}
	})
	for range 2 { // and again, changing nothing
		var all sync.WaitGroup
		for _, db := range dbs {
			all.Go(func() {
				if err := migrations.UpFor(t.Context(), db, migrations.Roles{Prefix: prefix}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	for _, db := range dbs {
		var may []bool
		must(t, db.NewRaw(`select array[has_table_privilege('other_api', 'payouts', 'insert'), has_table_privilege('other_dev', 'keys', 'insert'),
			has_table_privilege('other_api', 'keys', 'insert'), (select rolcanlogin from pg_roles where rolname = 'other_api')]`).Scan(t.Context(), pgdialect.Array(&may)))
		if !slices.Equal(may, []bool{true, true, false, false}) {
			t.Errorf("%v", may)
		}
	}
	var settings []string // for sessions behind a pooler
	must(t, dbs[0].NewRaw("select distinct unnest(setconfig) from pg_db_role_setting where setrole::regrole::text like 'other%' order by 1").
		Scan(t.Context(), &settings))
	if !slices.Equal(settings, []string{"TimeZone=UTC", "default_transaction_isolation=read committed", "jit=off", "plan_cache_mode=force_generic_plan"}) {
		t.Errorf("%q", settings)
	}
	withoutRights(t, dbs[0], prefix)
	if err := migrations.UpFor(t.Context(), dbs[0], migrations.Roles{Prefix: `Q"`}); err == nil || !strings.Contains(err.Error(), "beginning of role names") {
		t.Errorf("%v", err)
	}
}

// withoutRights makes roles as a user who was granted them and may not change them: their settings are left to an administrator.
func withoutRights(t *testing.T, db *bun.DB, prefix string) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	must(t, err)
	defer func() { must(t, conn.Close()) }()
	say := func(statement string) {
		_, err := conn.ExecContext(t.Context(), statement)
		must(t, err)
	}
	say("create role plain")
	say("alter role other_api reset all")
	for _, role := range everyRole {
		say("grant " + migrations.RoleName(prefix, role) + " to plain")
	}
	say("set role plain")
	must(t, migrations.MakeRoles(t.Context(), conn, prefix))
	say("reset role; drop role plain")
}
