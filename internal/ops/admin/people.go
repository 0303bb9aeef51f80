package admin

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"causeway/internal/people"
	"causeway/internal/store"
)

// Invitation is a link that makes somebody a person of a merchant. It is good once, for three days.
type Invitation struct {
	ID         uuid.UUID `json:"id"`
	MerchantID uuid.UUID `json:"merchant_id"`
	Email      string    `json:"email"`
	Role       string    `json:"role"`
	InvitedBy  string    `json:"invited_by"`
	MadeAt     time.Time `json:"made_at"`
	EndsAt     time.Time `json:"ends_at"`
	Path       string    `json:"path,omitempty"` // of the link, shown when it is made and never again
	Link       string    `json:"link,omitempty"` // the whole of it, where it is known where merchants reach the panel
}

func viewInvitation(i *store.Invitation) Invitation {
	return Invitation{ID: i.ID, MerchantID: i.MerchantID, Email: i.Email, Role: i.Role, InvitedBy: i.InvitedBy, MadeAt: i.MadeAt, EndsAt: i.EndsAt}
}

// Person is a person of a merchant.
type Person struct {
	MerchantID uuid.UUID  `json:"merchant_id"`
	Email      string     `json:"email"`
	Name       string     `json:"name"`
	Role       string     `json:"role"`
	TOTP       bool       `json:"totp"`      // logs in with a code, too
	Passkeys   int        `json:"passkeys"`  // how many the person has
	LockedAt   *time.Time `json:"locked_at"` // after 50 wrong codes in a row
	Settled    bool       `json:"settled"`   // may move money with the code, as far as the role lets them
	CreatedAt  time.Time  `json:"created_at"`
}

// People are the persons of a merchant, and the invitations that are still good.
type People struct {
	People      []Person     `json:"people"`
	Invitations []Invitation `json:"invitations"`
}

// PanelPath begins the address of every page of the merchants' panel.
const PanelPath = "/panel/"

// The paths of links, before their tokens.
const (
	invitationPath = PanelPath + "invitation?token="
	resetPath      = PanelPath + "reset?token="
)

// InvitePerson makes a link by which its holder becomes a person of a merchant. It goes
// out by e-mail, too. An older link to the same address is good no more.
func (a *Admin) InvitePerson(ctx context.Context, merchant uuid.UUID, email, role string) (*Invitation, error) {
	address := people.Address(email)
	if address == "" {
		return nil, misread("%q is not an e-mail address", email)
	}
	if err := memberRole(role); err != nil {
		return nil, err
	}
	token := linkToken()
	i := &store.Invitation{ID: uuid.Must(uuid.NewV7()), MerchantID: merchant, Email: address, Role: role, InvitedBy: a.Actor}
	var view Invitation
	err := a.Change(ctx, "person.invite", "merchant:"+merchant.String(), func(tx *store.Store) (before, after any, err error) {
		if _, err := tx.MerchantForUpdate(ctx, merchant); err != nil {
			return nil, nil, named(err, "merchant %s", merchant)
		}
		rows, err := tx.Members(ctx, merchant)
		if err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(rows, func(m store.MemberRow) bool { return m.Email == address }) {
			return nil, nil, refuse("%s is a person of this merchant already", address)
		}
		if err := tx.EndInvitationsTo(ctx, merchant, address, ""); err != nil {
			return nil, nil, err
		}
		if err := tx.AddInvitation(ctx, i, people.LinkHash(token)); err != nil {
			return nil, nil, err
		}
		view = viewInvitation(i)
		return nil, view, a.mailInvitation(ctx, tx, i, invitationPath+token)
	})
	if err != nil {
		return nil, err
	}
	view.Path = invitationPath + token
	return &view, nil
}

// RevokeInvitation ends an invitation that is still good.
func (a *Admin) RevokeInvitation(ctx context.Context, merchant, id uuid.UUID) error {
	return a.Change(ctx, "person.uninvite", "merchant:"+merchant.String(), func(tx *store.Store) (before, after any, err error) {
		done, err := tx.EndInvitation(ctx, merchant, id)
		if err == nil && !done {
			err = refuse("there is no invitation %s of this merchant that is still good", id)
		}
		return nil, map[string]any{"merchant_id": merchant, "invitation": id}, err
	})
}

// People lists the persons of a merchant, and its invitations.
func (a *Admin) People(ctx context.Context, merchant uuid.UUID) (*People, error) {
	if _, err := a.Store.Merchant(ctx, merchant); err != nil {
		return nil, named(err, "merchant %s", merchant)
	}
	rows, err := a.Store.Members(ctx, merchant)
	if err != nil {
		return nil, err
	}
	open, err := a.Store.Invitations(ctx, merchant)
	out := &People{People: make([]Person, len(rows)), Invitations: make([]Invitation, len(open))}
	for i, m := range rows {
		out.People[i] = Person{MerchantID: merchant, Email: m.Email, Name: m.Name, Role: m.Role, TOTP: m.Coded, Passkeys: m.Passkeys, LockedAt: m.LockedAt, Settled: m.Settled, CreatedAt: m.CreatedAt}
	}
	for i := range open {
		out.Invitations[i] = viewInvitation(&open[i])
	}
	return out, err
}

