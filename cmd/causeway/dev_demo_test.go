package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
)

// TestADemoMerchantIsMadeWithItsKeysOrNotAtAll: the third key cannot be written, so nothing is left of the merchant and the others.
func TestADemoMerchantIsMadeWithItsKeysOrNotAtAll(t *testing.T) {
	t.Parallel()
	h := sandboxService(t, testkit.DSN(t))
	left := func() (n int) {
		must(t, h.db.NewRaw("select (select count(*) from merchants) + (select count(*) from keys) + (select count(*) from audit)").
			Scan(t.Context(), &n))
		return n
	}
	before := left()
	_, err := testkit.DB(t).ExecContext(t.Context(), "alter table keys add constraint nobody_signs check (signing_secret is null)")
	must(t, err)
	_, err = h.newDemo(t.Context())
	require.ErrorContains(t, err, "nobody_signs")
	require.Equal(t, before, left())
}
