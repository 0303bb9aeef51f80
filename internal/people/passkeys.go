package people

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"causeway/internal/login"
	"causeway/internal/message"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// MostPasskeys is how many passkeys a person has at most.
const MostPasskeys = 10

// What a challenge is for.
const (
	forLogin = "login"
	forProof = "proof"
	forNew   = "new"
)

// ErrCopied is for a counter of a passkey without a rise: it may be a copy. Nobody was let in.
var ErrCopied = errors.New("this passkey may have been copied, so it was not accepted: remove it on your own page")

// NewPasskeys makes the checks of passkeys for an address of the panel. It returns nil where browsers offer none: they want a name
// and TLS, or localhost.
func NewPasskeys(address string) *webauthn.WebAuthn {
	base, err := url.Parse(address)
	if err != nil || net.ParseIP(base.Hostname()) != nil || base.Scheme != "https" && base.Hostname() != "localhost" {
		return nil
	}
	made, err := webauthn.New(&webauthn.Config{RPID: base.Hostname(), RPDisplayName: "Causeway", RPOrigins: []string{base.Scheme + "://" + base.Host},
		AttestationPreference: protocol.PreferNoAttestation, ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
		AuthenticatorSelection: protocol.AuthenticatorSelection{ResidentKey: protocol.ResidentKeyRequirementRequired,
			RequireResidentKey: protocol.ResidentKeyRequired(), UserVerification: protocol.VerificationRequired}})
	if err != nil {
		return nil // a host without passkeys in browsers
	}
	return made
}

// Challenge is signed by an authenticator: the options for the browser, under an id. It is good once, for five minutes.
type Challenge struct {
	ID      uuid.UUID `json:"id"`
	Options any       `json:"options"`
}

// signed is the answer of a browser to a challenge.
type signed struct {
	ID     uuid.UUID       `json:"id"`
	Answer json.RawMessage `json:"answer"`
}

// keyring is a person with passkeys, as the library reads them.
type keyring struct {
	person *store.Person
	keys   []store.Passkey
}

// WebAuthnID implements webauthn.User.
func (k keyring) WebAuthnID() []byte { return k.person.ID[:] }

// WebAuthnName implements webauthn.User.
func (k keyring) WebAuthnName() string { return k.person.Email }

// WebAuthnDisplayName implements webauthn.User.
func (k keyring) WebAuthnDisplayName() string { return k.person.Name }

// WebAuthnCredentials implements webauthn.User.
func (k keyring) WebAuthnCredentials() []webauthn.Credential {
	out := make([]webauthn.Credential, len(k.keys))
	for i := range k.keys {
		of := &k.keys[i]
		out[i] = webauthn.Credential{ID: of.Credential, PublicKey: of.PublicKey, Flags: webauthn.CredentialFlags{BackupEligible: of.Synced},
			Authenticator: webauthn.Authenticator{SignCount: uint32(of.Counter)}} //nolint:gosec // it was one
	}
	return out
}

// challenge keeps a challenge for the holder of a cookie.
func (d *Desk) challenge(ctx context.Context, holder []byte, purpose string, options any, kept *webauthn.SessionData) (*Challenge, error) {
	content, err := json.Marshal(kept)
	if err != nil {
		return nil, fmt.Errorf("write a challenge: %w", err)
	}
	out := &Challenge{ID: uuid.New(), Options: options}
	return out, d.Store.AddChallenge(ctx, out.ID, holder, purpose, string(content))
}

// answered spends the challenge of an answer. Without a good one it is login.ErrNoLogin.
func (d *Desk) answered(ctx context.Context, holder []byte, purpose, answer string) (kept webauthn.SessionData, of signed, err error) {
	if err := json.Unmarshal([]byte(answer), &of); err != nil {
		return kept, of, login.ErrNoLogin
	}
	content, err := d.Store.TakeChallenge(ctx, of.ID, holder, purpose)
	if errors.Is(err, pay.ErrNotFound) {
		return kept, of, login.ErrNoLogin
	}
	if err == nil {
		err = json.Unmarshal([]byte(content), &kept)
	}
	return kept, of, err
}

// BeginPasskeyLogin returns the challenge of a login. Holder is the hash of a cookie of the browser.
func (d *Desk) BeginPasskeyLogin(ctx context.Context, holder []byte) (*Challenge, error) {
	options, kept, err := d.Passkeys.BeginDiscoverableLogin()
	if err != nil {
		return nil, fmt.Errorf("begin a login by passkey: %w", err)
	}
	return d.challenge(ctx, holder, forLogin, options, kept)
}

