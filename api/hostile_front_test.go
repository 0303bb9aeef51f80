package api

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/sandbox"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
)

// hostileFront is a shop with the addresses of every sandbox network, money and an allowance of fixed wallets. Whatever is sent through it is held against the bars of docs/hostile-input.md.
type hostileFront struct {
	*shop
	networks *chains.Registry
	payout   string // internal_reference of an existing payout
	delivery string // id of an existing webhook
	serial   int
	state    string // the database's contents after the request before
	calm     bool   // nothing will be recorded any more: state is compared at the end
	worst    cost
}

func newHostileFront(t testing.TB) *hostileFront {
	networks, err := chains.NewRegistry(sandbox.OpenAll(testkit.DB(t), pay.Networks, sandbox.Options{})...)
	if err != nil {
		t.Fatal(err)
	}
	f := &hostileFront{networks: networks, shop: newShop(t, holding("1000000"), knowing(realAddresses{networks}))}
	if err := sandbox.Genesis(t.Context(), f.db, sandbox.Funds, pay.Networks...); err != nil {
		t.Fatal(err)
	}
	f.deps.Failures.Failures = 0
	f.front = New(f.deps)
	f.exec("update merchants set wallets_mode = 'global', wallets_limit = 100000")
	f.payout = f.post("/v1/payout", item("payout-000")).at("results.0.internal_reference").(string)
	f.post("/v1/payin", with(aPayin, "reference_id", `"payin-0000"`))
	f.post("/v1/payment-request", with(aRequest, "reference_id", `"request-00"`))
	f.post("/v1/payment-link", with(aLink, "slug", `"link-00"`))
	f.came(uuid.MustParse(fmt.Sprint(f.get("/v1/check-payin/payin-0000").at("deposit.internal_reference"))), "USDT", "100000", "final")
	f.post("/v1/refund", with(aRefund, "payin", `"payin-0000"`, "reference_id", `"refund-000"`))
	f.delivery = f.webhook(f.merchant, f.payout, "payment_processed", "exhausted").String()
	f.state = f.fingerprint()
	return f
}

// realAddresses has the front's networks as wired together (cmd/causeway).
type realAddresses struct{ networks *chains.Registry }

func (r realAddresses) Validate(network, address string) (string, error) {
	n, _ := r.networks.Network(network)
	canonical, err := n.Addresser.Validate(address)
	switch {
	case errors.Is(err, chains.ErrFormat) || errors.Is(err, chains.ErrNotPayable):
		return "", fmt.Errorf("%w: %w", pay.ErrNoDestination, err)
	case err == nil && n.Addresser.Match(canonical) == n.Hot:
		return "", fmt.Errorf("%w: it is the hot wallet", pay.ErrNoDestination)
	}
	return canonical, err
}

func (r realAddresses) Match(network, address string) string {
	return addresses.Match(network, address)
}

func (r realAddresses) Tag(network, address string) (string, bool) {
	_, tag, ok := addresses.Tag(network, address)
	return tag, ok
}

func (r realAddresses) Supports(_ context.Context, network string) (bool, error) {
	_, ok := r.networks.Network(network)
	return ok, nil
}

func (r realAddresses) Derive(ctx context.Context, network string, index uint32) (address, match string, err error) {
	n, _ := r.networks.Network(network)
	address, err = n.Addresser.Derive(ctx, index)
	return address, n.Addresser.Match(address), err
}

// exec changes the database behind the front's back.
func (f *hostileFront) exec(query string, args ...any) {
	f.t.Helper()
	f.shop.exec(query, args...)
	f.state = ""
}

// post sends a body and fails the test unless it is taken.
func (f *hostileFront) post(target, body string) reply {
	f.t.Helper()
	a := f.send(target, f.asked(http.MethodPost, target, body))
	if a.status != http.StatusOK {
		f.t.Fatalf("%s: %d %s", target, a.status, a.text)
	}
	return decodeReply(f.t, a.text)
}

// sent is a request as it stands on the wire.
type sent struct {
	method, target, body string
	headers              []string // in pairs
	length               string   // header lines with the length of the body; its Content-Length when empty
}

// asked is a request with the merchant's key.
func (f *hostileFront) asked(method, target, body string, headers ...string) sent {
	return sent{method: method, target: target, body: body, headers: append([]string{"X-Service-Invoke", f.key}, headers...)}
}

// read is the request as net/http reads it; nil where net/http refuses it, before anything of ours sees it.
func (s sent) read() *http.Request {
	var head strings.Builder
	if s.length == "" {
		s.length = fmt.Sprintf("Content-Length: %d", len(s.body))
	}
	fmt.Fprintf(&head, "%s %s HTTP/1.1\r\nHost: x\r\n%s\r\n", s.method, s.target, s.length)
	for i := 0; i < len(s.headers); i += 2 {
		fmt.Fprintf(&head, "%s: %s\r\n", s.headers[i], s.headers[i+1])
	}
	head.WriteString("\r\n")
	r, err := http.ReadRequest(bufio.NewReader(io.MultiReader(strings.NewReader(head.String()), strings.NewReader(s.body))))
	if err != nil {
		return nil
	}
	r.RemoteAddr = somewhere
	return r
}

