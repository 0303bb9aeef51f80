package admin

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// How often logins may fail, under one name and from one address, before nobody is let in for the rest of the time. An address with
// a recent login of the name counts apart from the other addresses of the name.
const (
	failuresWithin    = 15 * time.Minute
	failuresOfName    = 10
	failuresOfAddress = 20
	addressKept       = 30 * 24 * time.Hour // how long an address has a count of its own after an operator logged in from it
)

// Errors of Login and PassCode when they let nobody in. They say no more: a guesser must not learn which part was right.
var (
	ErrNoLogin  = errors.New("name, password or code is wrong")
	ErrTooOften = errors.New("too many failed logins: try again in 15 minutes")
	ErrLocked   = errors.New("too many wrong codes: another admin, or causeway admin operator unlock, can unlock this operator")
)

// Login returns the operator of this name and password. Address is where the request came from. An operator with a TOTP secret has
// still to pass PassCode.
func (a *Admin) Login(ctx context.Context, name, password, address string) (*store.Operator, error) {
	var o *store.Operator
	err := a.try(ctx, name, address, func() (known bool, err error) {
		o, err = a.Store.OperatorNamed(ctx, name)
		if errors.Is(err, pay.ErrNotFound) {
			o, err = nil, nil
		}
		if err != nil {
			return false, err
		}
		hash := ""
		if o != nil && o.DisabledAt == nil {
			hash = o.Password
		}
		if len(password) > longestPassword || !vault.PasswordFits(password, hash) {
			err = ErrNoLogin
		} else if o.LockedAt != nil {
			err = ErrLocked
		}
		return o != nil, err
	})
	return o, err
}

// Prove checks that a session is still in its operator's hands: by a code for an operator with a TOTP secret, else by the password.
// A wrong one counts as a failed login.
func (a *Admin) Prove(ctx context.Context, o *store.Operator, proof, address string, session []byte) error {
	var err error
	if o.TOTP != nil {
		err = a.PassCode(ctx, o.Name, proof, address)
	} else {
		_, err = a.Login(ctx, o.Name, proof, address)
	}
	if err != nil {
		return err
	}
	return a.Store.NoteProof(ctx, session)
}

// PassCode takes an operator's code after the right password.
func (a *Admin) PassCode(ctx context.Context, name, code, address string) error {
	return a.try(ctx, name, address, func() (known bool, err error) {
		err = a.spendCode(ctx, name, code)
		if errors.Is(err, errCode) {
			err = ErrNoLogin
		}
		return true, err
	})
}

// try lets a login be tried unless too many have failed. It counts the login from its beginning, so many at once are no more than
// one after the other. A login is no longer counted if it ends otherwise than with ErrNoLogin.
func (a *Admin) try(ctx context.Context, name, address string, login func() (known bool, err error)) error {
	if !operatorName.MatchString(name) {
		return ErrNoLogin // nobody's, and nothing to be kept
	}
	try, ofName, ofAddress := uuid.New(), "name:"+name, "ip:"+address
	own, err := a.Store.LoggedInFrom(ctx, name, address, addressKept)
	if err != nil {
		return err
	}
	if own { // guesses from elsewhere must not keep the operator out
		ofName += " " + ofAddress
	}
	if err := a.Store.BeginTry(ctx, try, ofName, ofAddress); err != nil {
		return err
	}
	err = a.tooOften(ctx, ofName, ofAddress)
	known := false
	if err == nil {
		known, err = login()
	}
	if !errors.Is(err, ErrNoLogin) {
		return errors.Join(err, a.Store.ForgetTry(context.WithoutCancel(ctx), try))
	}
	// An unknown name is left out: with it anybody could write into the audit. A caller hanging up is in it as well.
	return errors.Join(err, a.Store.AuditFailedLogin(context.WithoutCancel(ctx), name, address, known))
}

// tooOften reports whether more logins than allowed have failed, the one under way included.
func (a *Admin) tooOften(ctx context.Context, ofName, ofAddress string) error {
	for subject, most := range map[string]int{ofName: failuresOfName, ofAddress: failuresOfAddress} {
		n, err := a.Store.Tries(ctx, subject, failuresWithin)
		if err != nil {
			return err
		}
		if n > most {
			return ErrTooOften
		}
	}
	return nil
}

// LetIn begins a session of an operator as Login returned it. With a TOTP secret the session waits for PassCode. After PassCode,
// LetIn is given the waiting session and ends it. It answers ErrNoLogin when the earlier checks no longer hold: the password or the
// TOTP secret was changed meanwhile, the operator was disabled, or the waiting session has ended.
func (a *Admin) LetIn(ctx context.Context, o *store.Operator, session, waited []byte, address string) error {
	passed := o.TOTP == nil || waited != nil
	return a.Store.InTx(ctx, func(tx *store.Store) error {
		done, err := tx.AddSession(ctx, session, o, passed, address)
		if err == nil && done && waited != nil {
			done, err = tx.EndSession(ctx, waited)
		}
		switch {
		case err != nil:
			return err
		case !done:
			return ErrNoLogin
		case !passed:
			return nil
		}
		return tx.AddAudit(ctx, o.Name, "operator.login", "operator:"+o.Name, nil, map[string]string{"from": address})
	})
}

// inSession runs an operator's work on their own login in a transaction during which the session cannot end. It refuses when the
// session has ended: a new password ends it, for instance, and holds for everything after it.
func (a *Admin) inSession(ctx context.Context, name string, session []byte, work func(own *Admin) error) error {
	return a.Store.InTx(ctx, func(tx *store.Store) error {
		o, err := tx.OperatorForUpdate(ctx, name)
		if err != nil {
			return named(err, "operator %q", name)
		}
		live, err := tx.HasSession(ctx, session, o.ID)
		if err != nil {
			return err
		}
		if !live {
			return refuse("this login has ended: log in again")
		}
		own := *a
		own.Store = tx
		return work(&own)
	})
}

// LoggedOut ends a login.
func (a *Admin) LoggedOut(ctx context.Context, session []byte) error {
	return a.Change(ctx, "operator.logout", "operator:"+a.Actor, func(tx *store.Store) (before, after any, err error) {
		_, err = tx.EndSession(ctx, session)
		return nil, nil, err
	})
}
