package main

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/cmd/causeway/settings"
	"causeway/internal/testkit"
	"causeway/pay"
	"causeway/store"
	"causeway/vault"
	"causeway/webhooks"
)

// A webhook is verified with the secrets of the merchant whose delivery it is; the demo merchant's are known besides.
func TestInboxVerifiesForEveryMerchant(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	h := &house{settings: &settings.Settings{HeaderPrefix: "X-Acme"}, store: store.New(db), vault: vault.New(make([]byte, 32)), demoSecret: new(atomic.Pointer[string])}
	demo := "whsec_demo"
	merchant := uuid.Must(uuid.NewV7())
	seal := func(secret, column string) []byte {
		return h.vault.Seal([]byte(secret), vault.Where("merchants", merchant.String(), column))
	}
	_, err := db.NewRaw("insert into merchants (id, name, webhook_secret, webhook_secret_old) values (?, 'Shop', ?, ?)",
		merchant, seal("whsec_new", "webhook_secret"), seal("whsec_old", "webhook_secret_old")).Exec(t.Context())
	require.NoError(t, err)
	d := pay.Delivery{ID: uuid.Must(uuid.NewV7()), MerchantID: merchant, Subject: uuid.New(), Event: pay.PaymentDetected, URL: "https://a.test/", Body: []byte("{}")}
	require.NoError(t, h.store.AddDeliveries(t.Context(), []pay.Delivery{d}))

	verified := func(secret, delivery string) bool {
		now := time.Now().Unix()
		header := http.Header{}
		header.Set("X-Acme-Delivery", delivery)
		header.Set("X-Acme-Timestamp", strconv.FormatInt(now, 10))
		header.Set("X-Acme-Signature", webhooks.Sign([]string{secret}, now, delivery, d.Body))
		return h.verifyInbox(header, d.Body)
	}
	require.True(t, verified("whsec_new", d.ID.String()))
	require.True(t, verified("whsec_old", d.ID.String()))
	require.False(t, verified("whsec_other", d.ID.String()))
	require.False(t, verified("whsec_new", uuid.NewString()), "a delivery that we never made")
	require.False(t, verified(demo, "anything"), "before there is a demo merchant")
	h.demoSecret.Store(&demo)
	require.True(t, verified(demo, "anything"))
}
