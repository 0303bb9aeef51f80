package api

import (
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/migrations"
)

// oneCaller answers from memory: a benchmark shows the CPU time of the front itself.
type oneCaller struct{ caller *store.Caller }

func (o oneCaller) Caller(context.Context, string, string) (*store.Caller, error) {
	return o.caller, nil
}
func (o oneCaller) SpendNonce(context.Context, string, string) (bool, error) { return true, nil }

// BenchmarkFront is authentication, signature, quota, scope and scan of one payout: without the log of requests, and with it at a thousand
// requests in a second, its statement included.
func BenchmarkFront(b *testing.B) {
	b.Run("unlogged", func(b *testing.B) { benchFront(b, nil) })
	b.Run("logged", func(b *testing.B) {
		benchFront(b, &RequestLog{Store: store.New(testkit.DBAs(b, migrations.APIRole)), Log: logrus.New()})
	})
}

func benchFront(b *testing.B, requests *RequestLog) {
	b.Helper()
	v := vault.New(make([]byte, vault.KeySize))
	id, key := v.NewAPIKey()
	caller := &store.Caller{}
	caller.Key = pay.Key{ID: id, Hash: v.Hash(key), Scopes: pay.Scopes, Signs: true,
		SigningSecret: v.Seal([]byte(signingSecret), vault.SigningSecretPlace(id))}
	caller.Merchant.APIAccess, caller.Merchant.Verified = true, true
	log := logrus.New()
	log.SetOutput(io.Discard)
	front := New(Deps{
		Keys: oneCaller{caller}, Vault: v, Log: log, Requests: requests,
		Quota:    Quota{Requests: 1 << 30, Window: time.Minute},
		Failures: FailureRule{10, time.Minute, time.Minute},
		Routes: []Route{{Method: "POST", Path: "/v1/payout", Scope: pay.ScopePayoutWrite, Idempotent: true, Handler: func(c *Call) error {
			return c.Raw(200, []byte("{}"))
		}}},
	})
	r := signedAt(time.Now(), request("POST", "/v1/payout", key, samplePayout), nonces(), samplePayout)
	b.ReportAllocs()
	const inASecond = 1000
	for n := 1; b.Loop(); n++ {
		if requests != nil && n%inASecond == 0 {
			if err := requests.Flush(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		r.Body = io.NopCloser(strings.NewReader(samplePayout))
		w := httptest.NewRecorder()
		front.ServeHTTP(w, r)
		if w.Code != 200 {
			b.Fatal(w.Body)
		}
	}
}

const samplePayout = `{"wallet":"0x52908400098527886E0F7030069857D2E4169EE7","crypto_currency":"USDT","process_by":"crypto_amount",` +
	`"reference_id":"order-000123","network":"erc20","feetakenfromamount":0,"webhook_url":"https://shop.example/hooks/payout",` +
	`"fiat_currency":"USD","crypto_amount":"125.50","customer_info":"customer-77"}`
