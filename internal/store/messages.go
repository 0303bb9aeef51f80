package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pg"
)

// MailReceiver begins the receiver of a message by e-mail; an address follows.
const MailReceiver = "mail:"

// Message is a text for one receiver. It goes out with others that wait for the same receiver.
type Message struct {
	ID         uuid.UUID     `bun:",pk"`
	Receiver   string        // MailReceiver and an address
	MerchantID uuid.NullUUID // whom it is about
	Topic      string
	Title      string // of the kind of fact, without anything given by a stranger
	Line       string // the fact, in a sentence
	Page       string // below PUBLIC_BASE_URL; empty without one
	Sealed     []byte // a page that is a secret, such as a link to set a password; nil without one
	MadeAt     time.Time
	Head       uuid.NullUUID // the message it goes out with, maybe itself; none while it is not decided
	Tries      int           // of a head
	EndedAt    *time.Time    // when it was sent or given up
	Why        *string       // it was given up for
}

// MessageFact is a fact about a merchant that people are told of.
type MessageFact struct {
	Merchant   uuid.UUID
	Line, Page string
}

// TellPeople records a message and its job for each person of the merchants who has one of the roles and wants to know of the topic.
func (s *Store) TellPeople(ctx context.Context, topic string, roles []string, title string, facts ...MessageFact) error {
	n := len(facts)
	if n == 0 {
		return nil
	}
	merchants, lines, pages := make([]uuid.UUID, n), make([]string, n), make([]string, n)
	for i, f := range facts {
		merchants[i], lines[i], pages[i] = f.Merchant, f.Line, f.Page
	}
	_, err := pg.Exec(ctx, s.Q, "tell people", "select tell_people($1, $2::text[], $3, $4::uuid[], $5::text[], $6::text[])",
		topic, roles, title, merchants, lines, pages)
	return err
}

// Tell records a message and its job for one receiver, under its id or a new one. The merchant may be none.
func (s *Store) Tell(ctx context.Context, m *Message) error {
	if m.ID == uuid.Nil {
		m.ID = uuid.New()
	}
	_, err := s.Q.NewRaw(`with told as (insert into messages (id, receiver, merchant_id, topic, title, line, page, sealed) values (?, ?, ?, ?, ?, ?, ?, ?)
			returning id)
		insert into jobs (kind, ref, run_at) select 'message.send', id, now() + interval '5 seconds' from told`,
		m.ID, m.Receiver, m.MerchantID, m.Topic, m.Title, m.Line, m.Page, m.Sealed).Exec(ctx)
	if err != nil {
		return fmt.Errorf("tell %s: %w", m.Topic, err)
	}
	return nil
}

// Message reads a message, or returns pay.ErrNotFound.
func (s *Store) Message(ctx context.Context, id uuid.UUID) (*Message, error) {
	m := new(Message)
	return m, one(s.Q.NewSelect().Model(m).Where("id = ?", id).Scan(ctx), "message "+id.String())
}

// MessagesAbout counts the messages of a topic about a merchant, or about none, within the last day.
func (s *Store) MessagesAbout(ctx context.Context, merchant uuid.NullUUID, topic string) (n int, err error) {
	err = s.Q.NewRaw("select count(*) from messages where merchant_id is not distinct from ? and topic = ? and made_at > now() - interval '1 day'", merchant, topic).Scan(ctx, &n)
	if err != nil {
		return 0, fmt.Errorf("count messages of %s: %w", topic, err)
	}
	return n, nil
}

// LockReceiver keeps other transactions from deciding what goes out to a receiver, until this one ends.
func (s *Store) LockReceiver(ctx context.Context, receiver string) error {
	if _, err := s.Q.NewRaw("select pg_advisory_xact_lock(hashtextextended('messages ' || ?, 0))", receiver).Exec(ctx); err != nil {
		return fmt.Errorf("lock a receiver of messages: %w", err)
	}
	return nil
}

