package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pg"
)

// OperatorMail is where an operator is sent messages, and what of.
type OperatorMail struct {
	Mail    string    // confirmed; empty without one
	Offered string    // an address with a code under way to it
	Hash    []byte    // of this code
	Tries   int       // wrong codes
	At      time.Time // when the code was sent; zero without one
	Quiet   []string  // topics that the operator does not want to be told of
}

// OperatorMail reads where an operator is sent messages.
func (s *Store) OperatorMail(ctx context.Context, operator uuid.UUID) (*OperatorMail, error) {
	m := new(OperatorMail)
	err := s.Q.NewRaw(`select coalesce(mail, ''), coalesce(mail_offered, ''), mail_hash, mail_tries, coalesce(mail_at, 'epoch')
		from operators where id = ?`, operator).Scan(ctx, &m.Mail, &m.Offered, &m.Hash, &m.Tries, &m.At)
	if err != nil {
		return nil, one(err, "mail of an operator")
	}
	if err := s.Q.NewRaw("select unnest(quiet) from operators where id = ?", operator).Scan(ctx, &m.Quiet); err != nil {
		return nil, fmt.Errorf("read the quiet topics of an operator: %w", err)
	}
	return m, nil
}

// SetOperatorMail writes where an operator is sent messages. The code counts from now on if there is one and its hash is another one.
func (s *Store) SetOperatorMail(ctx context.Context, operator uuid.UUID, m *OperatorMail) error {
	_, err := s.Q.NewRaw(`update operators set mail_at = case when mail_hash is distinct from ?2::bytea then now() else mail_at end,
		mail = nullif(?0, ''), mail_offered = nullif(?1, ''), mail_hash = ?2::bytea, mail_tries = ?3, quiet = ?4 where id = ?5`,
		m.Mail, m.Offered, m.Hash, m.Tries, pg.Array(m.Quiet), operator).Exec(ctx)
	if err != nil {
		return fmt.Errorf("set the mail of an operator: %w", err)
	}
	return nil
}
