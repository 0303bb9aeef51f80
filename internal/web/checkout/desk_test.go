package checkout_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"
	"github.com/uptrace/bun"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/web/checkout"
)

// desk is a running payers' page on a database of the test's own.
type desk struct {
	t        *testing.T
	db       *bun.DB
	store    *store.Store
	pages    http.Handler
	url      string
	merchant uuid.UUID
	visitors *visitors
	stop     context.CancelFunc // as SIGTERM does
	asked    counted            // the pages' statements to the database

	mu   sync.Mutex
	paid []checkout.Payment
}

// visitors lets everybody in until it is told otherwise.
type visitors struct {
	mu   sync.Mutex
	wait time.Duration
}

func (v *visitors) Origin(*http.Request) string { return "somewhere" }

func (v *visitors) Spend(*http.Request) time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.wait
}

// uris are those of the networks that are no simulated ones here.
var uris = map[string]func(chains.Payment) (string, bool){
	"Arbitrum": ethereum, "Ethereum": ethereum,
	"Bitcoin": chains.CoinURI("bitcoin", "amount", ""),
	"Monero":  chains.CoinURI("monero", "tx_amount", ""),
	"Ripple":  chains.CoinURI("ripple", "amount", "dt"),
}

func ethereum(p chains.Payment) (string, bool) {
	if p.Native() {
		return chains.WithQuery("ethereum:"+p.To+"@1", "value", p.Units()), true
	}
	return chains.WithQuery("ethereum:"+p.Token.Contract+"@1/transfer", "address", p.To, "uint256", p.Units()), true
}

func open(t *testing.T, change ...func(*checkout.Deps)) *desk {
	t.Helper()
	d := &desk{t: t, db: testkit.DB(t), visitors: &visitors{}, merchant: uuid.Must(uuid.NewV7())}
	d.store = store.New(d.db)
	must(t, d.store.AddMerchant(t.Context(), &pay.Merchant{ID: d.merchant, Name: "Café & Sons", WebhookSecret: []byte("sealed-secret"),
		Email: "owner@example.com"}))
	log := logrus.New()
	log.SetOutput(io.Discard)
	deps := checkout.Deps{Store: store.New(d.db.WithQueryHook(&d.asked)), Visitors: d.visitors, Log: log, Every: 20 * time.Millisecond, Pay: d.pay,
		Networks: func(name string) checkout.Network {
			uri, live := uris[name]
			if !live {
				uri = func(p chains.Payment) (string, bool) { return "simulated:" + p.To, false }
			}
			return checkout.Network{Simulated: !live, Credit: 6, URI: uri}
		}}
	for _, c := range change {
		c(&deps)
	}
	pages := checkout.New(deps)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	d.stop = stop
	ended := make(chan struct{})
	go func() { defer close(ended); pages.Run(ctx) }()
	server := httptest.NewServer(pages)
	d.pages, d.url = pages, server.URL
	t.Cleanup(func() { stop(); <-ended; server.Close() })
	return d
}

// counted counts the statements of a database.
type counted struct{ n atomic.Int64 }

func (c *counted) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context {
	c.n.Add(1)
	return ctx
}

func (*counted) AfterQuery(context.Context, *bun.QueryEvent) {}

func (d *desk) pay(_ context.Context, p checkout.Payment) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.paid = append(d.paid, p)
	return nil
}

// order is a payin to be made; empty fields have defaults.
type order struct {
	network, token, amount, memo, minimum string
	back                                  string // the shop's page
	status                                pay.PayinStatus
	received                              string
	ends                                  time.Duration // from now; below zero: it has ended
}

// payin makes a payin of 25 USDT on Tron, or as o says, and returns its id.
func (d *desk) payin(o order) uuid.UUID {
	d.t.Helper()
	or := func(text *string, otherwise string) {
		if *text == "" {
			*text = otherwise
		}
	}
	or(&o.network, "Tron")
	or(&o.token, "USDT")
	or(&o.amount, "25")
	or(&o.minimum, "100")
	or(&o.received, "0")
	or((*string)(&o.status), "pending")
	if o.ends == 0 {
		o.ends = 14 * time.Minute
	}
	p := &pay.Payin{ID: uuid.Must(uuid.NewV7()), MerchantID: d.merchant, KeyID: "key-id", Token: o.token, Asset: o.token, Network: o.network,
		ProcessBy: "crypto_amount", Amount: decimal.RequireFromString(o.amount), FiatCurrency: "USD", FiatAmount: decimal.NewNullDecimal(decimal.RequireFromString("25.1")),
		MinimumPayment: decimal.RequireFromString(o.minimum), WebhookURL: "https://hook.example/secret-path", ReturnURL: o.back, Status: o.status}
	p.ReferenceID, p.Wallet = "order-1042-"+p.ID.String()[24:], addresses.Encode(o.network, [32]byte(append(p.ID[:], p.ID[:]...)))
	customer := "customer-7"
	p.CustomerInfo = &customer
	if o.memo != "" {
		p.Memo = &o.memo
	}
	now, err := d.store.Now(d.t.Context())
	must(d.t, err)
	p.ExpiresAt = now.Add(o.ends)
	_, err = d.store.AddPayin(d.t.Context(), p, nil)
	must(d.t, err)
	d.exec("update payins set received = ?, created_at = now() - interval '20 minutes' where id = ?", o.received, p.ID)
	return p.ID
}

// sees writes a transfer to a payin: of a status, in the block at a height, 0 for the mempool.
func (d *desk) sees(payin uuid.UUID, amount string, status pay.TransferStatus, height int64, token ...string) {
	d.t.Helper()
	var p pay.Payin
	must(d.t, d.db.NewSelect().Model(&p).Where("id = ?", payin).Scan(d.t.Context()))
	tr := pay.Transfer{ID: uuid.Must(uuid.NewV7()), Network: p.Network,
		Txid:  "9f2c4e" + strings.ReplaceAll(uuid.NewString()+uuid.NewString(), "-", "")[:58],
		Token: p.Token, Address: p.Wallet, Sender: "sender", Amount: decimal.RequireFromString(amount), PayinID: &payin, Status: status}
	if len(token) > 0 {
		tr.Token = token[0]
	}
	if height > 0 {
		tr.Height = &height
	}
	if status != pay.TransferSeen {
		tr.Credited, tr.Counted, tr.Credits = tr.Amount, tr.Amount, 1
	}
	must(d.t, d.store.SaveTransfers(d.t.Context(), []pay.Transfer{tr}))
}

// head moves a network's best block.
func (d *desk) head(network string, height int64) {
	d.t.Helper()
	d.exec("insert into followers (network, head) values (?, ?) on conflict (network) do update set head = excluded.head", network, height)
}

func (d *desk) exec(sql string, args ...any) {
	d.t.Helper()
	_, err := d.db.NewRaw(sql, args...).Exec(d.t.Context())
	must(d.t, err)
}

// ask sends a request and returns the response with its body read. Headers come in pairs.
func (d *desk) ask(method, path, body string, headers ...string) (*http.Response, string) {
	d.t.Helper()
	request, err := http.NewRequestWithContext(d.t.Context(), method, d.url+path, strings.NewReader(body))
	must(d.t, err)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	must(d.t, err)
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	must(d.t, err)
	return response, string(content)
}

// page is the page of a payin in a language.
func (d *desk) page(id uuid.UUID, lang string) string {
	d.t.Helper()
	response, body := d.ask("GET", "/pay/"+id.String(), "", "Accept-Language", lang)
	if response.StatusCode != http.StatusOK {
		d.t.Fatalf("%d %s", response.StatusCode, body)
	}
	return body
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
