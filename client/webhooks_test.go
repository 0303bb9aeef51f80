package client_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"causeway/client"
)

// The vector of addendum §2.
//
// Covers addendum §2: Vector
// Covers addendum §2: A receiver takes timestamps
func TestVerifyWebhook(t *testing.T) {
	t.Parallel()
	for _, c := range shared(t).Webhooks {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{}
			h.Set(c.HeaderPrefix+"-Signature", c.Signature)
			h.Set(c.HeaderPrefix+"-Timestamp", c.Timestamp)
			h.Set(c.HeaderPrefix+"-Delivery", c.Delivery)
			v := client.Verifier{Secrets: c.Secrets, HeaderPrefix: c.HeaderPrefix, Now: func() time.Time { return time.Unix(c.Now, 0) }}
			notice, err := v.Verify(h, []byte(c.Body))
			switch {
			case c.Good && (err != nil || notice.Event != client.PaymentProcessed || notice.Delivery != "dlv_0001"):
				t.Errorf("%+v %v", notice, err)
			case !c.Good && !errors.Is(err, client.ErrWebhook):
				t.Errorf("%+v %v", notice, err)
			}
		})
	}
}
