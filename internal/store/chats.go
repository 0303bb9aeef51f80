package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"causeway/internal/pg"
)

// Chat is a chat of a merchant or of the operators: one of each kind. Its ID is the receiver of its messages.
type Chat struct {
	ID         string    `bun:",pk"`
	MerchantID uuid.UUID // uuid.Nil = the operators'
	Kind       string
	Sealed     []byte   // its address (vault.ChatPlace)
	Shown      string   // its address, without the secret
	Quiet      []string `bun:",array"` // topics switched off
	MadeBy     string
	MadeAt     time.Time `bun:",nullzero,default:now()"`
}

// operatorsChat begins the id of a chat of the operators; its kind follows.
const operatorsChat = "operators:"

// ChatID names a merchant's chat of a kind; with uuid.Nil, the operators'.
func ChatID(kind string, merchant uuid.UUID) string {
	if merchant == uuid.Nil {
		return operatorsChat + kind
	}
	return kind + ":" + merchant.String()
}

// ChatTable is the table of a chat. No api may read the one of the operators' chats.
func ChatTable(id string) string {
	if strings.HasPrefix(id, operatorsChat) {
		return "operator_chats"
	}
	return "chats"
}

// SetChat writes a chat of a kind in place of the one before.
func (s *Store) SetChat(ctx context.Context, c *Chat) error {
	if c.MerchantID == uuid.Nil {
		return s.setOperatorsChat(ctx, c)
	}
	_, err := s.Q.NewRaw(`insert into chats (id, merchant_id, kind, sealed, shown, quiet, made_by) values (?, ?, ?, ?, ?, ?, ?)
		on conflict (id) do update set sealed = excluded.sealed, shown = excluded.shown, quiet = excluded.quiet, made_by = excluded.made_by, made_at = now()`,
		c.ID, c.MerchantID, c.Kind, c.Sealed, c.Shown, pg.Array(c.Quiet), c.MadeBy).Exec(ctx)
	if err != nil {
		return fmt.Errorf("set a chat: %w", err)
	}
	return nil
}

func (s *Store) setOperatorsChat(ctx context.Context, c *Chat) error {
	_, err := s.Q.NewRaw(`insert into operator_chats (id, kind, sealed, shown, quiet, made_by) values (?, ?, ?, ?, ?, ?)
		on conflict (id) do update set sealed = excluded.sealed, shown = excluded.shown, quiet = excluded.quiet, made_by = excluded.made_by, made_at = now()`,
		c.ID, c.Kind, c.Sealed, c.Shown, pg.Array(c.Quiet), c.MadeBy).Exec(ctx)
	if err != nil {
		return fmt.Errorf("set a chat of the operators: %w", err)
	}
	return nil
}

// SetChatQuiet switches topics of a chat off, and all others on; false when there is no such chat.
func (s *Store) SetChatQuiet(ctx context.Context, id string, quiet []string) (bool, error) {
	res, err := s.Q.NewRaw("update ? set quiet = ? where id = ?", bun.Ident(ChatTable(id)), pg.Array(quiet), id).Exec(ctx)
	return changed(res, err, "set the topics of a chat")
}

// Chat reads a chat, or returns pay.ErrNotFound.
func (s *Store) Chat(ctx context.Context, id string) (*Chat, error) {
	c := new(Chat)
	return c, one(s.Q.NewRaw("select * from ? where id = ?", bun.Ident(ChatTable(id)), id).Scan(ctx, c), "chat "+id)
}

// DropChat removes a chat; false when there is none. Its waiting messages are dropped by the worker.
func (s *Store) DropChat(ctx context.Context, id string) (bool, error) {
	res, err := s.Q.NewRaw("delete from ? where id = ?", bun.Ident(ChatTable(id)), id).Exec(ctx)
	return changed(res, err, "drop a chat")
}

// ReceiverState is how messages to a receiver fare. Of the last day, nothing older.
type ReceiverState struct {
	Waiting int64      // messages still to go out, each with those going along
	SentAt  *time.Time // when the newest message was sent
	Failed  *time.Time // when the newest message was given up
	Why     string     // it was given up for
	Trouble string     // of the last try of a waiting message
}

// StateOf returns how messages to a receiver fare.
func (s *Store) StateOf(ctx context.Context, receiver string) (out ReceiverState, err error) {
	err = s.Q.NewRaw(`with mails as (
			select * from messages where receiver = ?0 and head = id and (ended_at is null or ended_at > now() - interval '1 day')
			union all
			select * from messages where receiver = ?0 and head is null and ended_at is null)
		select count(*) filter (where m.ended_at is null) as waiting,
			max(m.ended_at) filter (where m.why is null) as sent_at, max(m.ended_at) filter (where m.why is not null) as failed,
			coalesce((array_agg(m.why order by m.ended_at desc) filter (where m.why is not null))[1], '') as why,
			coalesce((array_agg(j.last_error order by m.made_at desc) filter (where m.ended_at is null and m.tries > 0 and j.last_error is not null))[1], '') as trouble
		from mails m left join jobs j on j.kind = 'message.send' and j.ref = m.id and m.ended_at is null`, receiver).Scan(ctx, &out)
	return out, one(err, "state of a receiver")
}