// send makes a request and holds the answer and its cost against the bars. what names it in failures. A request over
// the cost is made again, since a collection of garbage may have fallen into it.
func (f *hostileFront) send(what string, s sent) answer {
	f.t.Helper()
	a, spent := f.serve(s)
	for again := 0; again < 3 && spent.tooMuch() && a.status >= http.StatusBadRequest; again++ {
		_, once := f.serve(s)
		spent = spent.atMost(once)
	}
	what = fmt.Sprintf("%s (%s %.80s)", what, s.method, s.target)
	if f.worst = f.worst.atLeast(spent); spent.tooMuch() {
		f.t.Errorf("%s: %v CPU, %d bytes", what, spent.cpu, spent.bytes)
	}
	if problem := f.fault(&a); problem != "" {
		f.t.Errorf("%s: %s: %d %.400s", what, problem, a.status, a.text)
	}
	return a
}

func (f *hostileFront) serve(s sent) (answer, cost) {
	f.t.Helper()
	r := s.read()
	if r == nil {
		f.t.Fatalf("net/http does not read %s %.80q", s.method, s.target)
	}
	w := httptest.NewRecorder()
	spent := measure(f.t, func() { f.front.ServeHTTP(w, r) })
	return answer{status: w.Code, header: w.Header(), text: w.Body.String()}, spent
}

// fault names the fault of an answer, "" when it keeps the contract.
func (f *hostileFront) fault(a *answer) string {
	switch {
	case a.status >= 500:
		return "a failure of ours"
	case a.header.Get("Content-Type") != "application/json; charset=utf-8" || !utf8.ValidString(a.text):
		return "not JSON in UTF-8"
	case a.header.Get("X-Request-Id") == "":
		return "no request id"
	case json.Unmarshal([]byte(a.text), &a.body) != nil:
		return "not JSON"
	}
	before := f.state
	if !f.calm {
		f.state = f.fingerprint()
	}
	if a.status < 300 {
		return ""
	}
	if before != "" && before != f.state {
		return "refused, and recorded something"
	}
	return codeFault(a)
}

// codeFault wants the error shape of api-v1 §Errors, with a code of the contract under this status.
func codeFault(a *answer) string {
	var shape struct {
		Error   *Problem
		Results []struct{ Error *Problem }
	}
	d := json.NewDecoder(strings.NewReader(a.text))
	if d.Decode(&shape) != nil {
		return "not the shape of an error"
	}
	if shape.Error != nil {
		if code := shape.Error.Code; shape.Error.Message == "" || whenOf(a.status, code) == "" && code != errTooLarge.Code {
			return "the contract has no such code here"
		}
		return ""
	}
	for _, result := range shape.Results {
		if result.Error == nil || result.Error.Message == "" || whenOf(0, result.Error.Code) == "" {
			return "the contract has no such code of an item"
		}
	}
	if len(shape.Results) == 0 {
		return "neither an error nor refused items"
	}
	return ""
}

// fingerprint has the number of rows of every table a request could write to, and the contents of the merchant's own.
func (f *hostileFront) fingerprint() (out string) {
	f.t.Helper()
	err := f.db.DB.QueryRowContext(f.t.Context(), `select concat_ws(',', (select count(*) from payouts), (select count(*) from payins), (select count(*) from refunds), (select count(*) from wallets),
		(select count(*) from addresses), (select count(*) from jobs), (select count(*) from entries), (select count(*) from postings),
		(select count(*) from idempotency_keys), (select count(*) from request_nonces), (select count(*) from deliveries),
		(select count(*) from daily_spend), (select count(*) from audit), (select md5(string_agg(b::text, ',' order by asset)) from balances b),
		(select md5(string_agg(m::text, ',' order by id)) from merchants m))`, pgx.QueryExecModeCacheStatement).Scan(&out) // prepared, since it is asked after each request
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}

// close ends a test: by the log, nothing panicked and nothing was our fault. It logs the cost of the worst request.
func (f *hostileFront) close() {
	f.t.Helper()
	if f.calm && f.state != f.fingerprint() {
		f.t.Error("something was recorded")
	}
	for _, word := range []string{"panic", "level=error"} {
		if at := strings.Index(f.log.String(), word); at >= 0 {
			f.t.Errorf("the log has: %.2000s", f.log.String()[at:])
		}
	}
	f.t.Logf("worst request: %v CPU, %d KiB", f.worst.cpu, f.worst.bytes>>10)
}
