package devcmd

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/cli/settings"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/webhooks"
)

// A webhook is verified with the secrets of the delivery's merchant, and with those of the demo merchant, as they are then.
//
// Covers operator §dev: inbox_url is a page
func TestInboxVerifiesForEveryMerchant(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	h := &Dev{settings: &settings.Settings{HeaderPrefix: "X-Acme"},
		Installation: &Installation{Store: store.New(db), Vault: vault.New(make([]byte, 32))}}
	merchant, demo := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	seal := func(of uuid.UUID, secret, column string) []byte {
		return h.Vault.Seal([]byte(secret), vault.Where("merchants", of.String(), column))
	}
	_, err := db.NewRaw("insert into merchants (id, name, webhook_secret, webhook_secret_old) values (?, 'Shop', ?, ?), (?, 'Demo', ?, null)",
		merchant, seal(merchant, "whsec_new", "webhook_secret"), seal(merchant, "whsec_old", "webhook_secret_old"),
		demo, seal(demo, "whsec_demo", "webhook_secret")).Exec(t.Context())
	require.NoError(t, err)
	d := pay.Delivery{ID: uuid.Must(uuid.NewV7()), MerchantID: merchant, Subject: uuid.New(), Event: pay.PaymentDetected,
		URL: "https://a.test/", Body: []byte("{}")}
	require.NoError(t, h.Store.AddDeliveries(t.Context(), []pay.Delivery{d}))

	body := d.Body
	verified := func(secret, delivery string) bool {
		now := time.Now().Unix()
		header := http.Header{}
		header.Set("X-Acme-Delivery", delivery)
		header.Set("X-Acme-Timestamp", strconv.FormatInt(now, 10))
		header.Set("X-Acme-Signature", webhooks.Sign([]string{secret}, now, delivery, body))
		return h.VerifyInbox(header, body)
	}
	require.True(t, verified("whsec_new", d.ID.String()))
	require.True(t, verified("whsec_old", d.ID.String()))
	require.False(t, verified("whsec_other", d.ID.String()))
	require.False(t, verified("whsec_new", uuid.NewString()), "a delivery that we never made")
	require.False(t, verified("whsec_demo", "anything"), "before there is a demo merchant")
	h.merchant.Store(&demo)
	require.True(t, verified("whsec_demo", "anything"))
	_, err = db.NewRaw("update merchants set webhook_secret = ?, webhook_secret_old = ? where id = ?",
		seal(demo, "whsec_next", "webhook_secret"), seal(demo, "whsec_demo", "webhook_secret_old"), demo).Exec(t.Context())
	require.NoError(t, err)
	require.True(t, verified("whsec_next", "anything"), "its secret is being rotated")
	require.True(t, verified("whsec_demo", "anything"))
	_, err = db.NewRaw("update merchants set webhook_secret_old = null where id = ?", demo).Exec(t.Context())
	require.NoError(t, err)
	require.False(t, verified("whsec_demo", "anything"), "the rotation is over")
	require.True(t, verified("whsec_new", d.ID.String()))

	body = []byte(`{"event":"test"}`)
	for secret, is := range map[string]bool{"whsec_new": true, "whsec_old": true, "whsec_next": true, "whsec_demo": false, "": false} {
		require.Equal(t, is, verified(secret, uuid.NewString()), "a test webhook, which is recorded nowhere, signed with %q", secret)
	}
}
