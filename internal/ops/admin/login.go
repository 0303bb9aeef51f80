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

// How often logins may fail, under one name and from one address, before nobody is let in for the rest of the time. An address from
// which the name was logged in lately counts apart from the other addresses of the name.
const (
	failuresWithin    = 15 * time.Minute
	failuresOfName    = 10
	failuresOfAddress = 20
	addressKept       = 30 * 24 * time.Hour // how long an address from which an operator logged in has a count of its own
)

// What Login and PassCode answer when they let nobody in. They say no more: who guesses must not learn what was right.
var (
	ErrNoLogin  = errors.New("name, password or code is wrong")
	ErrTooOften = errors.New("too many failed logins: wait a quarter of an hour")
	ErrLocked   = errors.New("too many wrong codes: another admin, or causeway admin operator unlock, lets this operator log in again")
)

// Login returns the operator whose name and password these are. Address is where the request came from. An operator with a
// TOTP secret has still to pass PassCode.
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

// Prove takes the proof that whoever has a session is still the operator: a code where the operator logs in with one, and the password
// elsewhere. A wrong one counts as a login that failed.
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

// PassCode takes the code of an operator whose password was right.
func (a *Admin) PassCode(ctx context.Context, name, code, address string) error {
	return a.try(ctx, name, address, func() (known bool, err error) {
		err = a.spendCode(ctx, name, code)
		if errors.Is(err, errCode) {
			err = ErrNoLogin
		}
		return true, err
	})
}

// try lets a login be tried where not too many have failed. It is counted from its beginning, so that many at once are not
// more than one after the other; one that ends otherwise than with ErrNoLogin is not counted any more.
func (a *Admin) try(ctx context.Context, name, address string, login func() (known bool, err error)) error {
	if !operatorName.MatchString(name) {
		return ErrNoLogin // nobody's, and nothing to be kept
	}
	try, ofName, ofAddress := uuid.New(), "name:"+name, "ip:"+address
	own, err := a.Store.LoggedInFrom(ctx, name, address, addressKept)
	if err != nil {
		return err
	}
	if own { // whoever guesses elsewhere must not keep the operator out
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
	// A name that nobody has would let anybody write into the audit; who hangs up is in it as well.
	return errors.Join(err, a.Store.AuditFailedLogin(context.WithoutCancel(ctx), name, address, known))
}

// tooOften reports whether more logins than may have failed, the one that is being tried included.
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

// LetIn begins a session of an operator as Login returned it; one with a TOTP secret waits in it for PassCode. After that, LetIn is
// given the session that waited, which ends. It answers ErrNoLogin when what was checked does not hold any more: the password or
// the TOTP secret was changed meanwhile, the operator was disabled, or the session that waited has ended.
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

// inSession does what an operator does about the own login, in a transaction in which the session cannot end. It is refused when
// the session has ended: what ends it, as a new password does, holds for everything that comes after it.
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