// LoginPasskey returns the person of a signed challenge, and the passkey for their Entry: it stands for the password and a code. Its
// errors are those of Login, and ErrCopied.
func (d *Desk) LoginPasskey(ctx context.Context, answer string, holder []byte, address string) (p *store.Person, by uuid.UUID, err error) {
	kept, of, err := d.answered(ctx, holder, forLogin, answer)
	if err != nil {
		return nil, by, err
	}
	read, err := protocol.ParseCredentialRequestResponseBytes(of.Answer)
	if err != nil {
		return nil, by, login.ErrNoLogin
	}
	p, err = d.Store.PersonOfPasskey(ctx, read.RawID)
	unknown := errors.Is(err, pay.ErrNotFound)
	if err != nil && !unknown {
		return nil, by, err
	}
	err = login.Try(ctx, store.PersonTries{Store: d.Store}, p.Email, address, func() (known bool, err error) {
		if unknown {
			return false, login.ErrNoLogin
		}
		by, err = d.usePasskey(ctx, p.Email, uuid.NullUUID{}, func(theirs keyring) (*webauthn.Credential, error) {
			_, found, err := d.Passkeys.ValidatePasskeyLogin(func(_, _ []byte) (webauthn.User, error) { return theirs, nil }, kept, read)
			return found, err
		})
		return true, err
	})
	return p, by, err
}

// BeginPasskeyProof returns a challenge for the passkey of a session.
func (d *Desk) BeginPasskeyProof(ctx context.Context, p *store.Person, session *store.PersonSession) (*Challenge, error) {
	if !session.PasskeyID.Valid {
		return nil, login.ErrNoLogin
	}
	keys, err := d.keyOf(ctx, d.Store, p, session.PasskeyID)
	if err != nil {
		return nil, err
	}
	options, kept, err := d.Passkeys.BeginLogin(keys)
	if err != nil {
		return nil, fmt.Errorf("begin a proof by passkey: %w", err)
	}
	return d.challenge(ctx, session.Hash, forProof, options, kept)
}

// PassPasskey takes a signature of the passkey of a session, as PassCode takes a code. No other passkey of the person is
// taken: it may be newer.
func (d *Desk) PassPasskey(ctx context.Context, p *store.Person, session *store.PersonSession, answer, address string) error {
	kept, of, err := d.answered(ctx, session.Hash, forProof, answer)
	if err != nil {
		return err
	}
	read, err := protocol.ParseCredentialRequestResponseBytes(of.Answer)
	if err != nil {
		return login.ErrNoLogin
	}
	return login.Try(ctx, store.PersonTries{Store: d.Store}, p.Email, address, func() (known bool, err error) {
		_, err = d.usePasskey(ctx, p.Email, session.PasskeyID, func(theirs keyring) (*webauthn.Credential, error) {
			return d.Passkeys.ValidateLogin(theirs, kept, read)
		})
		return true, err
	})
}

// keyOf returns a person with one of their passkeys; without an id it is with all of them.
func (d *Desk) keyOf(ctx context.Context, tx *store.Store, p *store.Person, only uuid.NullUUID) (keyring, error) {
	all, err := tx.Passkeys(ctx, p.ID)
	out := keyring{person: p}
	for i := range all {
		if !only.Valid || all[i].ID == only.UUID {
			out.keys = append(out.keys, all[i])
		}
	}
	if err == nil && only.Valid && len(out.keys) == 0 {
		err = login.ErrNoLogin // it was removed
	}
	return out, err
}

// usePasskey checks a signature and notes its counter. A counter without a rise is audited and told to the person.
func (d *Desk) usePasskey(ctx context.Context, email string, only uuid.NullUUID, check func(keyring) (*webauthn.Credential, error)) (by uuid.UUID, err error) {
	copied := false
	err = d.Store.InTx(ctx, func(tx *store.Store) error {
		p, err := tx.PersonForUpdate(ctx, email)
		if err != nil {
			return err
		}
		if p.LockedAt != nil {
			return ErrLocked
		}
		theirs, err := d.keyOf(ctx, tx, p, only)
		if err != nil {
			return err
		}
		found, err := check(theirs)
		if err != nil {
			return login.ErrNoLogin
		}
		used := theirs.of(found.ID)
		by = used.ID
		rises, err := tx.NotePasskey(ctx, used.ID, int64(found.Authenticator.SignCount))
		if copied = err == nil && (!rises || found.Authenticator.CloneWarning); copied {
			err = d.tellOfCopy(ctx, tx, p, used)
		}
		return err
	})
	if err == nil && copied {
		err = ErrCopied
	}
	return by, err
}

// of returns the passkey of a credential.
func (k keyring) of(credential []byte) *store.Passkey {
	for i := range k.keys {
		if string(k.keys[i].Credential) == string(credential) {
			return &k.keys[i]
		}
	}
	return nil
}

func (d *Desk) tellOfCopy(ctx context.Context, tx *store.Store, p *store.Person, k *store.Passkey) error {
	err := Tell(ctx, tx, p, message.Passkeys, "The passkey "+k.Name+" was used and not accepted: it counted fewer signatures than before, so it may have been copied. "+
		"Remove it, and add another one.")
	if err != nil {
		return err
	}
	return tx.AddAudit(ctx, Actor(p.Email), "person.passkey-copied", Actor(p.Email), nil, map[string]any{"passkey": k.ID, "name": k.Name})
}
