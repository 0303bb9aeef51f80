package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"causeway/internal/pg"
)

// Operator is a person with access to the console (operator §Console).
type Operator struct {
	ID          uuid.UUID `bun:",pk"`
	Name        string
	Role        string     // viewer, operator or admin
	Password    string     // its argon2id hash
	TOTP        []byte     `bun:"totp"`         // sealed; nil = a password is enough
	TOTPOffered []byte     `bun:"totp_offered"` // sealed; becomes TOTP with the first right code
	TOTPStep    int64      `bun:"totp_step"`    // of the newest used code
	WrongCodes  int        // in a row
	LockedAt    *time.Time // after too many of them
	DisabledAt  *time.Time
	CreatedAt   time.Time
}

// AddOperator records an operator; false when the name is taken.
func (s *Store) AddOperator(ctx context.Context, o *Operator) (bool, error) {
	res, err := s.Q.NewRaw("insert into operators (id, name, role, password) values (?, ?, ?, ?) on conflict (name) do nothing",
		o.ID, o.Name, o.Role, o.Password).Exec(ctx)
	return changed(res, err, "add operator")
}

// Operators lists operators by name.
func (s *Store) Operators(ctx context.Context) ([]Operator, error) {
	var out []Operator
	if err := s.Q.NewSelect().Model(&out).Order("name").Scan(ctx); err != nil {
		return nil, fmt.Errorf("list operators: %w", err)
	}
	return out, nil
}

// HasOperators reports whether there is any operator, disabled ones included.
func (s *Store) HasOperators(ctx context.Context) (bool, error) {
	var found bool
	if err := s.Q.NewRaw("select exists (select from operators)").Scan(ctx, &found); err != nil {
		return false, fmt.Errorf("look for operators: %w", err)
	}
	return found, nil
}

// OperatorNamed reads an operator, or returns pay.ErrNotFound.
func (s *Store) OperatorNamed(ctx context.Context, name string) (*Operator, error) {
	o := new(Operator)
	err := s.Q.NewSelect().Model(o).Where("name = ?", name).Scan(ctx)
	return o, one(err, "operator "+name)
}

// OperatorForUpdate reads an operator and keeps it from changing until the transaction ends.
func (s *Store) OperatorForUpdate(ctx context.Context, name string) (*Operator, error) {
	o := new(Operator)
	err := s.Q.NewSelect().Model(o).Where("name = ?", name).For("update").Scan(ctx)
	return o, one(err, "operator "+name)
}

// SaveOperator writes every column of an operator that may change. The caller holds the row.
func (s *Store) SaveOperator(ctx context.Context, o *Operator) error {
	_, err := s.Q.NewUpdate().Model(o).ExcludeColumn("id", "name", "created_at").WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("save operator %s: %w", o.Name, err)
	}
	return nil
}

// EndSessions logs an operator out everywhere but in one session; nil is none.
func (s *Store) EndSessions(ctx context.Context, operator uuid.UUID, but []byte) error {
	_, err := s.Q.NewRaw("delete from operator_sessions where operator_id = ? and hash is distinct from ?::bytea", operator, but).Exec(ctx)
	if err != nil {
		return fmt.Errorf("end sessions: %w", err)
	}
	return nil
}

// Session is one login. The cookie itself is nowhere, only its hash is.
type Session struct {
	Hash      []byte `bun:",pk"`
	Operator  *Operator
	Passed    bool // false: the code is still to come
	Address   string
	CreatedAt time.Time
	Fresh     bool // the password or a code was given within the time asked for
}

// AddSession records a login of an operator as it was read, and forgets sessions begun over 7 days ago. It returns
// false when the password or the TOTP secret is another one by now, or the operator is disabled or locked. None of
// these changes before the session is there to be ended.
func (s *Store) AddSession(ctx context.Context, hash []byte, o *Operator, passed bool, address string) (bool, error) {
	res, err := s.Q.NewRaw(`with old as (delete from operator_sessions where created_at < now() - interval '7 days')
		insert into operator_sessions (hash, operator_id, passed, address) select ?, id, ?, ? from operators
		where id = ? and password = ? and totp is not distinct from ?::bytea and disabled_at is null and locked_at is null for share`,
		hash, passed, address, o.ID, o.Password, o.TOTP).Exec(ctx)
	return changed(res, err, "add session")
}

// HasSession reports whether an operator has this session and was let in.
func (s *Store) HasSession(ctx context.Context, hash []byte, operator uuid.UUID) (bool, error) {
	var found bool
	err := s.Q.NewRaw("select exists (select from operator_sessions where hash = ? and operator_id = ? and passed)", hash, operator).
		Scan(ctx, &found)
	if err != nil {
		return false, fmt.Errorf("look for a session: %w", err)
	}
	return found, nil
}

