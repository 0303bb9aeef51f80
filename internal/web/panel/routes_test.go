package panel_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/vault"
	"causeway/internal/web/panel"
)

// demands has every act with the right and the proofs that it takes, by word. An act of no row fails the test.
var demands = map[people.Act]map[string]string{
	people.People: {"people": "proof", "people/role": "proof", "people/remove": "proof", "people/trust": "proof code", "people/reset": "proof",
		"people/invitations/{id}/end": "", "book/rule": "proof code", "confirm/rule": "proof code"},
	people.Withdraw: {"withdraw/check": "code", "withdraw": "code", "withdraw/sheet/check": "code", "withdraw/sheet": "code", "book": "proof code",
		"book/{id}/remove": "", "confirm/{form}": "code", "confirm/{form}/decline": "proof", "payins/{id}/refund/check": "code",
		"payins/{id}/refund": "code", "refunds/{id}/link": "proof code", "refunds/{id}/revoke": "", "payouts/{id}/cancel": "proof"},
	people.Deposit: {"links": "", "links/{id}/end": "", "deposit": "", "deposit/wallet": "", "payment-requests": "", "payment-requests/{id}/end": ""},
	people.Keys:    {"keys": "proof code", "keys/{key}/revoke": ""},
	people.Webhooks: {"secret/rotate": "proof", "secret/again": "proof", "secret/finish": "proof", "wallets/webhook": "proof",
		"webhooks/{id}/redeliver": ""},
	people.Shop:  {"look": "proof", "look/logo": "", "look/logo/{hash}/remove": "", "look/receipts": "proof"},
	people.Embed: {"look/sites": "proof", "look/sites/remove": ""},
	people.Chats: {"chats/{kind}": "proof", "chats/{kind}/topics": "", "chats/{kind}/test": "", "chats/{kind}/remove": ""},
	people.Look: {"merchant": "", "account/code": "proof", "account/passkeys": "proof anew", "account/passkeys/add": "", "account/passkeys/{id}/name": "",
		"account/passkeys/{id}/end": "proof anew", "account/password": "", "account/messages": "", "account/sessions/{id}/end": ""},
}

// doors are the routes before a login, or beside the pages. Each is tried by nobody: with the answer that it must give.
var doors = map[string]int{
	"GET files/": http.StatusNotFound, "GET login": http.StatusOK, "POST login": http.StatusUnauthorized, "POST login/code": http.StatusSeeOther, "POST logout": http.StatusSeeOther,
	"POST login/passkey": http.StatusUnauthorized, "POST login/passkey/challenge": http.StatusOK, "POST account/passkeys/challenge": http.StatusUnauthorized,
	"GET invitation": http.StatusNotFound, "POST invitation": http.StatusNotFound, "GET reset": http.StatusNotFound, "POST reset": http.StatusNotFound,
	"GET links/{id}/code.svg": http.StatusSeeOther, "GET ": http.StatusSeeOther,
}

// TestEveryRouteHasARow holds the router against the tables: an act under another right, without its proof, or without a row is found.
func TestEveryRouteHasARow(t *testing.T) {
	t.Parallel()
	f := openAt(t, func(port string) string { return "http://localhost:" + port })
	known := map[string]bool{}
	for _, path := range panel.Paths() {
		known["GET "+path] = true // TestEveryActByEveryRole
	}
	rights := panel.RightOf()
	for right, of := range demands {
		for path, demand := range of {
			known["POST "+path] = true
			if rights[path] != right || panel.Demands(path) != demand {
				t.Errorf("%s takes the right %q and %q", path, rights[path], panel.Demands(path))
			}
		}
	}
	nobody := f.stranger("nobody@example.com")
	for door, want := range doors {
		known[door] = true
		method, path, _ := strings.Cut(door, " ")
		if code, _, _ := nobody.ask(method, filled(path), map[string][]string{}); code != want {
			t.Errorf("%s is answered %d to nobody", door, code)
		}
	}
	routes := panel.Routes(panel.Deps{Vault: vault.New(make([]byte, vault.KeySize)), Address: "http://localhost:1"})
	for _, route := range routes {
		if !known[route] {
			t.Errorf("%s has no row", route)
		}
		delete(known, route)
	}
	if len(known) > 0 {
		t.Errorf("no route for %v", known)
	}
}

