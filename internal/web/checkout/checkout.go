package checkout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/web/pages"
)

// Visitors knows where requests come from and how many of them are enough.
type Visitors interface {
	// Origin names whoever sent r, for counting.
	Origin(r *http.Request) string
	// Spend takes one request of its origin's quota. wait is 0 when there was one, else when to come back.
	Spend(r *http.Request) (wait time.Duration)
}

// Requests makes payins of payment requests.
type Requests interface {
	// Offered returns a payment request as its payer sees it, or pay.ErrNotFound.
	Offered(ctx context.Context, id uuid.UUID) (*pay.Offered, error)
	// Choose returns the payin of a request in a token on a network, for a payer who reads lang. A *pay.Error says why there is none.
	Choose(ctx context.Context, id uuid.UUID, offer pay.Offer, lang string) (payin uuid.UUID, err error)
}

// Refunds pay what was promised to payers.
type Refunds interface {
	// Promised returns the refund of a link as its payer sees it, or pay.ErrNotFound.
	Promised(ctx context.Context, link string) (*pay.Promised, error)
	// Rehearse returns the payout that Give would record now. A *pay.Error says why there is none.
	Rehearse(ctx context.Context, link string, to pay.Destination) (*pay.Payout, error)
	// Give records the payout, once. A *pay.Error says that nothing was recorded: also if the payer would get less than he was shown.
	Give(ctx context.Context, link string, to pay.Destination, shown decimal.Decimal) error
}

// Payment is money sent by the page itself, on a simulated network.
type Payment struct {
	Network, Token, To, Memo string
	Amount                   decimal.Decimal
}

// Deps are the dependencies of the page.
type Deps struct {
	Store    *store.Store
	Visitors Visitors
	Networks func(name string) Network
	Log      logrus.FieldLogger
	// Requests are amounts whose payers choose what to pay with.
	Requests Requests
	// Refunds are promises to payers, who say where to.
	Refunds Refunds
	// Links are addresses for any number of payers.
	Links Links
	// Takers counts the requests that are made by links: a stranger makes few. Nil counts none.
	Takers Visitors
	// Pay pays on a simulated network. Nil: this process offers no such thing.
	Pay func(ctx context.Context, p Payment) error
	// Every is the time between two polls of the payins of all open pages; a second when it is zero.
	Every time.Duration
}

// Checkout answers everything under Prefix.
type Checkout struct {
	Deps
	mux      *http.ServeMux
	requests *http.ServeMux // of the folders below Prefix
	watch    *watch
}

// Prefix begins the path of every page.
const Prefix = "/pay/"

// RequestPrefix begins the path of the page of a payment request.
const RequestPrefix = Prefix + "request/"

// RefundPrefix begins the path of the page of a refund.
const RefundPrefix = Prefix + "refund/"

// New makes the handler. Run keeps its open pages up to date.
func New(d Deps) *Checkout {
	if d.Every == 0 {
		d.Every = time.Second
	}
	c := &Checkout{Deps: d, mux: http.NewServeMux(), requests: http.NewServeMux()}
	c.watch = newWatch(d.Log, c.views)
	c.mux.HandleFunc("GET /pay/{reference}", c.show)
	c.mux.HandleFunc("GET /pay/{reference}/live", c.stream)
	c.mux.HandleFunc("GET /pay/files/{version}/{name}", c.file)
	c.mux.HandleFunc("GET "+EmbedPath, c.embed)
	own := http.NewCrossOriginProtection() // a page of another site can make no browser pay, or choose
	own.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.problem(w, r, http.StatusForbidden, "refused") }))
	if d.Requests != nil {
		c.requests.HandleFunc("GET "+RequestPrefix+"{reference}", c.offer)
		c.requests.Handle("POST "+RequestPrefix+"{reference}", own.Handler(http.HandlerFunc(c.choose)))
	}
	if d.Refunds != nil {
		c.requests.HandleFunc("GET "+RefundPrefix+"{link}", c.promise)
		c.requests.Handle("POST "+RefundPrefix+"{link}", own.Handler(http.HandlerFunc(c.give)))
	}
	if d.Links != nil {
		c.requests.HandleFunc("GET "+LinkPrefix+"{slug}", c.link)
		c.requests.Handle("POST "+LinkPrefix+"{slug}", own.Handler(http.HandlerFunc(c.take)))
	}
	if d.Pay != nil {
		c.mux.Handle("POST /pay/{reference}", own.Handler(http.HandlerFunc(c.payNow)))
	}
	c.requests.HandleFunc("GET "+LookPrefix+"{name}", c.look)
	for _, mux := range []*http.ServeMux{c.mux, c.requests} {
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { c.problem(w, r, http.StatusNotFound, "missing") })
	}
	return c
}

