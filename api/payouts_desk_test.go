package api

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/internal/testkit"
	"causeway/ledger"
	"causeway/pay"
	"causeway/store"
	"causeway/tasks"
	"causeway/webhooks"
)

// teller is a desk with the payout operations, and a merchant with money.
type teller struct {
	*desk
	store    *store.Store
	payouts  *Payouts
	rung     *rungJobs
	front    http.Handler
	key      string
	keyID    string
	merchant uuid.UUID
	alone    bool // what is sent is not rehearsed by a dry run before
}

func newTeller(t testing.TB) *teller { return newTellerOn(t, testkit.DB(t)) }

func newTellerOn(t testing.TB, db *bun.DB) *teller {
	d, s := newDesk(t), store.New(db)
	d.db, d.deps.Keys = db, s
	rung := &rungJobs{}
	payouts := &Payouts{
		Store: s, Catalogues: NewCatalogues(s, d.clock), Recorder: NewRecorder(s, rung, nil),
		Addresses: fakeAddresses{}, URLs: webhooks.NewURLPolicy([]string{"hooks.test"}, nil),
	}
	d.deps.Routes = payouts.Routes()
	d.deps.Quota.Requests = 1_000_000
	tell := &teller{desk: d, store: s, payouts: payouts, rung: rung, front: d.openFully()}
	tell.keyID, tell.key = d.key()
	tell.merchant = tell.merchantOf(tell.keyID)
	return tell
}

func (d *teller) merchantOf(keyID string) uuid.UUID {
	d.t.Helper()
	var id uuid.UUID
	if err := d.db.NewRaw("select merchant_id from keys where id = ?", keyID).Scan(d.t.Context(), &id); err != nil {
		d.t.Fatal(err)
	}
	return id
}

// fund credits a merchant, final at once.
func (d *teller) fund(merchant uuid.UUID, asset, amount string) {
	d.t.Helper()
	transfer := &pay.Transfer{ID: uuid.Must(uuid.NewV7()), Network: "Tron", Amount: decimal.RequireFromString(amount)}
	if _, err := ledger.Post(d.t.Context(), d.db, ledger.UnclaimedAssigned(merchant, asset, transfer)); err != nil {
		d.t.Fatal(err)
	}
}

func (d *teller) balance(asset string) string {
	d.t.Helper()
	balances, err := ledger.Balances(d.t.Context(), d.db, d.merchant)
	if err != nil {
		d.t.Fatal(err)
	}
	return balances[asset].Available.String()
}

func (d *teller) count(query string, args ...any) (n int) {
	d.t.Helper()
	if err := d.db.NewRaw(query, args...).Scan(d.t.Context(), &n); err != nil {
		d.t.Fatal(err)
	}
	return n
}

// send posts a body to /v1/payout; headers come in pairs. Without any, a dry run before must have said the same.
func (d *teller) send(body string, headers ...string) answer {
	d.t.Helper()
	if d.alone || len(headers) > 0 {
		return d.sendTo("/v1/payout", body, headers...)
	}
	compare := d.rehearsed(body)
	a := d.sendTo("/v1/payout", body)
	compare(a)
	return a
}

func (d *teller) get(target string) answer {
	d.t.Helper()
	return ask(d.t, d.front, request(http.MethodGet, target, d.key, ""))
}

const (
	evmWallet   = "0x52908400098527886E0F7030069857D2E4169EE7"
	hotWallet   = "0xde709f2102306220921060314715629080e2fb77"
	tetherOnEth = "0xdAC17F958D2ee523a2206206994597C13D831ec7"
	tronWallet  = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"
	xrpWallet   = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
	xrpTagged   = "X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu" // the fake reads its tag as 1
	tonWallet   = "EQDrjaLahLkMB-hMCmkzOyBuHJ139ZUYmPHu6RRBKnbdLIYI"
)

// item is a payout of 10 USDT on Ethereum whose fees come on top, with changes as raw JSON; an empty one removes a field.
func item(reference string, changes ...string) string {
	return with(map[string]string{
		"wallet": quote(evmWallet), "crypto_currency": `"USDT"`, "process_by": `"crypto_amount"`, "reference_id": quote(reference),
		"network": `"Ethereum"`, "feetakenfromamount": `0`, "webhook_url": `"https://hooks.test/x"`, "crypto_amount": `"10"`,
	}, changes...)
}

func quote(text string) string { return fmt.Sprintf("%q", text) }

func batchOf(items ...string) string { return "[" + strings.Join(items, ",") + "]" }

// fakeAddresses reads addresses by their form alone.
type fakeAddresses struct{}

var forms = map[pay.Family]*regexp.Regexp{
	pay.EVM: regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`), pay.Tron: regexp.MustCompile(`^T[1-9A-Za-z]{33}$`),
	pay.Ripple: regexp.MustCompile(`^[rX][1-9A-Za-z]{24,50}$`), pay.TON: regexp.MustCompile(`^[EU]Q[0-9A-Za-z_-]{46}$`),
}

func (f fakeAddresses) Validate(network, address string) (string, error) {
	n, _ := pay.NetworkNamed(network)
	form, known := forms[n.Family]
	if !known {
		return "", fmt.Errorf("%s is not configured", network)
	}
	if !form.MatchString(address) || f.Match(network, address) == f.Match(network, hotWallet) {
		return "", fmt.Errorf("%w: no such form", pay.ErrNotPayable)
	}
	return address, nil
}

func (fakeAddresses) Match(network, address string) string {
	if n, _ := pay.NetworkNamed(network); n.Family == pay.EVM {
		return strings.ToLower(address)
	}
	return address
}

func (fakeAddresses) Tag(_, address string) (string, bool) { return "1", address[0] == 'X' }

// rungJobs keeps what was rung; while it is broken it takes nothing.
type rungJobs struct {
	mu     sync.Mutex
	jobs   []tasks.Job
	calls  int
	broken error
}

func (r *rungJobs) Ring(_ context.Context, jobs ...tasks.Job) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	if r.broken != nil {
		return r.broken
	}
	r.jobs = append(r.jobs, jobs...)
	return nil
}

func (r *rungJobs) has(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range r.jobs {
		if j.Ref.String() == id && j.Kind == tasks.BroadcastPayout && j.Attempt == 0 {
			return true
		}
	}
	return false
}