// HeadsOf counts what goes out to a receiver, or went out within a time: each head is one mail.
func (s *Store) HeadsOf(ctx context.Context, receiver string, within time.Duration) (n int, err error) {
	err = s.Q.NewRaw(`select count(*) from messages where receiver = ? and head = id
		and (ended_at is null or why is null and ended_at > now() - ? * interval '1 second')`, receiver, int64(within.Seconds())).Scan(ctx, &n)
	if err != nil {
		return 0, fmt.Errorf("count the mails to a receiver: %w", err)
	}
	return n, nil
}

// GatherMessages makes a message the head of all that wait for its receiver, the oldest first and at most so many.
func (s *Store) GatherMessages(ctx context.Context, head *Message, most int) error {
	_, err := s.Q.NewRaw(`update messages set head = ?0 where id = ?0 or id in (
		select id from messages where receiver = ?1 and head is null and ended_at is null and id <> ?0 order by made_at, id limit ?2)`,
		head.ID, head.Receiver, most-1).Exec(ctx)
	if err != nil {
		return fmt.Errorf("gather messages: %w", err)
	}
	return nil
}

// MessagesWith lists the messages of a head, the oldest first.
func (s *Store) MessagesWith(ctx context.Context, head uuid.UUID) ([]Message, error) {
	var out []Message
	if err := s.Q.NewSelect().Model(&out).Where("head = ?", head).Order("made_at", "id").Scan(ctx); err != nil {
		return nil, fmt.Errorf("list messages: %w", err)
	}
	return out, nil
}

// NoteMessageTry counts a try of a head that came to nothing.
func (s *Store) NoteMessageTry(ctx context.Context, head uuid.UUID) error {
	if _, err := s.Q.NewRaw("update messages set tries = tries + 1 where id = ?", head).Exec(ctx); err != nil {
		return fmt.Errorf("note a try of a message: %w", err)
	}
	return nil
}

// EndMessages ends the messages of a head: they were sent, or given up for a reason.
func (s *Store) EndMessages(ctx context.Context, head uuid.UUID, why string) error {
	_, err := s.Q.NewRaw("update messages set ended_at = now(), why = nullif(?, ''), sealed = null where head = ? and ended_at is null", why, head).Exec(ctx)
	if err != nil {
		return fmt.Errorf("end messages: %w", err)
	}
	return nil
}

// DropMessage deletes a message that nobody sends.
func (s *Store) DropMessage(ctx context.Context, id uuid.UUID) error {
	if _, err := s.Q.NewRaw("delete from messages where id = ? and ended_at is null", id).Exec(ctx); err != nil {
		return fmt.Errorf("drop a message: %w", err)
	}
	return nil
}

// QuietTopics returns the topics that a person does not want to be told of.
func (s *Store) QuietTopics(ctx context.Context, person uuid.UUID) (topics []string, err error) {
	err = s.Q.NewRaw("select unnest(quiet) from people where id = ?", person).Scan(ctx, &topics)
	if err != nil {
		return nil, fmt.Errorf("read the quiet topics of a person: %w", err)
	}
	return topics, nil
}

// SetQuietTopics writes the topics that a person does not want to be told of.
func (s *Store) SetQuietTopics(ctx context.Context, person uuid.UUID, topics []string) error {
	if _, err := s.Q.NewRaw("update people set quiet = ? where id = ?", pg.Array(topics), person).Exec(ctx); err != nil {
		return fmt.Errorf("set the quiet topics of a person: %w", err)
	}
	return nil
}

// GivenUp is what could not be sent to people.
type GivenUp struct {
	Messages int64  // within the last day
	Why      string // of the newest
}

// MessagesGivenUp counts the messages that were given up within the last day.
func (s *Store) MessagesGivenUp(ctx context.Context) (out GivenUp, err error) {
	err = s.Q.NewRaw(`select count(*) as messages, coalesce((array_agg(why order by ended_at desc))[1], '') as why from messages
		where ended_at > now() - interval '1 day' and why is not null`).Scan(ctx, &out)
	return out, one(err, "messages given up")
}
