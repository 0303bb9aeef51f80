package people

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/mail"
	"strings"

	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"causeway/internal/login"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// Desk lets people of merchants in, and changes their own logins.
type Desk struct {
	Store *store.Store
	Vault *vault.Vault // seals the secrets of codes

	Passkeys *webauthn.WebAuthn // nil where there are none
}

// Refusal is a change not made, in one line for the person to act on. Any other error is a failure of ours.
type Refusal string

// Error implements error.
func (r Refusal) Error() string { return string(r) }

// ErrLocked means that too many wrong codes were given.
var ErrLocked = errors.New("too many wrong codes: the operator of this service can unlock you")

const longestName = 200

// Address reads an e-mail address in the form in which it is kept: alone, and in lower case. It is empty for anything else.
func Address(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	a, err := mail.ParseAddress(text)
	if err != nil || a.Address != text || len(text) > longestName || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' }) {
		return ""
	}
	return text
}

// LinkHash is the form in which the token of an invitation is kept.
func LinkHash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// Invited is an invitation as its link shows it.
type Invited struct {
	store.Invitation
	Known bool // a person has the e-mail address already, and gives their password
}

// Invitation returns the invitation of a link that is still good, or pay.ErrNotFound.
func (d *Desk) Invitation(ctx context.Context, token string) (*Invited, error) {
	i, err := d.Store.InvitationOf(ctx, LinkHash(token))
	if err != nil {
		return nil, err
	}
	_, err = d.Store.PersonNamed(ctx, i.Email)
	if err != nil && !errors.Is(err, pay.ErrNotFound) {
		return nil, err
	}
	return &Invited{*i, err == nil}, nil
}

// Accept makes the holder of a link a person of the merchant. Somebody with the e-mail address already proves it by the password, and
// a wrong one counts as a failed login. The link is good once.
func (d *Desk) Accept(ctx context.Context, token, name, password, address string) error {
	i, err := d.Invitation(ctx, token)
	if err != nil {
		return err
	}
	if i.Known {
		p, err := d.Login(ctx, i.Email, password, address)
		if err != nil {
			return err
		}
		return d.join(ctx, token, p.Email, func(*store.Store) error { return nil })
	}
	name = strings.TrimSpace(name)
	if name == "" || len(name) > longestName || strings.ContainsRune(name, 0) {
		return Refusal("your name is missing or too long")
	}
	if problem := login.PasswordProblem(password); problem != "" {
		return Refusal(problem)
	}
	hash := vault.HashPassword(password)
	return d.join(ctx, token, i.Email, func(tx *store.Store) error {
		fresh, err := tx.AddPerson(ctx, &store.Person{ID: uuid.Must(uuid.NewV7()), Email: i.Email, Name: name, Password: hash})
		if err == nil && !fresh {
			err = Refusal("somebody has this e-mail address by now: open the link again")
		}
		return err
	})
}

// join spends an invitation and makes its person one of the merchant's, in one transaction.
func (d *Desk) join(ctx context.Context, token, email string, first func(tx *store.Store) error) error {
	return d.Store.InTx(ctx, func(tx *store.Store) error {
		i, err := tx.InvitationOf(ctx, LinkHash(token))
		if err != nil {
			return err
		}
		if done, err := tx.EndInvitation(ctx, i.MerchantID, i.ID); err != nil || !done {
			return errors.Join(err, pay.ErrNotFound)
		}
		if err := first(tx); err != nil {
			return err
		}
		p, err := tx.PersonForUpdate(ctx, email)
		if err != nil {
			return err
		}
		fresh, err := tx.AddMember(ctx, i.MerchantID, p.ID, i.Role)
		if err == nil && !fresh {
			err = Refusal("you are a person of this merchant already: the owner can change your role")
		}
		if err != nil {
			return err
		}
		return tx.AddAudit(ctx, Actor(email), "person.join", Actor(email), nil,
			map[string]any{"merchant_id": i.MerchantID, "role": i.Role, "invited_by": i.InvitedBy})
	})
}
