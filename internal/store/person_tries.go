package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pg"
)

// PersonTries are the logins of people, failed or under way. It implements login.Tries.
type PersonTries struct{ *Store }

// BeginTry notes a login under each of its subjects, and forgets old ones.
func (s PersonTries) BeginTry(ctx context.Context, try uuid.UUID, subjects ...string) error {
	_, err := s.Q.NewRaw(`with old as (delete from person_tries where at < now() - interval '1 day')
		insert into person_tries (try, subject) select ?, unnest(?::text[])`, try, pg.Array(subjects)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("note a login: %w", err)
	}
	return nil
}

// ForgetTry takes a login out of the count.
func (s PersonTries) ForgetTry(ctx context.Context, try uuid.UUID) error {
	if _, err := s.Q.NewRaw("delete from person_tries where try = ?", try).Exec(ctx); err != nil {
		return fmt.Errorf("forget a login: %w", err)
	}
	return nil
}

// Tries counts the logins of a subject within a time.
func (s PersonTries) Tries(ctx context.Context, subject string, within time.Duration) (int, error) {
	var n int
	err := s.Q.NewRaw("select count(*) from person_tries where subject = ? and at > now() - ? * interval '1 second'",
		subject, int64(within.Seconds())).Scan(ctx, &n)
	if err != nil {
		return 0, fmt.Errorf("count logins: %w", err)
	}
	return n, nil
}

// LoggedInFrom reports whether a person was let in from an address within a time, as the audit has it.
func (s PersonTries) LoggedInFrom(ctx context.Context, email, address string, within time.Duration) (was bool, err error) {
	err = s.Q.NewRaw(`select exists (select from audit where action = 'person.login' and subject = ? and after->>'from' = ?
		and at > now() - ? * interval '1 second')`, "person:"+email, address, int64(within.Seconds())).Scan(ctx, &was)
	if err != nil {
		return false, fmt.Errorf("look for logins of %s: %w", email, err)
	}
	return was, nil
}

// AuditFailedLogin writes the audit row of a failed login, and takes as long for an unknown e-mail address.
func (s PersonTries) AuditFailedLogin(ctx context.Context, email, address string, known bool) error {
	return s.auditFailedLogin(ctx, "person:"+email, "person", email, address, known)
}
