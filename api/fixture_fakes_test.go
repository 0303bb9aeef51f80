package api

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/tasks"
)

// A shop's stand-ins for networks and Redis (fixture_test.go).

// networkAddresses is everything the front asks of the networks.
type networkAddresses interface {
	Addresses
	Deriver
}

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
		return "", fmt.Errorf("%w: no such form", pay.ErrNoDestination)
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

// fakeDeriver makes readable addresses; failure, when set, is answered instead.
type fakeDeriver struct {
	failure     atomic.Pointer[error]
	unsupported atomic.Pointer[string]
	unknown     atomic.Pointer[error] // of Supports
}

func (f *fakeDeriver) fail(err error) { f.failure.Store(&err) }

func (f *fakeDeriver) Supports(_ context.Context, network string) (bool, error) {
	if unknown := f.unknown.Load(); unknown != nil {
		return false, *unknown
	}
	missing := f.unsupported.Load()
	return missing == nil || *missing != network, nil
}

func (f *fakeDeriver) Derive(_ context.Context, network string, index uint32) (address, match string, err error) {
	if failure := f.failure.Load(); failure != nil {
		return "", "", *failure
	}
	n, ok := pay.NetworkNamed(network)
	if !ok {
		return "", "", errors.New("no such network")
	}
	address = string(n.Family) + "-" + strconv.FormatUint(uint64(index), 10)
	return address, "match:" + address, nil
}

// rungJobs keeps the jobs rung; while it is broken it takes nothing.
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

// creditRules credit amounts worth up to 10 USD after one confirmation, and the rest after two.
type creditRules struct{}

func (creditRules) CreditAfter(_ string, _ uuid.UUID, worth decimal.Decimal) pay.CreditDepth {
	if worth.GreaterThan(decimal.NewFromInt(10)) {
		return pay.CreditByRule
	}
	return 1
}

func (creditRules) Required(_ string, depth pay.CreditDepth) int { return depth.Confirmations(2) }
