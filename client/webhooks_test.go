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
	const signature = "v1=6ff848f7687d34c1bcc58d5a18060a4569b037c500c8c0ddc83c01fc552b3ed9"
	const forged = "v1=34df019a39985253ed43b2b57aa200e7b9877beecdf45412de01335c06adb4cb" // under an empty secret
	body := `{"event":"payment_processed"}`
	for name, c := range map[string]struct {
		signature, timestamp, delivery, body string
		secrets                              []string
		at                                   int64
		prefix                               string
		good                                 bool
	}{
		"as sent":          {signature, "1760000000", "dlv_0001", body, []string{"whsec_vector"}, 1760000000, "", true},
		"300 s old":        {signature, "1760000000", "dlv_0001", body, []string{"whsec_vector"}, 1760000300, "", true},
		"301 s old":        {signature, "1760000000", "dlv_0001", body, []string{"whsec_vector"}, 1760000301, "", false},
		"301 s ahead":      {signature, "1760000000", "dlv_0001", body, []string{"whsec_vector"}, 1759999699, "", false},
		"rotated secrets":  {"v1=00, " + signature, "1760000000", "dlv_0001", body, []string{"whsec_new", "whsec_vector"}, 1760000000, "", true},
		"another prefix":   {signature, "1760000000", "dlv_0001", body, []string{"whsec_vector"}, 1760000000, "X-Acme", true},
		"another secret":   {signature, "1760000000", "dlv_0001", body, []string{"whsec_other"}, 1760000000, "", false},
		"no secret":        {signature, "1760000000", "dlv_0001", body, nil, 1760000000, "", false},
		"an empty secret":  {forged, "1760000000", "dlv_0001", body, []string{"whsec_vector", ""}, 1760000000, "", false},
		"another body":     {signature, "1760000000", "dlv_0001", body + " ", []string{"whsec_vector"}, 1760000000, "", false},
		"another delivery": {signature, "1760000000", "dlv_0002", body, []string{"whsec_vector"}, 1760000000, "", false},
		"another time":     {signature, "1760000001", "dlv_0001", body, []string{"whsec_vector"}, 1760000000, "", false},
		"no time":          {signature, "", "dlv_0001", body, []string{"whsec_vector"}, 1760000000, "", false},
		"no scheme":        {signature[3:], "1760000000", "dlv_0001", body, []string{"whsec_vector"}, 1760000000, "", false},
		"no signature":     {"", "1760000000", "dlv_0001", body, []string{"whsec_vector"}, 1760000000, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prefix := c.prefix
			if prefix == "" {
				prefix = client.DefaultHeaderPrefix
			}
			h := http.Header{}
			h.Set(prefix+"-Signature", c.signature)
			h.Set(prefix+"-Timestamp", c.timestamp)
			h.Set(prefix+"-Delivery", c.delivery)
			v := client.Verifier{Secrets: c.secrets, HeaderPrefix: c.prefix, Now: func() time.Time { return time.Unix(c.at, 0) }}
			notice, err := v.Verify(h, []byte(c.body))
			switch {
			case c.good && (err != nil || notice.Event != client.PaymentProcessed || notice.Delivery != "dlv_0001"):
				t.Errorf("%+v %v", notice, err)
			case !c.good && !errors.Is(err, client.ErrWebhook):
				t.Errorf("%+v %v", notice, err)
			}
		})
	}
}
