package admin

import (
	"context"

	"github.com/google/uuid"

	"causeway/internal/message"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// mostInvitations is how many invitations by people of a merchant go out by e-mail in a day: the service is no way to write to strangers.
// Links beyond it are shown to their maker all the same.
const mostInvitations = 20

// mailLink sends a link by e-mail to the person it is for, in the transaction that makes it. Its maker sees it as well. A link for a new
// password is never sent so: nobody has proved that the address is the person's, and by that link a code is not asked for.
func (a *Admin) mailLink(ctx context.Context, tx *store.Store, m store.Message, email, path string) error {
	if _, person := people.ActorEmail(a.Actor); person && m.MerchantID.Valid {
		sent, err := tx.MessagesAbout(ctx, m.MerchantID, m.Topic)
		if err != nil || sent >= mostInvitations {
			return err
		}
	}
	m.ID, m.Receiver = uuid.New(), store.MailReceiver+email
	m.Sealed = a.Vault.Seal([]byte(path), vault.MessagePlace(m.ID.String()))
	return tx.Tell(ctx, &m)
}

// mailInvitation sends the link of an invitation.
func (a *Admin) mailInvitation(ctx context.Context, tx *store.Store, i *store.Invitation, path string) error {
	return a.mailLink(ctx, tx, store.Message{MerchantID: uuid.NullUUID{UUID: i.MerchantID, Valid: true}, Topic: string(message.Invitation),
		Title: "You are invited", Line: "By this link you become a person of this merchant. It is good once, for three days. If you do not expect it, do nothing."}, i.Email, path)
}
