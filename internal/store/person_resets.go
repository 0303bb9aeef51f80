package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// resetLasts is how long a link for a new password is good.
const resetLasts = "interval '1 day'"

// PersonReset is a link by which a person sets a new password and logs in without the code of before. It is good once.
type PersonReset struct {
	PersonID   uuid.UUID
	Email      string
	MerchantID uuid.NullUUID // of the owner who has made it; none of the operator
	EndsAt     time.Time
}

// AddPersonReset records a link for a person by its hash, and ends the person's earlier ones. It returns when the link ends.
func (s *Store) AddPersonReset(ctx context.Context, hash []byte, person uuid.UUID, merchant uuid.NullUUID, by string) (ends time.Time, err error) {
	if err := s.EndPersonResets(ctx, person); err != nil {
		return ends, err
	}
	err = s.Q.NewRaw("insert into person_resets (hash, person_id, merchant_id, made_by) values (?, ?, ?, ?) returning made_at + "+resetLasts,
		hash, person, merchant, by).Scan(ctx, &ends)
	if err != nil {
		return ends, fmt.Errorf("add reset: %w", err)
	}
	return ends, nil
}

// EndPersonResets ends every link of a person.
func (s *Store) EndPersonResets(ctx context.Context, person uuid.UUID) error {
	if _, err := s.Q.NewRaw("update person_resets set ended_at = now() where person_id = ? and ended_at is null", person).Exec(ctx); err != nil {
		return fmt.Errorf("end resets: %w", err)
	}
	return nil
}

// PersonResetOf reads a link that is still good, or returns pay.ErrNotFound. One that an owner has made is good while its person acts for
// that owner's merchant, and for no other.
func (s *Store) PersonResetOf(ctx context.Context, hash []byte) (*PersonReset, error) {
	r := new(PersonReset)
	err := s.Q.NewRaw(`select r.person_id, p.email, r.merchant_id, r.made_at + `+resetLasts+` as ends_at from person_resets r join people p on p.id = r.person_id
		where r.hash = ? and r.ended_at is null and r.made_at > now() - `+resetLasts+` and (r.merchant_id is null
			or array(select m.merchant_id from members m where m.person_id = r.person_id) = array[r.merchant_id])`, hash).Scan(ctx, r)
	return r, one(err, "reset")
}

// EndPersonReset ends a link that is still good; false when there is none.
func (s *Store) EndPersonReset(ctx context.Context, hash []byte) (bool, error) {
	res, err := s.Q.NewRaw("update person_resets set ended_at = now() where hash = ? and ended_at is null and made_at > now() - "+resetLasts, hash).Exec(ctx)
	return changed(res, err, "end reset")
}

// NoteCode notes that a person has taken a code into use now.
func (s *Store) NoteCode(ctx context.Context, person uuid.UUID) error {
	if _, err := s.Q.NewRaw("update people set coded_at = now() where id = ?", person).Exec(ctx); err != nil {
		return fmt.Errorf("note a code: %w", err)
	}
	return nil
}

// TrustMember notes that somebody has confirmed the code of a person for a merchant; false when the person is none of it, or has no code.
func (s *Store) TrustMember(ctx context.Context, merchant, person uuid.UUID) (bool, error) {
	res, err := s.Q.NewRaw(`update members m set trusted_at = clock_timestamp() from people p
		where m.merchant_id = ? and m.person_id = ? and p.id = m.person_id and p.totp is not null`, merchant, person).Exec(ctx)
	return changed(res, err, "trust a person")
}
