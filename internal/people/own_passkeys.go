package people

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"causeway/internal/login"
	"causeway/internal/message"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// longestPasskeyName is in characters.
const longestPasskeyName = 60

// errEnough is for one passkey too many.
var errEnough = Refusal(fmt.Sprintf("you have %d passkeys: remove one first", MostPasskeys))

// HasSecond reports whether a person logs in with more than a password.
func HasSecond(p *store.Person) bool { return p.TOTP != nil || p.Passkeys > 0 }

// OwnPasskeys lists the passkeys of a person, the oldest first.
func (d *Desk) OwnPasskeys(ctx context.Context, p *store.Person) ([]store.Passkey, error) {
	return d.Store.Passkeys(ctx, p.ID)
}

// PasskeyName reads the name of a passkey.
func PasskeyName(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" || utf8.RuneCountInString(text) > longestPasskeyName || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
		return "", Refusal(fmt.Sprintf("a passkey has a name of at most %d characters", longestPasskeyName))
	}
	return text, nil
}

// BeginPasskey returns the challenge of a new passkey. The person has given a proof just now.
func (d *Desk) BeginPasskey(ctx context.Context, p *store.Person, session []byte) (made *Challenge, err error) {
	keys, err := d.keyOf(ctx, d.Store, p, uuid.NullUUID{})
	switch {
	case err != nil:
		return nil, err
	case len(keys.keys) >= MostPasskeys:
		return nil, errEnough
	}
	options, kept, err := d.Passkeys.BeginRegistration(keys, webauthn.WithExclusions(webauthn.Credentials(keys.WebAuthnCredentials()).CredentialDescriptors()))
	if err != nil {
		return nil, fmt.Errorf("begin a passkey: %w", err)
	}
	return d.challenge(ctx, session, forNew, options, kept)
}

// AddPasskey makes an authenticator's answer a passkey of the person. From then on a password alone is not enough, and where it was, every
// other login ends and this one counts as one by the passkey. It goes on under a fresh cookie, given by its hash.
func (d *Desk) AddPasskey(ctx context.Context, p *store.Person, session, fresh []byte, name, answer string) error {
	name, err := PasskeyName(name)
	if err != nil {
		return err
	}
	kept, of, err := d.answered(ctx, session, forNew, answer)
	if errors.Is(err, login.ErrNoLogin) {
		return Refusal("this form has expired: begin again")
	}
	if err != nil {
		return err
	}
	read, err := protocol.ParseCredentialCreationResponseBytes(of.Answer)
	if err != nil {
		return Refusal("the passkey could not be read")
	}
	return d.own(ctx, p, session, func(tx *store.Store, p *store.Person) error {
		made, err := d.Passkeys.CreateCredential(keyring{person: p}, kept, read)
		switch {
		case err != nil:
			return Refusal("the passkey was not accepted: it must ask for a finger, a face or a PIN")
		case p.Passkeys >= MostPasskeys:
			return errEnough
		}
		err = d.keepPasskey(ctx, tx, p, session, &store.Passkey{ID: uuid.Must(uuid.NewV7()), PersonID: p.ID, Credential: made.ID, PublicKey: made.PublicKey,
			Counter: int64(made.Authenticator.SignCount), Synced: made.Flags.BackupEligible, Name: name})
		if err != nil {
			return err
		}
		return tx.RenewPersonSession(ctx, session, fresh)
	})
}

// keepPasskey records a passkey. The caller holds the row of its person.
func (d *Desk) keepPasskey(ctx context.Context, tx *store.Store, p *store.Person, session []byte, k *store.Passkey) error {
	if fresh, err := tx.AddPasskey(ctx, k); err != nil || !fresh {
		return errors.Join(err, Refusal("this passkey is there already"))
	}
	first := !HasSecond(p)
	p.Passkeys++
	if err := tx.SavePerson(ctx, p); err != nil {
		return err
	}
	if first {
		if err := tx.EndPersonSessions(ctx, p.ID, session); err != nil {
			return err
		}
		if err := tx.TurnToPasskey(ctx, session, k.ID); err != nil {
			return err
		}
	}
	if err := Tell(ctx, tx, p, message.Passkeys, "The passkey "+k.Name+" was added: it logs you in. If it was not you, set another password at once, and tell the operator of this service."); err != nil {
		return err
	}
	return tx.AddAudit(ctx, Actor(p.Email), "person.passkey-add", Actor(p.Email), nil, map[string]any{"passkey": k.ID, "name": k.Name})
}

// NamePasskey gives a passkey of a person another name; pay.ErrNotFound when the person has none of this id.
func (d *Desk) NamePasskey(ctx context.Context, p *store.Person, session []byte, id uuid.UUID, name string) error {
	name, err := PasskeyName(name)
	if err != nil {
		return err
	}
	return d.own(ctx, p, session, func(tx *store.Store, p *store.Person) error {
		done, err := tx.NamePasskey(ctx, p.ID, id, name)
		if err == nil && !done {
			err = pay.ErrNotFound
		}
		if err != nil {
			return err
		}
		return tx.AddAudit(ctx, Actor(p.Email), "person.passkey-name", Actor(p.Email), nil, map[string]any{"passkey": id, "name": name})
	})
}

// RemovePasskey takes a passkey off a person, and ends the logins by it. Without a code the last one stays: a password alone
// would be enough. It is pay.ErrNotFound when the person has none of this id.
func (d *Desk) RemovePasskey(ctx context.Context, p *store.Person, session []byte, id uuid.UUID) error {
	return d.own(ctx, p, session, func(tx *store.Store, p *store.Person) error {
		keys, err := d.keyOf(ctx, tx, p, uuid.NullUUID{UUID: id, Valid: true})
		switch {
		case errors.Is(err, login.ErrNoLogin):
			return pay.ErrNotFound
		case err != nil:
			return err
		case p.Passkeys == 1 && p.TOTP == nil:
			return Refusal("this is all that you log in with beside the password: add another passkey or a code first")
		}
		p.Passkeys--
		if err := tx.SavePerson(ctx, p); err != nil {
			return err
		}
		if done, err := tx.RemovePasskey(ctx, p.ID, id); err != nil || !done {
			return errors.Join(err, pay.ErrNotFound)
		}
		name := keys.keys[0].Name
		if err := Tell(ctx, tx, p, message.Passkeys, "The passkey "+name+" was removed: it logs you in no more."); err != nil {
			return err
		}
		return tx.AddAudit(ctx, Actor(p.Email), "person.passkey-remove", Actor(p.Email), nil, map[string]any{"passkey": id, "name": name})
	})
}
