package migrations_test

import (
	"net/url"
	"strings"
	"testing"

	"causeway/internal/dev/testkit"
	"causeway/internal/pg"
	"causeway/migrations"
)

// A role logs in by its password, is itself, and cannot become another.
//
// Covers operator §Settings: DATABASE_PASSWORDS
// Covers operator §Settings: DATABASE_ROLES
// Covers operator §Database roles: Every process takes on
func TestARoleLogsIn(t *testing.T) {
	t.Parallel()
	server := testkit.PrivateStack(t)
	owner, err := pg.Open(server.DatabaseURL, 2)
	must(t, err)
	t.Cleanup(func() { _ = owner.Close() })
	const password = "a-password-of-some-length"
	must(t, migrations.UpFor(t.Context(), owner, migrations.Roles{Prefix: "shop", Passwords: map[migrations.Role]string{migrations.APIRole: password}}))
	address, err := url.Parse(server.DatabaseURL)
	must(t, err)
	as := func(password, role string) (user string, err error) {
		address.User = url.UserPassword("shop_api", password)
		db, err := pg.OpenAs(address.String(), 1, role)
		must(t, err)
		defer db.Close()
		return user, db.NewRaw("select session_user || ' ' || current_user").Scan(t.Context(), &user)
	}
	if user, err := as(password, "shop_api"); err != nil || user != "shop_api shop_api" {
		t.Errorf("%q %v", user, err)
	}
	for role, says := range map[string]string{"shop_signer": "permission denied to set role", "shop_operator": "permission denied to set role",
		"causeway": "permission denied to set role", "nobody": "does not exist"} {
		if user, err := as(password, role); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("as %s: %q %v", role, user, err)
		}
	}
	if user, err := as("another-password-of-it", "shop_api"); err == nil {
		t.Errorf("a wrong password: %q", user)
	}
	var kept string
	must(t, owner.NewRaw("select rolpassword from pg_authid where rolname = 'shop_api'").Scan(t.Context(), &kept))
	if !strings.HasPrefix(kept, "SCRAM-SHA-256$4096:") {
		t.Errorf("%q is kept", kept)
	}
}
