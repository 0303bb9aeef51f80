package main

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains/addresses"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/vault"
	"causeway/ledger"
	"causeway/migrations"
)

// wire stands between a process and its database and counts the answers: each round trip ends with the server ready
// for the next query.
type wire struct {
	address string // of a database, through the wire
	trips   atomic.Int64
}

func newWire(t *testing.T, database string) *wire {
	t.Helper()
	u, err := url.Parse(database)
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	w, server := &wire{}, u.Host
	u.Host = listener.Addr().String()
	w.address = u.String()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go w.join(client, server)
		}
	}()
	return w
}

func (w *wire) join(client net.Conn, address string) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
	w.answers(client, bufio.NewReader(server))
}

// answers passes the server's messages on: a letter, then a length including its own bytes.
func (w *wire) answers(client io.Writer, server *bufio.Reader) {
	const readyForQuery = 'Z'
	head := make([]byte, 5)
	for {
		if _, err := io.ReadFull(server, head); err != nil {
			return
		}
		if head[0] == readyForQuery {
			w.trips.Add(1)
		}
		if _, err := client.Write(head); err != nil {
			return
		}
		if _, err := io.CopyN(client, server, int64(binary.BigEndian.Uint32(head[1:]))-4); err != nil {
			return
		}
	}
}

// sandboxService opens the books of a database with simulated networks.
func sandboxService(t *testing.T, database string) *service {
	t.Helper()
	p := newProgram([]string{"DATABASE_URL=" + database, "REDIS_URL=" + testkit.RedisURL(t), "WEBHOOK_ALLOWED_HOSTS=127.0.0.1",
		"SECRETS_KEY=" + base64.StdEncoding.EncodeToString(make([]byte, vault.KeySize)), "DATA_DIR=" + t.TempDir()}, io.Discard, t.Output())
	s, err := p.Settings(settings.OfRoles...)
	must(t, err)
	h, err := openService(t.Context(), s, t.Output(), migrations.DevRole)
	must(t, err)
	t.Cleanup(func() { must(t, h.close()) })
	return h
}

// TestRoundTripsOfAPayout counts, on the wire, how often the API asks the database before it answers a payout.
func TestRoundTripsOfAPayout(t *testing.T) {
	t.Parallel()
	w := newWire(t, testkit.DSN(t))
	h := sandboxService(t, w.address)
	desk := &admin.Admin{Store: h.store, Vault: h.vault, Actor: "test"}
	shop, err := desk.CreateMerchant(t.Context(), admin.NewMerchant{Name: "Shop", Verified: true})
	must(t, err)
	key, err := desk.CreateKey(t.Context(), admin.NewKey{Merchant: shop.ID})
	must(t, err)
	gift := &pay.Transfer{ID: uuid.Must(uuid.NewV7()), Network: "Tron", Amount: decimal.NewFromInt(1_000_000)}
	_, err = ledger.Post(t.Context(), h.db, ledger.UnclaimedAssigned(shop.ID, "USDT", gift))
	must(t, err)
	front := h.apiHandler(h.operations(), http.NotFoundHandler())
	for _, c := range []struct {
		what    string
		items   int
		allowed int64
	}{{"the first request of a process", 1, 20}, {"one item", 1, 1}, {"fifty items", 50, 2}} {
		before := w.trips.Load()
		if status, body := askPayouts(front, key.APIKey, c.what, c.items); status != http.StatusOK {
			t.Fatalf("%s: %d %s", c.what, status, body)
		}
		if trips := w.trips.Load() - before; trips > c.allowed {
			t.Errorf("%s: %d round trips, at most %d are allowed", c.what, trips, c.allowed)
		}
	}
}

// askPayouts asks for payouts with references beginning with name.
func askPayouts(front http.Handler, key, name string, items int) (status int, body string) {
	to := addresses.Encode("Tron", [32]byte{1})
	list := make([]string, items)
	for i := range list {
		list[i] = fmt.Sprintf(`{"reference_id":"%s %d","wallet":"%s","network":"Tron","crypto_currency":"USDT","process_by":"crypto_amount",
			"crypto_amount":"2","feetakenfromamount":0,"webhook_url":"http://127.0.0.1:9/hook"}`, name, i, to)
	}
	r := httptest.NewRequest(http.MethodPost, "/v1/payout", strings.NewReader("["+strings.Join(list, ",")+"]"))
	r.Header.Set("X-Service-Invoke", key)
	r.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	front.ServeHTTP(answer, r)
	return answer.Code, answer.Body.String()
}
