package people

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"causeway/internal/login"
	"causeway/internal/message"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// Login returns the person of this e-mail address and password. Address is where the request came from. A person with a TOTP secret
// has still to pass PassCode. Its errors are login.ErrNoLogin, login.ErrTooOften and ErrLocked.
func (d *Desk) Login(ctx context.Context, email, password, address string) (*store.Person, error) {
	email = Address(email)
	if email == "" {
		return nil, login.ErrNoLogin // nobody's, and nothing to be kept
	}
	var p *store.Person
	err := login.Try(ctx, store.PersonTries{Store: d.Store}, email, address, func() (known bool, err error) {
		p, err = d.Store.PersonNamed(ctx, email)
		if errors.Is(err, pay.ErrNotFound) {
			p, err = nil, nil
		}
		if err != nil {
			return false, err
		}
		hash := ""
		if p != nil {
			hash = p.Password
		}
		if len(password) > login.LongestPassword || !vault.PasswordFits(password, hash) {
			err = login.ErrNoLogin
		} else if p.LockedAt != nil {
			err = ErrLocked
		}
		return p != nil, err
	})
	return p, err
}

// PassCode takes a person's code after the right password.
func (d *Desk) PassCode(ctx context.Context, email, code, address string) error {
	return login.Try(ctx, store.PersonTries{Store: d.Store}, email, address, func() (known bool, err error) {
		err = d.spendCode(ctx, email, code)
		if errors.Is(err, errCode) {
			err = login.ErrNoLogin
		}
		return true, err
	})
}

// Prove checks that a session is still in its person's hands: by its passkey where it began with one, by a code for somebody with a
// TOTP secret, else by the password. A wrong one counts as a failed login.
func (d *Desk) Prove(ctx context.Context, p *store.Person, proof, address string, session *store.PersonSession) error {
	var err error
	switch {
	case session.PasskeyID.Valid:
		err = d.PassPasskey(ctx, p, session, proof, address)
	case p.TOTP != nil:
		err = d.PassCode(ctx, p.Email, proof, address)
	default:
		_, err = d.Login(ctx, p.Email, proof, address)
	}
	if err != nil {
		return err
	}
	return d.Store.NotePersonProof(ctx, session.Hash)
}

// Entry is where and how somebody logs in.
type Entry struct {
	Session []byte // the hash of the new cookie
	Waited  []byte // of the cookie before the code; nil when there was none
	Address string
	Agent   string        // as the browser names itself
	Passkey uuid.NullUUID // the one of LoginPasskey
}

// ErrPasskey is for a right password of a person with passkeys and no code.
var ErrPasskey = errors.New("you log in with a passkey: a password alone is not enough")

const longestAgent = 300

// LetIn begins a session of a person as Login returned it. With a TOTP secret the session waits for PassCode; after PassCode, LetIn is
// given the waiting session and ends it. A person with passkeys alone is let in by one: without, it is ErrPasskey. A secret offered to an
// earlier session is dropped: whoever saw it there may be somebody else. It answers login.ErrNoLogin when the earlier checks no longer hold.
func (d *Desk) LetIn(ctx context.Context, p *store.Person, e Entry) error {
	passed := p.TOTP == nil || e.Waited != nil || e.Passkey.Valid
	if p.TOTP == nil && p.Passkeys > 0 && !e.Passkey.Valid {
		return ErrPasskey
	}
	return d.Store.InTx(ctx, func(tx *store.Store) error {
		of, err := tx.MembershipsOf(ctx, p.ID)
		if err != nil {
			return err
		}
		n := &store.PersonSession{ID: uuid.New(), Hash: e.Session, Passed: passed, PasskeyID: e.Passkey, Address: e.Address, Agent: e.Agent[:min(len(e.Agent), longestAgent)]}
		said := map[string]any{"from": e.Address}
		if len(of) > 0 {
			n.MerchantID = uuid.NullUUID{UUID: of[0].MerchantID, Valid: true}
			said["merchant_id"] = of[0].MerchantID
		}
		if err := tx.DropOfferedCode(ctx, p.ID); err != nil {
			return err
		}
		done, err := tx.AddPersonSession(ctx, n, p)
		if err == nil && done && e.Waited != nil {
			done, err = endWaiting(ctx, tx, p, e.Waited)
		}
		switch {
		case err != nil:
			return err
		case !done:
			return login.ErrNoLogin
		case !passed:
			return nil
		}
		if err := tellOfLogin(ctx, tx, p, e.Address); err != nil {
			return err
		}
		return tx.AddAudit(ctx, Actor(p.Email), "person.login", Actor(p.Email), nil, said)
	})
}

// tellOfLogin tells a person of a login from an address from which there was none for a month.
func tellOfLogin(ctx context.Context, tx *store.Store, p *store.Person, address string) error {
	known, err := store.PersonTries{Store: tx}.LoggedInFrom(ctx, p.Email, address, login.KnownFor)
	if err != nil || known {
		return err
	}
	return Tell(ctx, tx, p, message.NewLogin, "Somebody has logged in as you from "+address+". If it was not you, set another password at once, and tell the operator of this service.")
}

// endWaiting ends the session that waited for the code; false when it has ended.
func endWaiting(ctx context.Context, tx *store.Store, p *store.Person, hash []byte) (bool, error) {
	was, _, err := tx.PersonSessionOf(ctx, hash, codeTime, codeTime, codeTime)
	if errors.Is(err, pay.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return tx.EndPersonSession(ctx, p.ID, was.ID)
}

// EndSession ends a login of a person; pay.ErrNotFound when the person has none of this id.
func (d *Desk) EndSession(ctx context.Context, p *store.Person, id uuid.UUID) error {
	return d.Store.InTx(ctx, func(tx *store.Store) error {
		done, err := tx.EndPersonSession(ctx, p.ID, id)
		if err == nil && !done {
			err = pay.ErrNotFound
		}
		if err != nil {
			return err
		}
		return tx.AddAudit(ctx, Actor(p.Email), "person.logout", Actor(p.Email), nil, nil)
	})
}

// Choose turns a session to another merchant of its person; pay.ErrNotFound when the person does not act for it.
func (d *Desk) Choose(ctx context.Context, p *store.Person, session []byte, merchant uuid.UUID) error {
	return d.Store.InTx(ctx, func(tx *store.Store) error {
		done, err := tx.ChooseMerchant(ctx, session, merchant)
		if err == nil && !done {
			err = pay.ErrNotFound
		}
		if err != nil {
			return err
		}
		return tx.AddAudit(ctx, Actor(p.Email), "person.switch", Actor(p.Email), nil, map[string]any{"merchant_id": merchant})
	})
}
