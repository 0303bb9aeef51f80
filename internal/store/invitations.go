package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// invitationLasts is how long a link for a merchant's person is good.
const invitationLasts = "interval '3 days'"

// Invitation is a link that makes somebody a person of a merchant. It is good once; only its hash is kept.
type Invitation struct {
	ID         uuid.UUID
	MerchantID uuid.UUID
	Merchant   string // its name
	Email      string
	Role       string
	InvitedBy  string
	MadeAt     time.Time
	EndsAt     time.Time
}

// AddInvitation records an invitation.
func (s *Store) AddInvitation(ctx context.Context, i *Invitation, hash []byte) error {
	err := s.Q.NewRaw(`insert into invitations (id, hash, merchant_id, email, role, invited_by) values (?, ?, ?, ?, ?, ?)
		returning made_at, made_at + `+invitationLasts, i.ID, hash, i.MerchantID, i.Email, i.Role, i.InvitedBy).Scan(ctx, &i.MadeAt, &i.EndsAt)
	if err != nil {
		return fmt.Errorf("add invitation: %w", err)
	}
	return nil
}

const selectInvitations = `select i.id, i.merchant_id, m.name as merchant, i.email, i.role, i.invited_by, i.made_at, i.made_at + ` + invitationLasts +
	` as ends_at from invitations i join merchants m on m.id = i.merchant_id where i.ended_at is null and i.made_at > now() - ` + invitationLasts

// Invitations lists the invitations of a merchant that are still good, newest first.
func (s *Store) Invitations(ctx context.Context, merchant uuid.UUID) ([]Invitation, error) {
	var out []Invitation
	if err := s.Q.NewRaw(selectInvitations+" and i.merchant_id = ? order by i.made_at desc, i.id", merchant).Scan(ctx, &out); err != nil {
		return nil, fmt.Errorf("list invitations: %w", err)
	}
	return out, nil
}

// InvitationOf reads the invitation of a link that is still good, or returns pay.ErrNotFound.
func (s *Store) InvitationOf(ctx context.Context, hash []byte) (*Invitation, error) {
	i := new(Invitation)
	return i, one(s.Q.NewRaw(selectInvitations+" and i.hash = ?", hash).Scan(ctx, i), "invitation")
}

// EndInvitation ends an invitation of a merchant that is still good; false when there is none.
func (s *Store) EndInvitation(ctx context.Context, merchant, id uuid.UUID) (bool, error) {
	res, err := s.Q.NewRaw("update invitations set ended_at = now() where id = ? and merchant_id = ? and ended_at is null and made_at > now() - "+
		invitationLasts, id, merchant).Exec(ctx)
	return changed(res, err, "end invitation")
}

// EndInvitationsTo ends the open invitations of a merchant to an e-mail address, and those that an actor has made; an actor of "" has
// made none. Links of its owners for new passwords end alike.
func (s *Store) EndInvitationsTo(ctx context.Context, merchant uuid.UUID, email, actor string) error {
	_, err := s.Q.NewRaw("update invitations set ended_at = now() where merchant_id = ? and ended_at is null and (email = ? or invited_by = ?)", merchant, email, actor).Exec(ctx)
	if err != nil {
		return fmt.Errorf("end invitations: %w", err)
	}
	_, err = s.Q.NewRaw(`update person_resets r set ended_at = now() from people p
		where r.merchant_id = ? and r.ended_at is null and p.id = r.person_id and (p.email = ? or r.made_by = ?)`, merchant, email, actor).Exec(ctx)
	if err != nil {
		return fmt.Errorf("end resets: %w", err)
	}
	return nil
}