// SessionOf reads a live session of an operator who is not disabled, or returns pay.ErrNotFound. A live session was
// used within idle and made within longest. It is Fresh within proof of the password or of a code. Its use is noted
// once a minute.
func (s *Store) SessionOf(ctx context.Context, hash []byte, idle, longest, proof time.Duration) (*Session, error) {
	out := &Session{Hash: hash, Operator: new(Operator)}
	var fresh bool
	err := s.Q.NewRaw(`select s.operator_id, s.passed, s.address, s.created_at, s.seen_at > now() - interval '1 minute',
			s.passed and s.proved_at > now() - ? * interval '1 second' from operator_sessions s
		join operators o on o.id = s.operator_id and o.disabled_at is null
		where s.hash = ? and s.seen_at > now() - ? * interval '1 second' and s.created_at > now() - ? * interval '1 second'`,
		int64(proof.Seconds()), hash, int64(idle.Seconds()), int64(longest.Seconds())).
		Scan(ctx, &out.Operator.ID, &out.Passed, &out.Address, &out.CreatedAt, &fresh, &out.Fresh)
	if err := one(err, "session"); err != nil {
		return nil, err
	}
	if err := s.Q.NewSelect().Model(out.Operator).WherePK().Scan(ctx); err != nil {
		return nil, one(err, "operator of a session")
	}
	if !fresh {
		if _, err := s.Q.NewRaw("update operator_sessions set seen_at = now() where hash = ?", hash).Exec(ctx); err != nil {
			return nil, fmt.Errorf("note a session: %w", err)
		}
	}
	return out, nil
}

// NoteProof notes in a session the password or a code given again.
func (s *Store) NoteProof(ctx context.Context, session []byte) error {
	if _, err := s.Q.NewRaw("update operator_sessions set proved_at = now() where hash = ? and passed", session).Exec(ctx); err != nil {
		return fmt.Errorf("note a proof: %w", err)
	}
	return nil
}

// RenewSession gives a session another cookie by its hash. The old one opens nothing from then on.
func (s *Store) RenewSession(ctx context.Context, hash, fresh []byte) error {
	if _, err := s.Q.NewRaw("update operator_sessions set hash = ? where hash = ?", fresh, hash).Exec(ctx); err != nil {
		return fmt.Errorf("renew a session: %w", err)
	}
	return nil
}

// EndSession ends one login; false when there is none.
func (s *Store) EndSession(ctx context.Context, hash []byte) (bool, error) {
	res, err := s.Q.NewRaw("delete from operator_sessions where hash = ?", hash).Exec(ctx)
	return changed(res, err, "end session")
}

// errNobody takes back the audit row of a name without an operator.
var errNobody = errors.New("nobody has the name")

// AuditFailedLogin writes the audit row of a failed login of an operator.
func (s *Store) AuditFailedLogin(ctx context.Context, name, address string, known bool) error {
	return s.auditFailedLogin(ctx, name, "operator", name, address, known)
}

// auditFailedLogin writes the audit row of a failed login. If nobody has the name, it writes the row too and takes it back, before a
// commit waiting for the disk either way: its duration does not tell whether somebody has the name.
func (s *Store) auditFailedLogin(ctx context.Context, actor, kind, name, address string, known bool) error {
	err := s.InTx(ctx, func(tx *Store) error {
		if _, err := tx.Q.NewRaw("select from audit_head for update").Exec(ctx); err != nil { // before the inner transaction: taking this back would unlock it
			return err
		}
		err := tx.Q.RunInTx(ctx, nil, func(ctx context.Context, inner bun.Tx) error {
			err := (&Store{DB: s.DB, Q: inner}).AddAudit(ctx, actor, kind+".login-failed", kind+":"+name, nil, map[string]string{"from": address})
			if err == nil && !known {
				err = errNobody
			}
			return err
		})
		if errors.Is(err, errNobody) {
			err = nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("audit a failed login: %w", err)
	}
	return nil
}

// BeginTry notes a login under each of its subjects, and forgets old ones.
func (s *Store) BeginTry(ctx context.Context, try uuid.UUID, subjects ...string) error {
	_, err := s.Q.NewRaw(`with old as (delete from operator_tries where at < now() - interval '1 day')
		insert into operator_tries (try, subject) select ?, unnest(?::text[])`, try, pg.Array(subjects)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("note a login: %w", err)
	}
	return nil
}

// ForgetTry takes a successful login out of the count.
func (s *Store) ForgetTry(ctx context.Context, try uuid.UUID) error {
	if _, err := s.Q.NewRaw("delete from operator_tries where try = ?", try).Exec(ctx); err != nil {
		return fmt.Errorf("forget a login: %w", err)
	}
	return nil
}

// LoggedInFrom reports whether an operator was let in from an address within a time, as the audit has it.
func (s *Store) LoggedInFrom(ctx context.Context, name, address string, within time.Duration) (was bool, err error) {
	err = s.Q.NewRaw(`select exists (select from audit where action = 'operator.login' and subject = ? and after->>'from' = ?
		and at > now() - ? * interval '1 second')`, "operator:"+name, address, int64(within.Seconds())).Scan(ctx, &was)
	if err != nil {
		return false, fmt.Errorf("look for logins of %s: %w", name, err)
	}
	return was, nil
}

// Tries counts the logins of a subject within a time that failed or are under way.
func (s *Store) Tries(ctx context.Context, subject string, within time.Duration) (int, error) {
	var n int
	err := s.Q.NewRaw("select count(*) from operator_tries where subject = ? and at > now() - ? * interval '1 second'",
		subject, int64(within.Seconds())).Scan(ctx, &n)
	if err != nil {
		return 0, fmt.Errorf("count logins: %w", err)
	}
	return n, nil
}
