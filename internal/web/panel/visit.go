package panel

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// The cookies.
const (
	sessionCookie = "causeway-panel"
	flashCookie   = "causeway-panel-flash"
)

// visit is one request of a person logged in, who looks at one merchant.
type visit struct {
	*room.Asked
	Person    *store.Person
	Merchants []store.Membership // of the person
	Role      string             // for the merchant that is looked at; empty without a merchant
	Merchant  uuid.UUID
	Called    string // the name of the merchant
	CSRF      string
	member    store.Membership // for the merchant that is looked at
	panel     *Panel
	session   *store.PersonSession
}

// May reports whether the person has the right to a kind of act for the merchant.
func (v *visit) May(act people.Act) bool { return people.May(v.Role, act) }

// coded reports whether the person is let in by more than a password: this login's passkey, or a code.
func (v *visit) coded() bool { return v.session.PasskeyID.Valid || v.Person.TOTP != nil }

// settled reports whether that may move the merchant's money, and when it will.
func (v *visit) settled() (bool, *time.Time) {
	if v.session.PasskeyID.Valid {
		return v.session.Settled, v.session.SettlesAt
	}
	return v.member.Settled, v.member.SettlesAt
}

// admin makes changes in the name of the person.
func (v *visit) admin() *admin.Admin {
	return &admin.Admin{Store: v.panel.Store, Vault: v.panel.Vault, Actor: people.Actor(v.Person.Email)}
}

// given returns a field of the form.
func (v *visit) given(name string) string { return room.Clean(v.PostForm.Get(name)) }

// known returns the visit of a request's sender; pay.ErrNotFound is nobody. The merchant is the one chosen in the session, or the
// first of the person's where that one is theirs no more.
func (p *Panel) known(r *http.Request) (*visit, error) {
	token := p.cookies.Get(r, sessionCookie)
	if token == "" {
		return nil, pay.ErrNotFound
	}
	s, person, err := p.desk.Session(r.Context(), room.HashOf(token))
	if err != nil {
		return nil, err
	}
	v := &visit{Asked: &room.Asked{Request: r}, Person: person, panel: p, session: s}
	defer func() { v.CSRF = room.CSRFOf(token + v.Merchant.String()) }() // a form of one merchant is none of another
	if v.Merchants, err = p.Store.MembershipsOf(r.Context(), person.ID); err != nil || len(v.Merchants) == 0 {
		return v, err
	}
	at := max(0, slices.IndexFunc(v.Merchants, func(m store.Membership) bool { return s.MerchantID.Valid && m.MerchantID == s.MerchantID.UUID }))
	v.member = v.Merchants[at]
	v.Merchant, v.Called, v.Role = v.member.MerchantID, v.member.Merchant, v.member.Role
	return v, nil
}

// toLogin sends a browser to the login and back afterwards.
func (p *Panel) toLogin(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		http.Error(w, "log in at "+Prefix+"login", http.StatusUnauthorized)
		return
	}
	http.Redirect(w, r, room.Query(Prefix+"login", "to", r.URL.RequestURI()), http.StatusSeeOther)
}

// own reports whether a page is the person's own, and no merchant's.
func own(path string) bool {
	return path == Prefix+"account" || strings.HasPrefix(path, Prefix+"account/") || path == Prefix+"merchant"
}
