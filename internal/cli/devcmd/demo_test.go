package devcmd

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// TestADemoMerchantIsMadeWithItsKeysOrNotAtAll: the third key cannot be written, so nothing is left of the merchant and the others.
func TestADemoMerchantIsMadeWithItsKeysOrNotAtAll(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	d := &Dev{Installation: &Installation{Store: store.New(db), Vault: vault.New(make([]byte, 32))}}
	left := func() (n int) {
		require.NoError(t, db.NewRaw("select (select count(*) from merchants) + (select count(*) from keys) + (select count(*) from audit)").
			Scan(t.Context(), &n))
		return n
	}
	before := left()
	_, err := db.ExecContext(t.Context(), "alter table keys add constraint nobody_signs check (signing_secret is null)")
	require.NoError(t, err)
	_, err = d.newDemo(t.Context())
	require.ErrorContains(t, err, "nobody_signs")
	require.Equal(t, before, left())
}