// SetPersonRole changes what a person may do for a merchant, from the next request on. Links that the person has made, or was sent, are
// good no more.
func (a *Admin) SetPersonRole(ctx context.Context, merchant uuid.UUID, email, role string) error {
	if err := memberRole(role); err != nil {
		return err
	}
	return a.changeMember(ctx, "person.role", merchant, email, map[string]any{"role": role}, func(tx *store.Store, person uuid.UUID) (bool, error) {
		if err := tx.EndInvitationsTo(ctx, merchant, people.Address(email), people.Actor(people.Address(email))); err != nil {
			return false, err
		}
		return tx.SetMemberRole(ctx, merchant, person, role)
	})
}

// RemovePerson ends what a person may do for a merchant, from the next request on. Links that the person has made, or was sent, are good
// no more: nobody comes back by one.
func (a *Admin) RemovePerson(ctx context.Context, merchant uuid.UUID, email string) error {
	return a.changeMember(ctx, "person.remove", merchant, email, nil, func(tx *store.Store, person uuid.UUID) (bool, error) {
		if err := tx.EndInvitationsTo(ctx, merchant, people.Address(email), people.Actor(people.Address(email))); err != nil {
			return false, err
		}
		return tx.RemoveMember(ctx, merchant, person)
	})
}

// RemovePersonOrInvitation is RemovePerson, or ends the invitations of an e-mail address that nobody has accepted.
func (a *Admin) RemovePersonOrInvitation(ctx context.Context, merchant uuid.UUID, email string) error {
	all, err := a.People(ctx, merchant)
	if err != nil {
		return err
	}
	found := false
	for _, i := range all.Invitations {
		if i.Email == people.Address(email) {
			found = true
			if err := a.RevokeInvitation(ctx, merchant, i.ID); err != nil {
				return err
			}
		}
	}
	if found && !slices.ContainsFunc(all.People, func(m Person) bool { return m.Email == people.Address(email) }) {
		return nil
	}
	return a.RemovePerson(ctx, merchant, email)
}

func (a *Admin) changeMember(ctx context.Context, action string, merchant uuid.UUID, email string, said map[string]any,
	work func(tx *store.Store, person uuid.UUID) (bool, error)) error {
	return a.Change(ctx, action, "merchant:"+merchant.String(), func(tx *store.Store) (before, after any, err error) {
		if _, err := tx.MerchantForUpdate(ctx, merchant); err != nil { // one change of its people at a time
			return nil, nil, named(err, "merchant %s", merchant)
		}
		p, err := tx.PersonNamed(ctx, people.Address(email))
		if err != nil {
			return nil, nil, named(err, "person %q of this merchant", email)
		}
		done, err := work(tx, p.ID)
		if err == nil && !done {
			err = refuse("there is no person %q of this merchant", email)
		}
		if err == nil {
			err = a.ownerLeft(ctx, tx, merchant)
		}
		view := map[string]any{"merchant_id": merchant, "email": p.Email}
		for name, value := range said {
			view[name] = value
		}
		return nil, view, err
	})
}

// ownerLeft refuses a change by a person of the merchant that leaves it without an owner: two owners may remove each other at once. An
// operator can invite another one.
func (a *Admin) ownerLeft(ctx context.Context, tx *store.Store, merchant uuid.UUID) error {
	if !strings.HasPrefix(a.Actor, people.Actor("")) {
		return nil
	}
	rows, err := tx.Members(ctx, merchant)
	if err == nil && !slices.ContainsFunc(rows, func(m store.MemberRow) bool { return m.Role == people.Owner }) {
		err = refuse("the merchant would have no owner")
	}
	return err
}

// Unlocked is a person who may log in again.
type Unlocked struct {
	Email string `json:"email"`
	TOTP  bool   `json:"totp"` // still logs in with a code

	Passkeys int `json:"passkeys"` // how many the person still has
}

// UnlockPerson lets a person log in again after too many wrong codes, and without a code or a passkey when drop is set: for a lost device. Every
// login of the person ends.
func (a *Admin) UnlockPerson(ctx context.Context, email string, drop bool) (*Unlocked, error) {
	address := people.Address(email)
	view := &Unlocked{Email: address}
	err := a.Change(ctx, "person.unlock", people.Actor(address), func(tx *store.Store) (before, after any, err error) {
		p, err := tx.PersonForUpdate(ctx, address)
		if err != nil {
			return nil, nil, named(err, "person %q", email)
		}
		if p.LockedAt == nil && !drop {
			return nil, nil, refuse("%s is not locked", p.Email)
		}
		p.LockedAt, p.WrongCodes = nil, 0
		if drop {
			p.TOTP, p.TOTPOffered, p.TOTPStep, p.Passkeys = nil, nil, 0, 0
			if err := tx.RemovePasskeys(ctx, p.ID); err != nil {
				return nil, nil, err
			}
		}
		if err := tx.SavePerson(ctx, p); err != nil {
			return nil, nil, err
		}
		view.TOTP, view.Passkeys = p.TOTP != nil, p.Passkeys
		return nil, view, tx.EndPersonSessions(ctx, p.ID, nil)
	})
	return view, err
}

func memberRole(role string) error {
	if !slices.Contains(people.Roles, role) {
		return misread("there is no role %q: %s are", role, strings.Join(people.Roles, ", "))
	}
	return nil
}
