package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
)

// challengeLasts is how long an authenticator may take to sign a challenge.
const challengeLasts = "interval '5 minutes'"

// Passkey is the public half of a person's passkey.
type Passkey struct {
	ID         uuid.UUID
	PersonID   uuid.UUID
	Credential []byte // as the authenticator names it
	PublicKey  []byte // COSE
	Counter    int64  // of the newest signature; 0 where the authenticator counts none
	Synced     bool   // it may be on several devices
	Name       string
	AddedAt    time.Time
	UsedAt     *time.Time
	Settled    bool // it may move money: it is a day old
}

const passkeys = "select id, person_id, credential, public_key, counter, synced, name, added_at, used_at, added_at <= now() - " + settlesIn + " as settled from person_passkeys"

// AddPasskey records a passkey; false when there is one with its credential. The caller holds the person's row, and counts it there.
func (s *Store) AddPasskey(ctx context.Context, k *Passkey) (bool, error) {
	res, err := s.Q.NewRaw(`insert into person_passkeys (id, person_id, credential, public_key, counter, synced, name) values (?, ?, ?, ?, ?, ?, ?)
		on conflict (credential) do nothing`, k.ID, k.PersonID, k.Credential, k.PublicKey, k.Counter, k.Synced, k.Name).Exec(ctx)
	return changed(res, err, "add a passkey")
}

// Passkeys lists the passkeys of a person, the oldest first.
func (s *Store) Passkeys(ctx context.Context, person uuid.UUID) ([]Passkey, error) {
	var out []Passkey
	if err := s.Q.NewRaw(passkeys+" where person_id = ? order by added_at, id", person).Scan(ctx, &out); err != nil {
		return nil, fmt.Errorf("list passkeys: %w", err)
	}
	return out, nil
}

// PersonOfPasskey reads the person of a credential, or returns pay.ErrNotFound.
func (s *Store) PersonOfPasskey(ctx context.Context, credential []byte) (*Person, error) {
	p := new(Person)
	err := s.Q.NewSelect().Model(p).Where("id = (select person_id from person_passkeys where credential = ?)", credential).Scan(ctx)
	return p, one(err, "person of a passkey")
}

// NotePasskey notes a signature of a passkey by its counter; false when it is not higher than the one before, where signatures are counted.
func (s *Store) NotePasskey(ctx context.Context, id uuid.UUID, counter int64) (bool, error) {
	res, err := s.Q.NewRaw("update person_passkeys set counter = ?0, used_at = now() where id = ?1 and (counter < ?0 or counter = 0 and ?0 = 0)", counter, id).Exec(ctx)
	return changed(res, err, "note a passkey")
}

// NamePasskey gives a passkey of a person another name; false when the person has none of this id.
func (s *Store) NamePasskey(ctx context.Context, person, id uuid.UUID, name string) (bool, error) {
	res, err := s.Q.NewRaw("update person_passkeys set name = ? where person_id = ? and id = ?", name, person, id).Exec(ctx)
	return changed(res, err, "name a passkey")
}

// RemovePasskey takes a passkey off a person and ends the logins by it; false when the person has none of this id. The caller holds the
// person's row, and counts there.
func (s *Store) RemovePasskey(ctx context.Context, person, id uuid.UUID) (bool, error) {
	res, err := s.Q.NewRaw(`with ended as (delete from person_sessions where passkey_id = ?0 and person_id = ?1)
		delete from person_passkeys where id = ?0 and person_id = ?1`, id, person).Exec(ctx)
	return changed(res, err, "remove a passkey")
}

// RemovePasskeys takes every passkey off a person and ends the logins by them. The caller holds the person's row, and counts there.
func (s *Store) RemovePasskeys(ctx context.Context, person uuid.UUID) error {
	_, err := s.Q.NewRaw(`with ended as (delete from person_sessions where passkey_id is not null and person_id = ?0)
		delete from person_passkeys where person_id = ?0`, person).Exec(ctx)
	if err != nil {
		return fmt.Errorf("remove passkeys: %w", err)
	}
	return nil
}

// TurnToPasskey makes a session one of a passkey, as if the login had been by it.
func (s *Store) TurnToPasskey(ctx context.Context, session []byte, id uuid.UUID) error {
	if _, err := s.Q.NewRaw("update person_sessions set passkey_id = ? where hash = ?", id, session).Exec(ctx); err != nil {
		return fmt.Errorf("turn a session to a passkey: %w", err)
	}
	return nil
}

// AddChallenge keeps a challenge for the holder of a cookie, and forgets old ones.
func (s *Store) AddChallenge(ctx context.Context, id uuid.UUID, holder []byte, purpose, content string) error {
	_, err := s.Q.NewRaw(`with old as (delete from passkey_challenges where made_at < now() - `+challengeLasts+`)
		insert into passkey_challenges (id, holder, purpose, content) values (?, ?, ?, ?)`, id, holder, purpose, content).Exec(ctx)
	if err != nil {
		return fmt.Errorf("add a challenge: %w", err)
	}
	return nil
}

// TakeChallenge returns a challenge of the holder of a cookie, once; pay.ErrNotFound when there is no good one.
func (s *Store) TakeChallenge(ctx context.Context, id uuid.UUID, holder []byte, purpose string) (content string, err error) {
	var good bool
	err = s.Q.NewRaw(`delete from passkey_challenges where id = ? and holder = ? and purpose = ?
		returning content, made_at > now() - `+challengeLasts, id, holder, purpose).Scan(ctx, &content, &good)
	if err == nil && !good {
		err = pay.ErrNotFound
	}
	return content, one(err, "challenge")
}
