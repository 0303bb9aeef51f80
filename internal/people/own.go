package people

import (
	"context"
	"errors"
	"fmt"
	"time"

	"causeway/internal/login"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// How long a login lasts: without being used, and at most.
const (
	IdleTime    = 30 * time.Minute
	LongestTime = 12 * time.Hour
	ProofTime   = 5 * time.Minute // how long a password or a code stands for acts in need of a fresh one
	codeTime    = 5 * time.Minute // between the password and the code
)

// Session reads a live session with its person, or returns pay.ErrNotFound. A session that waits for its code is live for five
// minutes.
func (d *Desk) Session(ctx context.Context, hash []byte) (*store.PersonSession, *store.Person, error) {
	return d.Store.PersonSessionOf(ctx, hash, IdleTime, LongestTime, ProofTime)
}

// Sessions lists the live logins of a person, newest first.
func (d *Desk) Sessions(ctx context.Context, p *store.Person) ([]store.PersonSession, error) {
	return d.Store.PersonSessions(ctx, p.ID, IdleTime, LongestTime)
}

// Waits reports whether a session waits for its code, and still may.
func Waits(s *store.PersonSession) bool { return !s.Passed && time.Since(s.CreatedAt) < codeTime }

// OfferedCode is a secret for an authenticator app. It counts once its first code was given.
type OfferedCode struct{ Secret, URL string }

// Offer returns a secret for a person's authenticator app: the one offered before, or a fresh one.
func (d *Desk) Offer(ctx context.Context, p *store.Person, session []byte) (*OfferedCode, error) {
	var out OfferedCode
	err := d.own(ctx, p, session, func(tx *store.Store, p *store.Person) error {
		place := vault.OfferedPersonTOTPPlace(p.ID.String())
		if p.TOTPOffered == nil {
			fresh, err := login.NewCodeSecret(p.Email)
			if err != nil {
				return err
			}
			p.TOTPOffered = d.Vault.Seal([]byte(fresh), place)
			if err := tx.SavePerson(ctx, p); err != nil {
				return err
			}
		}
		secret, err := d.Vault.Open(p.TOTPOffered, place)
		out = OfferedCode{string(secret), login.CodeURL(p.Email, string(secret))}
		return err
	})
	return &out, err
}

// Confirm makes the offered secret the person's if the code is one of it. Every other login of the person ends. This one goes on under a
// fresh cookie, given by its hash: with the cookie of before, nobody gains by the code.
func (d *Desk) Confirm(ctx context.Context, p *store.Person, code string, session, fresh []byte) error {
	return d.own(ctx, p, session, func(tx *store.Store, p *store.Person) error {
		if p.TOTPOffered == nil {
			return Refusal("there is no secret to confirm: open the page with the QR code first")
		}
		secret, err := d.Vault.Open(p.TOTPOffered, vault.OfferedPersonTOTPPlace(p.ID.String()))
		if err != nil {
			return err
		}
		step, fits := login.CodeFits(string(secret), code, 0, time.Now())
		if !fits {
			return Refusal("the code is wrong: check the clock of the device")
		}
		p.TOTP, p.TOTPOffered, p.TOTPStep = d.Vault.Seal(secret, vault.PersonTOTPPlace(p.ID.String())), nil, step
		if err := d.saved(ctx, tx, p, "person.totp", session); err != nil {
			return err
		}
		if err := tx.NoteCode(ctx, p.ID); err != nil {
			return err
		}
		return tx.RenewPersonSession(ctx, session, fresh)
	})
}

// SetPassword gives a person another password, and ends every login under the old one. A secret offered meanwhile is offered no more:
// somebody with the old password may have seen it. Links for a new password end too.
func (d *Desk) SetPassword(ctx context.Context, p *store.Person, password string, session []byte) error {
	if problem := login.PasswordProblem(password); problem != "" {
		return Refusal(problem)
	}
	hash := vault.HashPassword(password)
	return d.own(ctx, p, session, func(tx *store.Store, p *store.Person) error {
		p.Password, p.TOTPOffered = hash, nil
		if err := tx.EndPersonResets(ctx, p.ID); err != nil {
			return err
		}
		return d.saved(ctx, tx, p, "person.password", nil)
	})
}

// saved writes a person with an audit row, and ends every session but one.
func (d *Desk) saved(ctx context.Context, tx *store.Store, p *store.Person, action string, but []byte) error {
	if err := tx.SavePerson(ctx, p); err != nil {
		return err
	}
	if err := tx.EndPersonSessions(ctx, p.ID, but); err != nil {
		return err
	}
	return tx.AddAudit(ctx, Actor(p.Email), action, Actor(p.Email), nil, map[string]any{"totp": p.TOTP != nil})
}

// own runs a person's work on their own login in a transaction under the person's row. It refuses when the session has ended: a new
// password ends it, for instance, and holds for everything after it.
func (d *Desk) own(ctx context.Context, p *store.Person, session []byte, work func(*store.Store, *store.Person) error) error {
	return d.Store.InTx(ctx, func(tx *store.Store) error {
		held, err := tx.PersonForUpdate(ctx, p.Email)
		if err != nil {
			return err
		}
		if live, _, err := tx.PersonSessionOf(ctx, session, IdleTime, LongestTime, ProofTime); err != nil || !live.Passed {
			return Refusal("this login has ended: log in again")
		}
		return work(tx, held)
	})
}

// errCode means a wrong code, or one used before.
var errCode = errors.New("the code is wrong or was used")

// spendCode takes a code of a person's authenticator: each is good once. Wrong ones are counted until one is right, and too many lock
// the person: every login ends.
func (d *Desk) spendCode(ctx context.Context, email, code string) error {
	wrong := false
	err := d.Store.InTx(ctx, func(tx *store.Store) error {
		p, err := tx.PersonForUpdate(ctx, email)
		if err != nil {
			return err
		}
		switch {
		case p.LockedAt != nil:
			return ErrLocked
		case p.TOTP == nil: // taken off, since the password was given
			return errCode
		}
		secret, err := d.Vault.Open(p.TOTP, vault.PersonTOTPPlace(p.ID.String()))
		if err != nil {
			return fmt.Errorf("open the TOTP secret of %s: %w", email, err)
		}
		step, fits := login.CodeFits(string(secret), code, p.TOTPStep, time.Now())
		if wrong = !fits; !wrong {
			p.TOTPStep, p.WrongCodes = step, 0
			return tx.SavePerson(ctx, p)
		}
		if p.WrongCodes++; p.WrongCodes < login.WrongCodesInARow {
			return tx.SavePerson(ctx, p)
		}
		p.LockedAt = new(time.Now())
		return d.saved(ctx, tx, p, "person.locked", nil)
	})
	if err == nil && wrong {
		err = errCode
	}
	return err
}
