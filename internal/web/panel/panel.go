// Package panel serves the people of merchants in a browser, on the API's public address: their balances and lists, their keys and
// webhooks, and each other (docs/spec/panel.md). It shares no login, no session and no row of people with the operators' console.
package panel

import (
	"context"
	"embed"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/sirupsen/logrus"

	"causeway/internal/ops/admin"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/web/pages"
	"causeway/internal/web/room"
)

//go:embed pages
var files embed.FS

// Prefix begins the address of every page.
const Prefix = admin.PanelPath

// Visitors name the senders of requests, and count these.
type Visitors interface {
	// Origin returns the name of a request's sender.
	Origin(r *http.Request) string
	// Spend takes one request of its sender's quota; it returns how long to wait where there was none.
	Spend(r *http.Request) time.Duration
}

// Deps has everything the panel needs.
type Deps struct {
	Store    *store.Store
	Vault    *vault.Vault
	Visitors Visitors
	Log      logrus.FieldLogger
	Address  string // of the service as people reach it, without a path: links begin with it, whatever a request calls its host

	Mails       bool // people are told of things by e-mail
	Withdrawals Withdrawals
	Refunds     Refunds
	Deposits    Deposits
	PayerPage   func(payin uuid.UUID) string // the address of a payin's page for its payer; nil where there are none
	Requests    Requests
	RequestPage func(id uuid.UUID) string // address of a request's page for its payer
	Links       Links
	LinkPage    func(slug string) string // address of a link's page for its payers
	LogoPath    func(hash string) string // where a logo is shown
	EmbedScript string                   // address of the script for pages of shops
	EmbedPinned string                   // the same, with the script's hash
	// Receivers says why webhooks cannot be sent to an address; empty for one to be used.
	Receivers func(ctx context.Context, url string) (why string, err error)
	// Payable says why a network cannot pay to an address; empty for one to be used.
	Payable func(network, address string) (why string, err error)
	// Redeliver sends a webhook of a merchant once more, or returns pay.ErrNotFound. Its audit row names the actor.
	Redeliver func(ctx context.Context, merchant, delivery uuid.UUID, actor string) (Redelivery, error)
	// WebhooksKept is how many days after their end webhooks are deleted; 0 = they are kept for ever.
	WebhooksKept int
}

// Redelivery is the delivery by which a webhook is sent once more. Already: it was there. With Wait there is none yet: there were too many
// within the hour.
type Redelivery struct {
	ID      uuid.UUID
	Already bool
	Wait    time.Duration
}

// Panel answers everything below Prefix.
type Panel struct {
	Deps
	handler http.Handler
	pages   *pages.Set
	cookies room.Cookies
	desk    *people.Desk
}

// New makes the panel.
func New(d Deps) *Panel {
	p := &Panel{Deps: d, pages: room.New(files, Prefix, "panel", false, nil), desk: &people.Desk{Store: d.Store, Vault: d.Vault, Passkeys: people.NewPasskeys(d.Address)}}
	mux := http.NewServeMux()
	p.routes(mux)
	guarded := http.NewCrossOriginProtection().Handler(mux)
	p.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		room.Strictly(w, r)
		pages.Guard(w.Header(), pages.OwnForms)
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		if wait := p.Visitors.Spend(r); wait > 0 {
			p.tooMany(w, wait)
			return
		}
		guarded.ServeHTTP(w, r)
	})
	return p
}

// ServeHTTP implements http.Handler.
func (p *Panel) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.handler.ServeHTTP(w, r) }

// router takes the handlers of patterns, as http.ServeMux does.
type router interface {
	Handle(pattern string, handler http.Handler)
	HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request))
}

// routes is the table of contents: the pages, and the acts with the kind of right each takes.
func (p *Panel) routes(mux router) {
	mux.Handle("GET "+Prefix+pages.Files, p.pages)
	mux.HandleFunc("GET "+Prefix+"login", p.loginPage)
	mux.HandleFunc("POST "+Prefix+"login", p.login)
	mux.HandleFunc("POST "+Prefix+"login/code", p.loginCode)
	mux.HandleFunc("POST "+Prefix+"logout", p.logout)
	if p.desk.Passkeys != nil {
		mux.HandleFunc("POST "+Prefix+"login/passkey", p.loginPasskey)
		mux.HandleFunc("POST "+Prefix+"login/passkey/challenge", p.loginChallenge)
		mux.HandleFunc("POST "+Prefix+challengePath, p.proofChallenge)
	}
	mux.HandleFunc("GET "+Prefix+"invitation", p.invitationPage)
	mux.HandleFunc("POST "+Prefix+"invitation", p.accept)
	mux.HandleFunc("GET "+Prefix+"reset", p.resetPage)
	mux.HandleFunc("POST "+Prefix+"reset", p.reset)
	for path, make := range pageAt {
		mux.HandleFunc("GET "+Prefix+path, p.page(make))
	}
	for path, a := range acts {
		mux.HandleFunc("POST "+Prefix+path, p.act(a))
	}
	mux.HandleFunc("GET "+Prefix+"links/{id}/code.svg", p.linkCode)
	mux.HandleFunc("GET "+Prefix, p.page(func(*visit) (*room.Page, error) { return nil, errNoPage }))
}
