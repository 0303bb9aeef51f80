package api

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"causeway/pay"
	"causeway/store"
	"causeway/webhooks"
)

// shop is a merchant at a front with every operation on the test's own database.
type shop struct {
	*desk
	front      http.Handler
	operations *Operations
	merchant   uuid.UUID
	keyID      string
	key        string
	store      *store.Store
	deriver    *fakeDeriver
}

func newShop(t testing.TB) *shop {
	s := &shop{desk: newDesk(t), deriver: &fakeDeriver{}}
	s.store = store.New(s.db)
	catalogues := NewCatalogues(s.store, s.clock)
	urls := webhooks.NewURLPolicy([]string{"hooks.test"}, nil)
	s.operations = &Operations{
		Payouts: Payouts{Store: s.store, Catalogues: catalogues, Recorder: NewRecorder(s.store, &rungJobs{}, nil),
			Addresses: fakeAddresses{}, URLs: urls},
		Payins:     Payins{Store: s.store, Catalogues: catalogues, Addresses: s.deriver, URLs: urls, Required: func(string) int { return 2 }},
		Queries:    Queries{Store: s.store, Catalogues: catalogues},
		Wallets:    Wallets{Store: s.store, Catalogues: catalogues, Addresses: s.deriver, URLs: urls},
		Deliveries: Deliveries{Store: s.store},
		Quotes:     Quotes{Catalogues: catalogues},
	}
	s.deps.Routes = s.operations.Routes()
	s.front = s.openFully()
	s.keyID, s.key = s.desk.key()
	if err := s.db.NewRaw("select merchant_id from keys where id = ?", s.keyID).Scan(t.Context(), &s.merchant); err != nil {
		t.Fatal(err)
	}
	return s
}

// call returns the status and the body of one request.
func (s *shop) call(method, target, body string) (int, reply) {
	s.t.Helper()
	a := ask(s.t, s.front, request(method, target, s.key, body))
	return a.status, decodeReply(s.t, a.text)
}

// get returns the body of a GET that must succeed.
func (s *shop) get(target string) reply {
	s.t.Helper()
	status, body := s.call(http.MethodGet, target, "")
	if status != http.StatusOK {
		s.t.Fatalf("GET %s: %d %v", target, status, body)
	}
	return body
}

// count returns a number from the database.
func (s *shop) count(query string, args ...any) (n int) {
	s.t.Helper()
	if err := s.db.NewRaw(query, args...).Scan(s.t.Context(), &n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// reply is a decoded answer; at walks into it by dots: "error.details.fields.memo", "payments.0.txid".
type reply map[string]any

func decodeReply(t testing.TB, text string) (out reply) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func (r reply) at(path string) any {
	var here any = map[string]any(r)
	for _, step := range strings.Split(path, ".") {
		switch v := here.(type) {
		case map[string]any:
			here = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				return nil
			}
			here = v[i]
		default:
			return nil
		}
	}
	return here
}

func (r reply) list(path string) []any {
	list, _ := r.at(path).([]any)
	return list
}

// wants compares what stands at paths; nil means null or absent.
func (r reply) wants(t testing.TB, want map[string]any) {
	t.Helper()
	for path, value := range want {
		if n, ok := value.(int); ok {
			value = float64(n) // as JSON numbers decode
		}
		if got := r.at(path); got != value {
			t.Errorf("%s is %v, want %v", path, got, value)
		}
	}
}

func (r reply) code() string {
	code, _ := r.at("error.code").(string)
	return code
}

// with returns a JSON object of raw values, changed: an empty value removes the name.
func with(base map[string]string, changes ...string) string {
	all := maps.Clone(base)
	for i := 0; i < len(changes); i += 2 {
		all[changes[i]] = changes[i+1]
	}
	var fields []string
	for name, raw := range all {
		if raw != "" {
			fields = append(fields, strconv.Quote(name)+":"+raw)
		}
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// fakeDeriver makes readable addresses; failure, when set, is what it answers instead.
type fakeDeriver struct {
	failure     atomic.Pointer[error]
	unsupported atomic.Pointer[string]
}

func (f *fakeDeriver) fail(err error) { f.failure.Store(&err) }

func (f *fakeDeriver) Supports(_ context.Context, network string) bool {
	missing := f.unsupported.Load()
	return missing == nil || *missing != network
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
