package admin

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/uuid"

	"causeway/internal/message"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// mostTests is how many tests of their chats a merchant or the operators may send within a day.
const mostTests = 20

// OfOperators stands for a merchant in the functions about chats: the chat is the operators'.
var OfOperators = uuid.Nil

// shownChat is a chat as the audit shows it.
func shownChat(c *store.Chat) map[string]any {
	out := map[string]any{"kind": c.Kind, "chat": c.Shown, "quiet": c.Quiet}
	if c.MerchantID != OfOperators {
		out["merchant_id"] = c.MerchantID
	}
	return out
}

// chatsOf names the owner of the chats, for the audit.
func chatsOf(merchant uuid.UUID) string {
	if merchant == OfOperators {
		return "operators"
	}
	return "merchant:" + merchant.String()
}

// SetChat has a merchant or the operators told in a chat, in place of their earlier one of this kind, of the topics in on. The secret
// is sealed and never shown again.
func (a *Admin) SetChat(ctx context.Context, merchant uuid.UUID, kind, secret, to string, on []string) error {
	chat, err := message.ReadChat(kind, secret, to)
	if err != nil {
		return Refusal{why: err.Error()}
	}
	plain, err := json.Marshal(chat)
	if err != nil {
		return err
	}
	id := store.ChatID(kind, merchant)
	row := &store.Chat{ID: id, MerchantID: merchant, Kind: kind, Sealed: a.Vault.Seal(plain, vault.ChatPlace(store.ChatTable(id), id)), Shown: chat.Shown(),
		Quiet: quietOf(merchant, on), MadeBy: a.Actor}
	return a.Change(ctx, "chat.set", chatsOf(merchant), func(tx *store.Store) (before, after any, err error) {
		was, err := tx.Chat(ctx, id)
		if err == nil {
			before = shownChat(was)
		} else if !errors.Is(err, pay.ErrNotFound) {
			return nil, nil, err
		}
		return before, shownChat(row), tx.SetChat(ctx, row)
	})
}

// quietOf returns the topics of chats missing in on.
func quietOf(merchant uuid.UUID, on []string) []string {
	out := []string{}
	for _, t := range message.ForChats(merchant == OfOperators) {
		if !slices.Contains(on, string(t.Topic)) {
			out = append(out, string(t.Topic))
		}
	}
	return out
}

// SetChatTopics has a chat told of the topics in on, and of no others. It returns pay.ErrNotFound without such a chat.
func (a *Admin) SetChatTopics(ctx context.Context, merchant uuid.UUID, kind string, on []string) error {
	return a.changeChat(ctx, "chat.topics", merchant, kind, func(tx *store.Store, c *store.Chat) error {
		c.Quiet = quietOf(merchant, on)
		return found(tx.SetChatQuiet(ctx, c.ID, c.Quiet))
	})
}

// DropChat removes a chat of a kind, or returns pay.ErrNotFound. What waits for it is not sent.
func (a *Admin) DropChat(ctx context.Context, merchant uuid.UUID, kind string) error {
	return a.changeChat(ctx, "chat.remove", merchant, kind, func(tx *store.Store, c *store.Chat) error {
		return found(tx.DropChat(ctx, c.ID))
	})
}

// TestChat sends a message to a chat, as any other message goes there. It returns pay.ErrNotFound without such a chat.
func (a *Admin) TestChat(ctx context.Context, merchant uuid.UUID, kind string) error {
	return a.changeChat(ctx, "chat.test", merchant, kind, func(tx *store.Store, c *store.Chat) error {
		test := &store.Message{Receiver: c.ID, Topic: string(message.ChatTest), Title: "A test", Line: "This chat is told of what waits for an operator."}
		if merchant != OfOperators {
			test.MerchantID = uuid.NullUUID{UUID: merchant, Valid: true}
			test.Line, test.Page = "This chat is told of what concerns the merchant.", PanelPath+"chats"
		}
		sent, err := tx.MessagesAbout(ctx, test.MerchantID, test.Topic)
		if err != nil {
			return err
		}
		if sent >= mostTests {
			return refuse("at most %d tests are sent within a day", mostTests)
		}
		return tx.Tell(ctx, test)
	})
}

// changeChat changes a chat with its audit row.
func (a *Admin) changeChat(ctx context.Context, action string, merchant uuid.UUID, kind string, change func(*store.Store, *store.Chat) error) error {
	return a.Change(ctx, action, chatsOf(merchant), func(tx *store.Store) (before, after any, err error) {
		c, err := tx.Chat(ctx, store.ChatID(kind, merchant))
		if err != nil {
			return nil, nil, err
		}
		before = shownChat(c)
		err = change(tx, c)
		return before, shownChat(c), err
	})
}

// found turns a change of nothing into pay.ErrNotFound.
func found(changed bool, err error) error {
	if err == nil && !changed {
		err = pay.ErrNotFound
	}
	return err
}
