// Package console serves the operators of money in a browser: balances, movements, matters waiting for a decision, and the acts of
// an operator (operator §Console). It writes through admin alone, so each act has its audit row, and reads from store. Pages are
// written on the server; they ask nobody outside for anything.
package console

import (
	"context"
	"net/http"
	"time"

	"github.com/sirupsen/logrus"

	"causeway/internal/ops/onchain"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/web/pages"
	"causeway/internal/web/panel"
	"causeway/internal/web/room"
)

// Prefix begins the address of every page.
const Prefix = "/console/"

// Network is a configured network as the pages name it.
type Network struct {
	Name string
	Kind string // sandbox, or the family of its connector
	Hot  string // address of the hot wallet; empty when it is not known here
}

// Deps has everything the console needs.
type Deps struct {
	Store    *store.Store
	Vault    *vault.Vault
	Networks []Network
	Live     []string // the real ones of them
	Log      logrus.FieldLogger

	// OnChain has the acts on networks.
	OnChain *onchain.Operator

	// Origin names where a request came from, for counting failed logins.
	Origin func(*http.Request) string
	// Inbox is set if this process has the inbox of dev, for the menu.
	Inbox bool
	// PanelAt is where merchants reach their panel, before its path; empty when it is not known.
	PanelAt string
	// Panel has the addresses that pages of the merchants' panel name; nil where merchants have no panel.
	Panel *panel.Deps
	// LiveBooks is set for live books: nothing of the port is open before there is an operator, and an admin logs in with a code.
	LiveBooks bool
	// Sandbox is set for the console of a sandbox beside live networks; each page says so.
	Sandbox bool
	// Mails is set where messages are sent to people by e-mail.
	Mails bool
	// WebhooksKept is how many days after their end webhooks are deleted; 0 = they are kept for ever.
	WebhooksKept int
	// Demo is shown on the login page of a sandbox; nil anywhere else.
	Demo func() (name, password string)
}

// Console answers everything below Prefix.
type Console struct {
	Deps
	handler http.Handler
	pages   *pages.Set
	cookies room.Cookies
}

// New makes the console.
func New(d Deps) *Console {
	c := &Console{Deps: d, cookies: room.Cookies{Sandbox: d.Sandbox}, pages: room.New(files, Prefix, "console", d.Sandbox, nil)}
	mux := http.NewServeMux()
	c.routes(mux)
	guarded := http.NewCrossOriginProtection().Handler(mux)
	c.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		room.Strictly(w, r)
		pages.Guard(w.Header(), pages.OwnForms)
		guarded.ServeHTTP(w, r)
	})
	return c
}

// ServeHTTP implements http.Handler.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.ServeHTTP(w, r) }

// patience is how long a page may ask the database.
const patience = 10 * time.Second

// routes is the table of contents: the pages, and the acts with their roles.
func (c *Console) routes(mux *http.ServeMux) {
	mux.Handle("GET "+Prefix+pages.Files, c.pages)
	mux.HandleFunc("GET "+Prefix+"login", c.loginPage)
	mux.HandleFunc("POST "+Prefix+"login", c.login)
	mux.HandleFunc("POST "+Prefix+"login/code", c.loginCode)
	mux.HandleFunc("POST "+Prefix+"logout", c.logout)
	mux.HandleFunc("GET "+Prefix+firstPath, c.firstPage)
	mux.HandleFunc("POST "+Prefix+firstPath, c.makeFirst)
	for path, make := range pageAt {
		mux.HandleFunc("GET "+Prefix+path, c.page(make))
	}
	for path, a := range acts {
		mux.HandleFunc("POST "+Prefix+path, c.act(a, proven[path]))
	}
	if c.Panel != nil {
		for path := range lookAt {
			mux.HandleFunc("GET "+Prefix+"merchants/{merchant}/panel/"+path, c.looks(path))
		}
	}
	mux.HandleFunc("GET "+Prefix, c.page(func(*visit) (*page, error) { return nil, errNoPage }))
}

// Started reports whether there ever was an operator. Before, nobody could log in.
func (c *Console) Started(ctx context.Context) (bool, error) { return c.Store.HasOperators(ctx) }
