package tell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"causeway/internal/message"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/webhooks"
)

// Poster writes into chats (webhooks.Client).
type Poster interface {
	Post(ctx context.Context, address string, body []byte, secret string) webhooks.Attempt
}

// post writes the facts of a head into its chat.
func (w *Worker) post(ctx context.Context, head *store.Message, lines []message.Line) error {
	chat, err := w.chat(ctx, head.Receiver)
	if err != nil {
		return err
	}
	address, body, err := chat.Post(message.ChatText(lines))
	if err != nil {
		return fmt.Errorf("%w: write for a chat: %w", errNotTried, err)
	}
	a := w.Chats.Post(ctx, address, body, chat.Secret)
	if a.Status == 0 {
		return errors.New(a.Error)
	}
	return chat.Judge(a.Status, a.AnswerBody, a.RetryAfter)
}

// chat opens the address of a chat. A chat removed meanwhile takes nothing.
func (w *Worker) chat(ctx context.Context, id string) (*message.Chat, error) {
	row, err := w.Store.Chat(ctx, id)
	if errors.Is(err, pay.ErrNotFound) {
		return nil, fmt.Errorf("%w: the chat was removed", message.ErrRefused)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotTried, err)
	}
	plain, err := w.Secrets.Open(row.Sealed, vault.ChatPlace(store.ChatTable(id), id))
	if err != nil {
		return nil, fmt.Errorf("%w: open the address of a chat: %w", message.ErrRefused, err)
	}
	c := new(message.Chat)
	if err := json.Unmarshal(plain, c); err != nil {
		return nil, fmt.Errorf("%w: read the address of a chat: %w", message.ErrRefused, err)
	}
	return c, nil
}
