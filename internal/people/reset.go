package people

import (
	"context"
	"errors"

	"causeway/internal/login"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// Reset returns the person of a link for a new password that is still good, or pay.ErrNotFound.
func (d *Desk) Reset(ctx context.Context, token string) (*store.PersonReset, error) {
	return d.Store.PersonResetOf(ctx, LinkHash(token))
}

// UseReset gives the person of a link another password. The person logs in without a code or a passkey from then on, is locked no more, and every
// login of theirs ends, and every passkey. The link is good once; pay.ErrNotFound is one that is good no more.
func (d *Desk) UseReset(ctx context.Context, token, password string) error {
	if problem := login.PasswordProblem(password); problem != "" {
		return Refusal(problem)
	}
	hash := vault.HashPassword(password)
	return d.Store.InTx(ctx, func(tx *store.Store) error {
		r, err := tx.PersonResetOf(ctx, LinkHash(token))
		if err != nil {
			return err
		}
		p, err := tx.PersonForUpdate(ctx, r.Email)
		if err != nil {
			return err
		}
		if done, err := tx.EndPersonReset(ctx, LinkHash(token)); err != nil || !done {
			return errors.Join(err, pay.ErrNotFound)
		}
		if err := tx.RemovePasskeys(ctx, p.ID); err != nil {
			return err
		}
		p.Passkeys = 0
		p.Password, p.TOTP, p.TOTPOffered, p.TOTPStep, p.WrongCodes, p.LockedAt = hash, nil, nil, 0, 0, nil
		return d.saved(ctx, tx, p, "person.reset", nil)
	})
}
