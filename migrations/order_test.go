package migrations_test

import (
	"strings"
	"testing"

	"causeway/internal/dev/testkit"
	"causeway/migrations"
)

// TestOrderOfBytes: a library's next version may change its order, and an index would then miss rows.
// Covers operator §Roles: causeway migrate up
func TestOrderOfBytes(t *testing.T) {
	t.Parallel()
	for _, options := range []string{"locale_provider icu icu_locale 'en-US' locale 'C'", "locale 'C.UTF-8'",
		"locale 'C' encoding 'LATIN1'", "locale 'C' encoding 'SQL_ASCII'"} {
		db := testkit.EmptyDBWith(t, options)
		err := migrations.Up(t.Context(), db)
		if err == nil || !strings.Contains(err.Error(), "createdb -T template0 -E UTF8 --locale-provider=libc --locale=C test_") {
			t.Errorf("%s: %v", options, err)
		}
		if left := objects(t, db); len(left) > 0 {
			t.Errorf("%s: %q", options, left)
		}
	}
}
