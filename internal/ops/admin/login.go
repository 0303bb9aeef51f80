package admin

import (
	"context"
	"errors"

	"causeway/internal/login"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// Errors of Login and PassCode when they let nobody in. They say no more: a guesser must not learn which part was right.
var (
	ErrNoLogin  = login.ErrNoLogin
	ErrTooOften = login.ErrTooOften
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
		if len(password) > login.LongestPassword || !vault.PasswordFits(password, hash) {
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

// try lets a login be tried unless too many have failed.
func (a *Admin) try(ctx context.Context, name, address string, attempt func() (known bool, err error)) error {
	if !operatorName.MatchString(name) {
		return ErrNoLogin // nobody's, and nothing to be kept
	}
	return login.Try(ctx, a.Store, name, address, attempt)
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