// TestAnothersIsAsNone asks for every thing of another merchant, and for one that was never there: the answers, and the number of the
// statements behind them, are the same.
func TestAnothersIsAsNone(t *testing.T) {
	t.Parallel()
	f := openAt(t, func(port string) string { return "http://localhost:" + port })
	bob := f.member(f.other, "bob@example.com", people.Owner)
	theirs := f.things(f.other, bob)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	code := ann.coded()
	ann.do("people", "email", "x", "proof", code()) // a fresh proof
	none := map[string]string{}
	for name := range theirs {
		none[name] = uuid.NewString()
	}
	none["keys/{key}"], none["look/logo/{hash}"] = "zzzzzzzzzzzz", strings.Repeat("0", 64)
	tried := 0
	for _, route := range panel.Routes(panel.Deps{Vault: vault.New(make([]byte, vault.KeySize)), Address: "http://localhost:1"}) {
		method, path, _ := strings.Cut(route, " ")
		at, _, named := strings.Cut(path, "}")
		switch {
		case !named, path == "{$}", strings.HasPrefix(path, "chats/"), strings.HasPrefix(path, "account/passkeys/"):
			continue // without the name of a thing, of kinds, and TestRemovingPasskeys
		case theirs[at+"}"] == "":
			t.Errorf("%s is not tried", route)
			continue
		}
		tried++
		ann.tries(method, path, uuid.NewString()) // reads what is kept for the next ones
		first, second := ann.tries(method, path, theirs[at+"}"]), ann.tries(method, path, none[at+"}"])
		if first != second || !strings.HasPrefix(first, "404 ") {
			t.Errorf("%s answers another's thing\n%s\nand none\n%s", route, first, second)
		}
	}
	if tried < 20 {
		t.Errorf("%d routes were tried", tried)
	}
}

// tries asks for a thing by its name, and returns the answer without this name, with the number of its statements.
func (p *person) tries(method, path, name string) string {
	p.Helper()
	before, _, _ := strings.Cut(path, "{")
	_, after, _ := strings.Cut(path, "}")
	form := map[string][]string{"csrf": {p.csrf()}, "shown": {"x"}, "code": {"000000"}, "form": {uuid.NewString()}, "token": {"USDT"}, "part": {"all"},
		"shown_amount": {"1"}, "shown_debit": {"1"}}
	begun := p.asked.n.Load()
	code, to, body := p.ask(method, before+name+after, form)
	return fmt.Sprintf("%d %s %d statements %s", code, to, p.asked.n.Load()-begun, strings.ReplaceAll(body, name, "NAME"))
}

// things makes one of each thing of a merchant, and returns its name by the beginning of its routes.
func (f *floor) things(merchant uuid.UUID, owner *person) map[string]string {
	f.Helper()
	ctx := f.Context()
	f.fund(merchant, "100")
	payin := f.paidPayin(merchant)
	payout := f.payoutUnder(pay.PanelKey(owner.email), merchant, "theirs", "10")
	delivery := f.delivery(merchant, payout.ID)
	form, _ := f.waiting(merchant, owner.email)
	link, err := fakeLinks{f.panelStore}.Make(ctx, &pay.LinkForm{RequestForm: pay.RequestForm{Form: uuid.New(), Merchant: merchant, Person: owner.email, Label: "Tea",
		Amount: "5", Currency: "EUR"}, Slug: "tea"})
	f.must(err)
	request, err := fakeRequests{f.panelStore}.Make(ctx, &pay.RequestForm{Form: uuid.New(), Merchant: merchant, Person: owner.email, Label: "Tea", Amount: "5", Currency: "EUR"})
	f.must(err)
	wallet, err := fakeDeposits{f}.Wallet(ctx, merchant, owner.email, "tron", "theirs")
	f.must(err)
	f.invited(merchant, "eve@example.com", people.Viewer)
	of, err := f.admin.People(ctx, merchant)
	f.must(err)
	key, err := f.admin.CreateKey(ctx, admin.NewKey{Merchant: merchant, Scopes: []string{"payin:read"}})
	f.must(err)
	refund, book, session := uuid.NewString(), uuid.NewString(), ""
	logo := strings.Repeat("a", 64)
	for statement, values := range map[string][]any{
		`insert into refunds (id, merchant_id, payin_id, key_id, reference_id, network, token, amount, fee_from_amount, webhook_url, expires_at)
			values (?, ?, ?, ?, 'r', 'Tron', 'USDT', 1, false, '', now() + interval '1 day')`: {refund, merchant, payin, pay.PanelKey(owner.email)},
		`insert into panel_book (id, merchant_id, network, address, memo, name, added_by) values (?, ?, 'Tron', 'T', '', 'x', 'x')`: {book, merchant},
		`insert into merchant_logos (merchant_id, hash, content) values (?, ?, '')`:                                                 {merchant, logo},
	} {
		_, err := f.db.NewRaw(statement, values...).Exec(ctx)
		f.must(err)
	}
	f.must(f.db.NewRaw("select s.id from person_sessions s join people p on p.id = s.person_id where p.email = ?", owner.email).Scan(ctx, &session))
	return map[string]string{"payins/{id}": payin.String(), "payouts/{id}": payout.ID.String(), "webhooks/{id}": delivery.ID.String(), "confirm/{form}": form.String(),
		"links/{id}": link.ID.String(), "payment-requests/{id}": request.ID.String(), "wallets/{id}": wallet.ID.String(), "people/invitations/{id}": of.Invitations[0].ID.String(),
		"keys/{key}": key.ID, "refunds/{id}": refund, "book/{id}": book, "look/logo/{hash}": logo, "account/sessions/{id}": session}
}
