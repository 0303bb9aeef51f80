package admin

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"time"

	"github.com/google/uuid"

	"causeway/internal/people"
	"causeway/internal/store"
)

// Reset is a link by which a person sets a new password, and logs in without a code. It is good once, for a day.
type Reset struct {
	Email  string    `json:"email"`
	EndsAt time.Time `json:"ends_at"`
	Path   string    `json:"path,omitempty"` // of the link, shown when it is made and never again
	Link   string    `json:"link,omitempty"` // the whole of it, where it is known where merchants reach the panel
}

// linkToken makes the secret of a link.
func linkToken() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	return base64.RawURLEncoding.EncodeToString(raw)
}

// ResetPerson makes a link for a person who has lost the password or the code. An older link of the person is good no more. Nothing else
// changes before the link is used.
func (a *Admin) ResetPerson(ctx context.Context, email string) (*Reset, error) {
	token, view := linkToken(), &Reset{Email: people.Address(email)}
	err := a.Change(ctx, "person.reset-link", people.Actor(view.Email), func(tx *store.Store) (before, after any, err error) {
		p, err := tx.PersonForUpdate(ctx, view.Email)
		if err != nil {
			return nil, nil, named(err, "person %q", email)
		}
		if view.EndsAt, err = tx.AddPersonReset(ctx, people.LinkHash(token), p.ID, uuid.NullUUID{}, a.Actor); err != nil {
			return nil, nil, err
		}
		return nil, *view, nil
	})
	view.Path = resetPath + token
	return view, err
}

// ResetMember is ResetPerson by an owner of a merchant. It is refused for a person of other merchants too: the owner could log in there.
func (a *Admin) ResetMember(ctx context.Context, merchant uuid.UUID, email string) (*Reset, error) {
	token, view := linkToken(), &Reset{Email: people.Address(email)}
	err := a.changeMember(ctx, "person.reset-link", merchant, email, nil, func(tx *store.Store, person uuid.UUID) (bool, error) {
		if _, err := tx.PersonForUpdate(ctx, view.Email); err != nil {
			return false, err
		}
		of, err := tx.MembershipsOf(ctx, person)
		if err != nil {
			return false, err
		}
		switch {
		case len(of) > 1:
			return false, refuse("%s acts for other merchants too: ask the operator of this service for the link", view.Email)
		case len(of) == 0 || of[0].MerchantID != merchant:
			return false, nil
		}
		theirs := uuid.NullUUID{UUID: merchant, Valid: true}
		if view.EndsAt, err = tx.AddPersonReset(ctx, people.LinkHash(token), person, theirs, a.Actor); err != nil {
			return false, err
		}
		return true, nil
	})
	view.Path = resetPath + token
	return view, err
}

// TrustPerson lets a person move money of a merchant with a login code that is younger than a day.
func (a *Admin) TrustPerson(ctx context.Context, merchant uuid.UUID, email string) error {
	return a.changeMember(ctx, "person.trust", merchant, email, nil, func(tx *store.Store, person uuid.UUID) (bool, error) {
		done, err := tx.TrustMember(ctx, merchant, person)
		if err == nil && !done {
			err = refuse("there is no person %q of this merchant who logs in with a code", email)
		}
		return done, err
	})
}
