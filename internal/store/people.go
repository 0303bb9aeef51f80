package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Person is somebody who uses the panel for merchants (panel §People).
type Person struct {
	ID          uuid.UUID `bun:",pk"`
	Email       string    // in lower case
	Name        string
	Password    string     // its argon2id hash
	TOTP        []byte     `bun:"totp"`         // sealed; nil = a password is enough to look
	TOTPOffered []byte     `bun:"totp_offered"` // sealed; becomes TOTP with the first right code
	TOTPStep    int64      `bun:"totp_step"`    // of the newest used code
	Passkeys    int        // how many they have
	WrongCodes  int        // in a row
	LockedAt    *time.Time // after too many of them
	CreatedAt   time.Time
}

// Membership is a merchant of a person, and the person's role for it.
type Membership struct {
	MerchantID uuid.UUID
	Merchant   string // its name
	Role       string
	Settled    bool       // the code may move the merchant's money: it is a day old, or somebody has confirmed it
	SettlesAt  *time.Time // when the code is a day old; nil without one
}

// MemberRow is a person of a merchant.
type MemberRow struct {
	PersonID  uuid.UUID
	Email     string
	Name      string
	Role      string
	Coded     bool // logs in with a code
	Passkeys  int  // how many they have
	Settled   bool // the code may move the merchant's money
	LockedAt  *time.Time
	CreatedAt time.Time
}

// AddPerson records a person; false when the e-mail address is taken.
func (s *Store) AddPerson(ctx context.Context, p *Person) (bool, error) {
	res, err := s.Q.NewRaw("insert into people (id, email, name, password) values (?, ?, ?, ?) on conflict (email) do nothing",
		p.ID, p.Email, p.Name, p.Password).Exec(ctx)
	return changed(res, err, "add person")
}

// PersonNamed reads the person of an e-mail address, or returns pay.ErrNotFound.
func (s *Store) PersonNamed(ctx context.Context, email string) (*Person, error) {
	p := new(Person)
	return p, one(s.Q.NewSelect().Model(p).Where("email = ?", email).Scan(ctx), "person "+email)
}

// PersonForUpdate reads a person and keeps it from changing until the transaction ends.
func (s *Store) PersonForUpdate(ctx context.Context, email string) (*Person, error) {
	p := new(Person)
	return p, one(s.Q.NewSelect().Model(p).Where("email = ?", email).For("update").Scan(ctx), "person "+email)
}

// SavePerson writes every column of a person that may change. The caller holds the row.
func (s *Store) SavePerson(ctx context.Context, p *Person) error {
	_, err := s.Q.NewUpdate().Model(p).ExcludeColumn("id", "email", "created_at").WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("save person %s: %w", p.Email, err)
	}
	return nil
}

// A code that was taken into use lately may be another's, who has come by the password: it moves money once it is a day old, or once an
// owner or the operator has confirmed it since.
const (
	settlesIn = "interval '1 day'"
	settled   = "(p.totp is not null and coalesce(p.coded_at <= now() - " + settlesIn + " or m.trusted_at > p.coded_at, false))"
)

// MembershipsOf lists the merchants of a person by name.
func (s *Store) MembershipsOf(ctx context.Context, person uuid.UUID) ([]Membership, error) {
	var out []Membership
	err := s.Q.NewRaw(`select m.merchant_id, t.name as merchant, m.role, `+settled+` as settled, p.coded_at + `+settlesIn+` as settles_at
		from members m join merchants t on t.id = m.merchant_id join people p on p.id = m.person_id where m.person_id = ? order by t.name, t.id`, person).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("list the merchants of a person: %w", err)
	}
	return out, nil
}

// Members lists the people of a merchant by e-mail address.
func (s *Store) Members(ctx context.Context, merchant uuid.UUID) ([]MemberRow, error) {
	var out []MemberRow
	err := s.Q.NewRaw(`select m.person_id, p.email, p.name, m.role, p.totp is not null as coded, p.passkeys, `+settled+` as settled, p.locked_at, m.created_at
		from members m join people p on p.id = m.person_id where m.merchant_id = ? order by p.email`, merchant).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("list the people of a merchant: %w", err)
	}
	return out, nil
}

// AddMember lets a person act for a merchant; false when the person does already.
func (s *Store) AddMember(ctx context.Context, merchant, person uuid.UUID, role string) (bool, error) {
	res, err := s.Q.NewRaw("insert into members (merchant_id, person_id, role) values (?, ?, ?) on conflict do nothing", merchant, person, role).Exec(ctx)
	return changed(res, err, "add a person of a merchant")
}

// SetMemberRole changes the role of a person for a merchant; false when the person has none.
func (s *Store) SetMemberRole(ctx context.Context, merchant, person uuid.UUID, role string) (bool, error) {
	res, err := s.Q.NewRaw("update members set role = ? where merchant_id = ? and person_id = ?", role, merchant, person).Exec(ctx)
	return changed(res, err, "change the role of a person")
}

// RemoveMember ends what a person may do for a merchant; false when there was nothing.
func (s *Store) RemoveMember(ctx context.Context, merchant, person uuid.UUID) (bool, error) {
	res, err := s.Q.NewRaw("delete from members where merchant_id = ? and person_id = ?", merchant, person).Exec(ctx)
	return changed(res, err, "remove a person of a merchant")
}

// DropOfferedCode forgets the secret that a person was offered for an authenticator app and has not confirmed.
func (s *Store) DropOfferedCode(ctx context.Context, person uuid.UUID) error {
	if _, err := s.Q.NewRaw("update people set totp_offered = null where id = ? and totp_offered is not null", person).Exec(ctx); err != nil {
		return fmt.Errorf("drop an offered code: %w", err)
	}
	return nil
}
