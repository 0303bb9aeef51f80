package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"causeway/internal/login"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// OfferedCode is a secret for an authenticator app. It counts once its first code was given.
type OfferedCode struct {
	Name   string `json:"name"`
	Secret string `json:"secret"`
	URL    string `json:"url"` // otpauth://, as a QR code shows it
}

// OfferTOTP returns a secret for an operator's authenticator app: the one offered before, or a fresh one. Until ConfirmTOTP the
// operator goes on as before. It is offered until the operator's password is set, or the operator is disabled or enabled.
func (a *Admin) OfferTOTP(ctx context.Context, name string) (*OfferedCode, error) {
	var offered OfferedCode
	err := a.Store.InTx(ctx, func(tx *store.Store) error {
		o, err := tx.OperatorForUpdate(ctx, name)
		if err != nil {
			return named(err, "operator %q", name)
		}
		offered = OfferedCode{Name: name}
		if o.TOTPOffered == nil {
			fresh, err := login.NewCodeSecret(name)
			if err != nil {
				return err
			}
			o.TOTPOffered = a.Vault.Seal([]byte(fresh), vault.OfferedTOTPPlace(o.ID.String()))
			if err := tx.SaveOperator(ctx, o); err != nil {
				return err
			}
		}
		secret, err := a.Vault.Open(o.TOTPOffered, vault.OfferedTOTPPlace(o.ID.String()))
		offered.Secret = string(secret)
		offered.URL = login.CodeURL(name, offered.Secret)
		return err
	})
	return &offered, err
}

// OfferOwnTOTP is OfferTOTP to the operator of a session.
func (a *Admin) OfferOwnTOTP(ctx context.Context, name string, session []byte) (offered *OfferedCode, err error) {
	err = a.inSession(ctx, name, session, func(own *Admin) error {
		offered, err = own.OfferTOTP(ctx, name)
		return err
	})
	return offered, err
}

// ConfirmTOTP makes the offered secret the operator's if the code is one of it. From then on a password alone is not enough.
// ConfirmTOTP ends every login begun with a password alone.
func (a *Admin) ConfirmTOTP(ctx context.Context, name, code string) (*Operator, error) {
	return a.confirmTOTP(ctx, name, code, nil)
}

// ConfirmOwnTOTP is ConfirmTOTP by the operator of a session. That session goes on under a fresh cookie, given by its hash: nobody gains
// by the code with a cookie of before.
func (a *Admin) ConfirmOwnTOTP(ctx context.Context, name, code string, session, fresh []byte) (o *Operator, err error) {
	err = a.inSession(ctx, name, session, func(own *Admin) error {
		if o, err = own.confirmTOTP(ctx, name, code, session); err != nil {
			return err
		}
		return own.Store.RenewSession(ctx, session, fresh)
	})
	return o, err
}

// confirmTOTP ends every session but one.
func (a *Admin) confirmTOTP(ctx context.Context, name, code string, but []byte) (*Operator, error) {
	return a.changeOperator(ctx, "operator.totp", name, func(tx *store.Store, o *store.Operator) error {
		if o.TOTPOffered == nil {
			return refuse("%s has no secret to confirm: open the page with the QR code first", name)
		}
		secret, err := a.Vault.Open(o.TOTPOffered, vault.OfferedTOTPPlace(o.ID.String()))
		if err != nil {
			return err
		}
		step, fits := login.CodeFits(string(secret), code, 0, time.Now())
		if !fits {
			return refuse("the code is wrong: check the clock of the device")
		}
		o.TOTP, o.TOTPOffered, o.TOTPStep = a.Vault.Seal(secret, vault.TOTPPlace(o.ID.String())), nil, step
		return tx.EndSessions(ctx, o.ID, but)
	})
}

// DropTOTP lets an operator log in by password alone, until a new secret is confirmed: for a lost device.
func (a *Admin) DropTOTP(ctx context.Context, name string) (*Operator, error) {
	return a.changeOperator(ctx, "operator.totp-drop", name, func(tx *store.Store, o *store.Operator) error {
		if o.TOTP == nil && !a.offersInVain(o) {
			return refuse("operator %s logs in without a code", name)
		}
		o.TOTP, o.TOTPOffered, o.TOTPStep = nil, nil, 0
		return tx.EndSessions(ctx, o.ID, nil)
	})
}

// offersInVain reports whether the Vault can no longer open the secret offered to an operator.
func (a *Admin) offersInVain(o *store.Operator) bool {
	if o.TOTPOffered == nil {
		return false
	}
	_, err := a.Vault.Open(o.TOTPOffered, vault.OfferedTOTPPlace(o.ID.String()))
	return err != nil
}

// errCode means a wrong code, or one used before.
var errCode = errors.New("the code is wrong or was used")

// spendCode takes a code of an operator's authenticator: each is good once. Wrong ones are counted until one is right.
func (a *Admin) spendCode(ctx context.Context, name, code string) error {
	wrong := false
	err := a.Store.InTx(ctx, func(tx *store.Store) error {
		o, err := tx.OperatorForUpdate(ctx, name)
		if err != nil {
			return err
		}
		switch {
		case o.LockedAt != nil:
			return ErrLocked
		case o.TOTP == nil: // dropped, since the password was given
			return errCode
		}
		secret, err := a.Vault.Open(o.TOTP, vault.TOTPPlace(o.ID.String()))
		if err != nil {
			return fmt.Errorf("open the TOTP secret of %s: %w", name, err)
		}
		step, fits := login.CodeFits(string(secret), code, o.TOTPStep, time.Now())
		if wrong = !fits; wrong {
			return wrongCode(ctx, tx, o)
		}
		o.TOTPStep, o.WrongCodes = step, 0
		return tx.SaveOperator(ctx, o)
	})
	if err == nil && wrong {
		err = errCode
	}
	return err
}

// wrongCode counts a wrong code, and locks the operator after too many: every login ends, and no other begins before UnlockOperator.
func wrongCode(ctx context.Context, tx *store.Store, o *store.Operator) error {
	if o.WrongCodes++; o.WrongCodes < login.WrongCodesInARow {
		return tx.SaveOperator(ctx, o)
	}
	was := viewOperator(o)
	o.LockedAt = new(time.Now())
	if err := tx.SaveOperator(ctx, o); err != nil {
		return err
	}
	if err := tx.AddAudit(ctx, o.Name, "operator.locked", "operator:"+o.Name, was, viewOperator(o)); err != nil {
		return err
	}
	return tx.EndSessions(ctx, o.ID, nil)
}
