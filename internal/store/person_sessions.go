package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pg"
)

// PersonSession is one login of a person. The cookie itself is nowhere, only its hash is.
type PersonSession struct {
	ID         uuid.UUID
	Hash       []byte
	PersonID   uuid.UUID
	MerchantID uuid.NullUUID // the one that is looked at
	Passed     bool          // false: the code is still to come
	Address    string
	Agent      string
	CreatedAt  time.Time
	SeenAt     time.Time
	Fresh      bool // the password, a code or the passkey was given within the time asked for

	PasskeyID uuid.NullUUID // of the login; none: it was by password
	Settled   bool          // the passkey may move money: it is a day old
	SettlesAt *time.Time    // when it is
}

// AddPersonSession records a login of a person as it was read, and forgets sessions begun over 7 days ago. It returns false when the
// password, the TOTP secret or the number of passkeys is another one by now, or the person is locked.
func (s *Store) AddPersonSession(ctx context.Context, n *PersonSession, p *Person) (bool, error) {
	res, err := s.Q.NewRaw(`with old as (delete from person_sessions where created_at < now() - interval '7 days')
		insert into person_sessions (hash, id, person_id, merchant_id, passed, passkey_id, address, agent) select ?, ?, id, ?, ?, ?, ?, ? from people
		where id = ? and password = ? and totp is not distinct from ?::bytea and passkeys = ? and locked_at is null for share`,
		n.Hash, n.ID, n.MerchantID, n.Passed, n.PasskeyID, n.Address, n.Agent, p.ID, p.Password, p.TOTP, p.Passkeys).Exec(ctx)
	return changed(res, err, "add session")
}

// PersonSessionOf reads a live session with its person, or returns pay.ErrNotFound: used within idle and made within longest. It is
// Fresh within proof of the password, of a code or of the passkey. Its use is noted once a minute.
func (s *Store) PersonSessionOf(ctx context.Context, hash []byte, idle, longest, proof time.Duration) (*PersonSession, *Person, error) {
	out := &PersonSession{Hash: hash}
	var noted bool
	err := s.Q.NewRaw(`select s.id, s.person_id, s.merchant_id, s.passed, s.address, s.agent, s.created_at, s.seen_at, s.seen_at > now() - interval '1 minute',
			s.passed and s.proved_at > now() - ? * interval '1 second', s.passkey_id, coalesce(k.added_at <= now() - `+settlesIn+`, false), k.added_at + `+settlesIn+`
		from person_sessions s left join person_passkeys k on k.id = s.passkey_id
		where s.hash = ? and s.seen_at > now() - ? * interval '1 second' and s.created_at > now() - ? * interval '1 second'`,
		int64(proof.Seconds()), hash, int64(idle.Seconds()), int64(longest.Seconds())).
		Scan(ctx, &out.ID, &out.PersonID, &out.MerchantID, &out.Passed, &out.Address, &out.Agent, &out.CreatedAt, &out.SeenAt, &noted, &out.Fresh,
			&out.PasskeyID, &out.Settled, &out.SettlesAt)
	if err := one(err, "session"); err != nil {
		return nil, nil, err
	}
	p := new(Person)
	if err := s.Q.NewSelect().Model(p).Where("id = ?", out.PersonID).Scan(ctx); err != nil {
		return nil, nil, one(err, "person of a session")
	}
	if !noted {
		if _, err := s.Q.NewRaw("update person_sessions set seen_at = now() where hash = ?", hash).Exec(ctx); err != nil {
			return nil, nil, fmt.Errorf("note a session: %w", err)
		}
	}
	return out, p, nil
}

// PersonSessions lists the logins of a person used within idle and made within longest, newest first.
func (s *Store) PersonSessions(ctx context.Context, person uuid.UUID, idle, longest time.Duration) ([]PersonSession, error) {
	var out []PersonSession
	err := pg.Rows(ctx, s.Q, "list sessions", func(rows *sql.Rows) error {
		var n PersonSession
		if err := rows.Scan(&n.ID, &n.Hash, &n.Address, &n.Agent, &n.CreatedAt, &n.SeenAt); err != nil {
			return err
		}
		out = append(out, n)
		return nil
	}, `select id, hash, address, agent, created_at, seen_at from person_sessions where person_id = $1 and passed
		and seen_at > now() - $2 * interval '1 second' and created_at > now() - $3 * interval '1 second' order by created_at desc, id`,
		person, int64(idle.Seconds()), int64(longest.Seconds()))
	return out, err
}

// ChooseMerchant notes in a session the merchant to be looked at; false when its person does not act for the merchant.
func (s *Store) ChooseMerchant(ctx context.Context, session []byte, merchant uuid.UUID) (bool, error) {
	res, err := s.Q.NewRaw(`update person_sessions s set merchant_id = ?0 where hash = ?1
		and exists (select from members m where m.merchant_id = ?0 and m.person_id = s.person_id)`, merchant, session).Exec(ctx)
	return changed(res, err, "choose a merchant")
}

// NotePersonProof notes in a session the password or a code given again.
func (s *Store) NotePersonProof(ctx context.Context, session []byte) error {
	if _, err := s.Q.NewRaw("update person_sessions set proved_at = now() where hash = ? and passed", session).Exec(ctx); err != nil {
		return fmt.Errorf("note a proof: %w", err)
	}
	return nil
}

// EndPersonSession ends a login of a person by its id; false when the person has none of this id.
func (s *Store) EndPersonSession(ctx context.Context, person, id uuid.UUID) (bool, error) {
	res, err := s.Q.NewRaw("delete from person_sessions where person_id = ? and id = ?", person, id).Exec(ctx)
	return changed(res, err, "end session")
}

// RenewPersonSession gives a session another cookie by its hash: the one of before opens nothing any more.
func (s *Store) RenewPersonSession(ctx context.Context, hash, fresh []byte) error {
	if _, err := s.Q.NewRaw("update person_sessions set hash = ? where hash = ?", fresh, hash).Exec(ctx); err != nil {
		return fmt.Errorf("renew a session: %w", err)
	}
	return nil
}

// EndPersonSessions logs a person out everywhere but in one session; nil is none.
func (s *Store) EndPersonSessions(ctx context.Context, person uuid.UUID, but []byte) error {
	_, err := s.Q.NewRaw("delete from person_sessions where person_id = ? and hash is distinct from ?::bytea", person, but).Exec(ctx)
	if err != nil {
		return fmt.Errorf("end sessions: %w", err)
	}
	return nil
}