// Run keeps open pages up to date until ctx ends. Their streams end with it, so a stopping server waits for none.
func (c *Checkout) Run(ctx context.Context) { c.watch.run(ctx, c.Every) }

// below are the folders below Prefix; every other page is of a payin.
var below = []string{RequestPrefix, RefundPrefix, LinkPrefix, LookPrefix}

// ServeHTTP implements http.Handler.
func (c *Checkout) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	guard(w.Header())
	if isFile(r.URL.Path) {
		share(w.Header(), r.URL.Path)
		c.mux.ServeHTTP(w, r)
		return
	}
	if wait := c.Visitors.Spend(r); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int((wait+time.Second-1)/time.Second))))
		c.problem(w, r, http.StatusTooManyRequests, "busy")
		return
	}
	if slices.ContainsFunc(below, func(prefix string) bool { return strings.HasPrefix(r.URL.Path, prefix) }) {
		c.requests.ServeHTTP(w, r)
		return
	}
	c.mux.ServeHTTP(w, r)
}

// guard sets the headers of every answer. The address of a page opens it, so it is passed on to nobody.
func guard(h http.Header) {
	pages.Guard(h, pages.OwnForms)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("X-Robots-Tag", "noindex, nofollow")
}

// reference reads the path's internal reference, in its one spelling.
func reference(r *http.Request) (uuid.UUID, bool) {
	text := r.PathValue("reference")
	id, err := uuid.Parse(text)
	return id, err == nil && id.String() == text
}

// view returns the page of a payin; pay.ErrNotFound when there is no such payin.
func (c *Checkout) view(ctx context.Context, id uuid.UUID) (*view, error) {
	found, err := c.views(ctx, []uuid.UUID{id})
	if err == nil && found[id] == nil {
		err = pay.ErrNotFound
	}
	return found[id], err
}

// views reads the pages of payins, all in the same few statements.
func (c *Checkout) views(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]*view, error) {
	var payins []store.PayerPayin
	var transfers map[uuid.UUID]*pay.PayinTransfers
	var heads map[string]int64
	err := c.Store.Snapshot(ctx, func(tx *store.Store) (err error) { // of one moment: money credited meanwhile is not also on its way
		if payins, err = tx.PayerPayins(ctx, ids...); err != nil || len(payins) == 0 {
			return err
		}
		if transfers, err = tx.TransfersOf(ctx, ids...); err != nil {
			return err
		}
		heads, err = tx.Heads(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make(map[uuid.UUID]*view, len(payins))
	for i := range payins {
		p := &payins[i]
		v := viewOf(p, transfers[p.ID], heads, c.Networks)
		v.Payable = c.Pay != nil && v.Simulated && p.Status == pay.PayinPending
		if err := v.seal(); err != nil {
			return nil, err
		}
		out[p.ID] = v
	}
	return out, nil
}

// seal notes the content of the view, but for the seconds left.
func (v *view) seal() error {
	left := v.Left
	v.Left = 0
	text, err := json.Marshal(v)
	v.Left, v.version = left, string(text)
	if err != nil {
		return fmt.Errorf("seal the page of %s: %w", v.ID, err)
	}
	return nil
}

// failed answers an error of the database.
func (c *Checkout) failed(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, pay.ErrNotFound) {
		c.problem(w, r, http.StatusNotFound, "missing")
		return
	}
	if r.Context().Err() != nil {
		c.Log.WithError(err).Debug("the client hung up")
		panic(http.ErrAbortHandler)
	}
	c.Log.WithError(err).Warn("a payment page could not be shown")
	w.Header().Set("Retry-After", "5")
	c.problem(w, r, http.StatusServiceUnavailable, "away")
}
